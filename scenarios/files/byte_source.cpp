#include "scenarios/files/byte_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "models/base/error.hpp"
#include "scenarios/files/files_read.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kBufferBytes = 1u << 20;

}  // namespace

struct ByteSource::Gzip {
  gzFile file = nullptr;
  ~Gzip() {
    if (file != nullptr) gzclose_r(file);
  }
};

ByteSource::ByteSource(std::string path) : path_(std::move(path)), file_(std::make_unique<Gzip>()), buffer_(kBufferBytes) {
  std::error_code failure;
  const auto status = std::filesystem::status(path_, failure);
  if (!std::filesystem::exists(status)) throw InputError({path_}, "no such file");
  if (std::filesystem::is_directory(status)) throw InputError({path_}, "is a folder, not a file");
  if (!std::filesystem::is_regular_file(status)) throw InputError({path_}, "is no regular file");
  file_size_ = std::filesystem::file_size(path_, failure);
  note_read(path_);
  file_->file = gzopen(path_.c_str(), "rb");
  if (file_->file == nullptr) throw InputError({path_}, std::string("cannot be read: ") + std::strerror(errno));
  gzbuffer(file_->file, kBufferBytes);
  at_ = end_ = buffer_.data();
}

ByteSource::~ByteSource() = default;

bool ByteSource::fill() {
  before_ += static_cast<std::uint64_t>(end_ - buffer_.data());
  at_ = end_ = buffer_.data();
  const int count = gzread(file_->file, buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int error = Z_OK;
  const char* const why = gzerror(file_->file, &error);
  if (count < 0 || error == Z_BUF_ERROR) {
    throw InputError({path_}, error == Z_BUF_ERROR
                                  ? "is truncated: gzip's text ends early, after " + std::to_string(before_ + std::max(0, count)) + " bytes"
                                  : std::string("cannot be unpacked: ") + why);
  }
  end_ = at_ + count;
  const std::uint64_t unpacked = before_ + static_cast<std::uint64_t>(count);
  if (unpacked > kAlwaysUnpacked && unpacked / kMostPacked > file_size_)
    throw InputError({path_}, "unpacks to more than " + std::to_string(kMostPacked) + " times its " + std::to_string(file_size_) +
                                  " bytes, which no trace does");
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // of the byte order, as some programs begin UTF-8
  if (before_ == 0 && std::string_view(at_, static_cast<std::size_t>(count)).starts_with(kMark)) at_ += kMark.size();
  return at_ < end_ || (count > 0 && fill());
}

std::string ByteSource::head(std::size_t most) {
  if (at_ == end_) fill();
  return {at_, std::min(most, static_cast<std::size_t>(end_ - at_))};
}

std::string read_unpacked(const std::string& path, std::size_t most) {
  ByteSource source(path);
  std::string text;
  while (true) {
    const std::uint64_t before = source.position();
    const char c = source.take();
    if (source.position() == before) break;
    if (text.size() == most) throw InputError({path}, "has more than " + std::to_string(most) + " bytes of text, which is read whole");
    text += c;
  }
  if (text.empty()) throw InputError({path}, "is empty");
  return text;
}

std::uint64_t ByteSource::read_of_file() const { return static_cast<std::uint64_t>(std::max<z_off_t>(0, gzoffset(file_->file))); }

}  // namespace tasktwin::scenarios
