#include "scenarios/files/files_read.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace tasktwin::scenarios {

namespace {

namespace fs = std::filesystem;

/// A file by its number, which links share, and by its place, which stays when the file there is replaced.
struct FilesRead {
  std::atomic<bool> wanted{false};
  std::mutex mutex;
  std::set<std::pair<dev_t, ino_t>> numbers;
  std::set<fs::path> places;
};

FilesRead& files_read() {
  static FilesRead files;
  return files;
}

fs::path place(const fs::path& path) {
  std::error_code ignored;
  const fs::path found = fs::weakly_canonical(path, ignored);
  return ignored ? path : found;
}

}  // namespace

void remember_files_read() { files_read().wanted = true; }

void note_read(const fs::path& path) {
  FilesRead& files = files_read();
  struct stat status {};
  if (!files.wanted || ::stat(path.c_str(), &status) != 0) return;
  const std::scoped_lock lock(files.mutex);
  files.numbers.emplace(status.st_dev, status.st_ino);
  files.places.insert(place(path));
}

bool was_read(const fs::path& path) {
  FilesRead& files = files_read();
  if (!files.wanted) return false;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return false;
  const std::scoped_lock lock(files.mutex);
  return (exists && files.numbers.contains({status.st_dev, status.st_ino})) || files.places.contains(place(path));
}

}  // namespace tasktwin::scenarios
