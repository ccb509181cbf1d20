#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tasktwin::scenarios {

/// The largest text that is read whole.
inline constexpr std::size_t kMostUnpacked = std::size_t{1} << 30;

/// What gzip may make of a file, however small that is, and beyond it: that many times the file's own bytes. Traces pack ten to forty fold;
/// what is packed a thousandfold, as deflate can, is no trace.
inline constexpr std::uint64_t kAlwaysUnpacked = std::uint64_t{64} << 20;
inline constexpr std::uint64_t kMostPacked = 200;

/// A regular file read piece by piece, unpacked where it is gzip's, without a mark of the byte order before it. Throws InputError if it is
/// missing, unreadable, a folder, or, once that is come to, truncated, damaged, or longer than the limits above.
class ByteSource {
 public:
  explicit ByteSource(std::string path);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The first bytes, fewer where there are fewer. Contract: before anything else is read.
  std::string head(std::size_t most);

  /// The next byte without taking it; '\0' after the last.
  char peek() { return at_ < end_ || fill() ? *at_ : '\0'; }
  /// Takes it.
  char take() { return at_ < end_ || fill() ? *at_++ : '\0'; }
  /// Of the unpacked text, before the next byte.
  std::uint64_t position() const { return before_ + static_cast<std::uint64_t>(at_ - buffer_.data()); }

  /// Bytes of the file itself, read and in all.
  std::uint64_t read_of_file() const;
  std::uint64_t file_size() const { return file_size_; }
  const std::string& path() const { return path_; }

 private:
  struct Gzip;
  bool fill();

  std::string path_;
  std::unique_ptr<Gzip> file_;
  std::uint64_t file_size_ = 0;
  std::vector<char> buffer_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t before_ = 0;  ///< bytes before the buffer's first
};

/// The whole text of a file, unpacked. Throws InputError as ByteSource does, for no text at all, and for more than `most` bytes.
std::string read_unpacked(const std::string& path, std::size_t most = kMostUnpacked);

}  // namespace tasktwin::scenarios
