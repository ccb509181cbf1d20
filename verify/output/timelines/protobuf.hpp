#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tasktwin::verify {

/// A Protocol Buffers message as it is encoded, field by field (protobuf.dev, "Encoding"): what a writer of one format needs
/// without generated code.
class ProtobufMessage {
 public:
  void whole(int field, std::uint64_t value) {
    tag(field, kVarint);
    varint(value);
  }
  void signed_whole(int field, std::int64_t value) { whole(field, static_cast<std::uint64_t>(value)); }  ///< int32, int64, not sint
  void fixed64(int field, std::uint64_t value) {
    tag(field, kFixed64);
    for (int byte = 0; byte < 8; ++byte, value >>= 8) bytes_ += static_cast<char>(value & 0xFFu);
  }
  void text(int field, std::string_view value) {
    tag(field, kLengthDelimited);
    varint(value.size());
    bytes_ += value;
  }
  void message(int field, const ProtobufMessage& value) { text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  static constexpr std::uint64_t kVarint = 0;
  static constexpr std::uint64_t kFixed64 = 1;
  static constexpr std::uint64_t kLengthDelimited = 2;

  void tag(int field, std::uint64_t wire_type) { varint(static_cast<std::uint64_t>(field) << 3 | wire_type); }
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7Fu) | 0x80u);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace tasktwin::verify
