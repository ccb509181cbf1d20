#include "verify/output/atomic_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "models/error.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::string system_message(int error) { return std::error_code(error, std::generic_category()).message(); }

}  // namespace

AtomicFile::AtomicFile(const fs::path& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored) && fs::exists(path, ignored)) target_ = fs::canonical(path, ignored);
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::is_directory(status)) fail(EISDIR);
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    throw RunError(fmt::format("cannot write '{}': there is no folder '{}'", path.string(), folder.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    beside_ = target_;
    beside_ += fmt::format(".part-{}", ::getpid());
    // A file without a name leaves nothing behind, however the process ends.
    descriptor_ = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    nameless_ = descriptor_ >= 0;
    half_written_.emplace(beside_.c_str());
    if (!nameless_) descriptor_ = create_beside();
  }
  if (descriptor_ < 0) {
    const int error = errno;
    throw RunError(
        fmt::format("cannot write '{}': cannot create a file in '{}': {}", path.string(), folder.string(), system_message(error)));
  }
}

/// For file systems without nameless files. What an ended process of the same id left is no file of anybody's.
int AtomicFile::create_beside() const {
  ::unlink(beside_.c_str());
  return ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/// Gives a nameless file the name from which it is moved to its place.
void AtomicFile::name() const {
  ::unlink(beside_.c_str());
  const std::string self = fmt::format("/proc/self/fd/{}", descriptor_);
  if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, beside_.c_str(), AT_SYMLINK_FOLLOW) != 0) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void AtomicFile::fail(int error) const { throw RunError(fmt::format("cannot write '{}': {}", path_.string(), system_message(error))); }

void AtomicFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::settle() {
  flush();
  if (!beside_.empty() && ::fsync(descriptor_) != 0) fail(errno);
}

void AtomicFile::commit() {
  settle();
  if (nameless_) name();
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (beside_.empty()) return;
  if (::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  half_written_.reset();
  beside_.clear();
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace tasktwin::verify
