#include "verify/output/files/atomic_file.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::string system_message(int error) { return std::error_code(error, std::generic_category()).message(); }

}  // namespace

AtomicFile::AtomicFile(const fs::path& path, Replaces replaces) : path_(path), target_(path), replaces_(replaces) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored) && fs::exists(path, ignored)) target_ = fs::canonical(path, ignored);
  check_target();
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  const fs::file_status status = fs::status(target_, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    device_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
    if (device_ < 0) fail(errno);
    return;
  }
  part_.emplace(folder);
  if (part_->descriptor() < 0) {
    const int error = errno;
    throw RunError(
        fmt::format("cannot write '{}': cannot create a file in '{}': {}", path.string(), folder.string(), system_message(error)));
  }
  keep_mode();
}

AtomicFile::~AtomicFile() {
  if (device_ >= 0) ::close(device_);
}

void AtomicFile::check_target() const {
  std::error_code ignored;
  if (fs::is_directory(target_, ignored)) fail(EISDIR);
  const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  if (!fs::is_directory(folder, ignored)) {
    throw RunError(fmt::format("cannot write '{}': there is no folder '{}'", path_.string(), folder.string()));
  }
  if (fs::exists(target_, ignored) && ::access(target_.c_str(), W_OK) != 0) fail(errno);
  check_not_read();
}

void AtomicFile::check_not_read() const {
  if (replaces_ == Replaces::kNothingRead && scenarios::was_read(target_)) {
    throw InputError(fmt::format("cannot write '{}': it was read in this run; choose another file", path_.string()));
  }
}

/// The new file is whose and may be read by whom the old one was, as far as the process may say so.
void AtomicFile::keep_mode() const {
  struct stat before {};
  if (::stat(target_.c_str(), &before) != 0) return;
  constexpr mode_t kPermissions = 0777;
  [[maybe_unused]] const int not_its_owner = ::fchown(part_->descriptor(), before.st_uid, before.st_gid);
  ::fchmod(part_->descriptor(), before.st_mode & kPermissions);
}

void AtomicFile::fail(int error) const { throw RunError(fmt::format("cannot write '{}': {}", path_.string(), system_message(error))); }

void AtomicFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(part_ ? part_->descriptor() : device_, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::settle() {
  flush();
  check_not_read();  // it may have been since this file was begun
  if (!part_) {
    if (::close(std::exchange(device_, -1)) != 0) fail(errno);
    return;
  }
  if (::fsync(part_->descriptor()) != 0 || !part_->name()) fail(errno);
}

void AtomicFile::put_in_place() {
  if (!part_) return;
  const char* const from = part_->path().c_str();
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
    exchanged_ = true;
  } else if (::rename(from, target_.c_str()) == 0) {
    part_->moved();
  } else {
    fail(errno);
  }
  placed_ = true;
}

void AtomicFile::take_back() {
  if (!placed_) return;
  if (exchanged_) {
    ::renameat2(AT_FDCWD, part_->path().c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE);
  } else {
    ::unlink(target_.c_str());
  }
}

void AtomicFile::commit() {
  settle();
  put_in_place();
  part_.reset();
}

void commit_together(std::span<const std::unique_ptr<AtomicFile>> files) {
  for (const auto& file : files) file->settle();
  try {
    for (const auto& file : files) file->put_in_place();
  } catch (const RunError&) {
    for (const auto& file : files) file->take_back();
    throw;
  }
  for (const auto& file : files) file->part_.reset();
}

void write_files(std::span<const FileText> files) {
  std::vector<std::unique_ptr<AtomicFile>> open;
  for (const FileText& file : files) {
    open.push_back(std::make_unique<AtomicFile>(file.path));
    open.back()->write(file.text);
  }
  commit_together(open);
}

void write_file(const fs::path& path, std::string_view text, Replaces replaces) {
  AtomicFile file(path, replaces);
  file.write(text);
  file.commit();
}

}  // namespace tasktwin::verify
