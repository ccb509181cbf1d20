#include "verify/output/files/part_file.hpp"

#include <atomic>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = ".tasktwin-part-";
constexpr mode_t kMode = 0666;
constexpr int kMostTries = 1000;

void remove_if_nobodys(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  struct stat status {};
  const bool ours = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid();
  if (ours && ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    ::unlink(path.c_str());  // while it is locked: a process that has just made it takes another
  ::close(descriptor);
}

void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;
  for (fs::directory_iterator file(folder, ignored), end; !ignored && file != end; file.increment(ignored)) {
    if (file->path().filename().native().starts_with(kPrefix)) remove_if_nobodys(file->path());
  }
}

}  // namespace

PartFile::PartFile(const fs::path& folder) : folder_(folder) {
  remove_leftovers(folder_);
  descriptor_ = ::open(folder_.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode);
  if (descriptor_ < 0) {
    descriptor_ = make_named();
  } else {
    ::flock(descriptor_, LOCK_EX | LOCK_NB);
  }
}

PartFile::~PartFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
  half_written_.reset();
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PartFile::take_next_path() {
  static std::atomic<unsigned> number{0};
  half_written_.reset();
  path_ = folder_ / fmt::format("{}{}-{}", kPrefix, ::getpid(), number++);
}

/// For file systems without nameless files.
int PartFile::make_named() {
  for (int i = 0; i < kMostTries; ++i) {
    take_next_path();
    const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
    if (descriptor < 0 && errno == EEXIST) continue;
    if (descriptor < 0) break;
    half_written_.emplace(path_.c_str());
    ::flock(descriptor, LOCK_EX);
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || status.st_nlink > 0) return descriptor;
    ::close(descriptor);  // another process took it for a leftover before it was locked
  }
  const int error = errno;
  half_written_.reset();
  path_.clear();
  errno = error;
  return -1;
}

bool PartFile::name() {
  if (!path_.empty()) return true;
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  for (int i = 0; i < kMostTries; ++i) {
    take_next_path();
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, path_.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      half_written_.emplace(path_.c_str());
      return true;
    }
    if (errno != EEXIST) break;
  }
  path_.clear();
  return false;
}

void PartFile::moved() {
  half_written_.reset();
  path_.clear();
}

}  // namespace tasktwin::verify
