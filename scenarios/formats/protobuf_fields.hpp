#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"

namespace tasktwin::scenarios {

/// Goes through the fields of a Protocol Buffers message as it is encoded (protobuf.dev, "Encoding"): what a reader of one format needs
/// without generated code, and with the place of what is wrong. Contract: file and bytes outlive it.
class ProtobufFields {
 public:
  /// `offset`: where the message begins in the file.
  ProtobufFields(const std::string& file, std::string_view bytes, std::uint64_t offset) : file_(&file), bytes_(bytes), offset_(offset) {}

  /// Moves to the next field; false after the last.
  bool next() {
    if (at_ == bytes_.size()) return false;
    start_ = at_;
    const std::uint64_t tag = varint();
    field_ = static_cast<int>(tag >> 3 & 0x1FFFFFFF);
    wire_ = static_cast<Wire>(tag & 7);
    if (field_ == 0) refuse("a field has the number 0");
    if (wire_ == Wire::kVarint) value_ = varint();
    if (wire_ == Wire::kFixed64) value_ = fixed(8);
    if (wire_ == Wire::kFixed32) value_ = fixed(4);
    if (wire_ == Wire::kBytes) piece_ = take(varint());
    if (wire_ != Wire::kVarint && wire_ != Wire::kFixed64 && wire_ != Wire::kFixed32 && wire_ != Wire::kBytes)
      refuse("a field has the wire type " + std::to_string(static_cast<int>(wire_)));
    return true;
  }

  int field() const { return field_; }
  bool is_number() const { return wire_ != Wire::kBytes; }

  /// Each refuses a field of another kind.
  std::uint64_t whole() const {
    if (wire_ == Wire::kBytes) refuse_kind("a number");
    return value_;
  }
  double real() const {
    if (wire_ == Wire::kFixed64) return std::bit_cast<double>(value_);
    if (wire_ == Wire::kFixed32) return std::bit_cast<float>(static_cast<std::uint32_t>(value_));
    return static_cast<double>(static_cast<std::int64_t>(whole()));
  }
  std::string_view text() const {
    if (wire_ != Wire::kBytes) refuse_kind("text");
    return piece_;
  }
  ProtobufFields message() const {
    if (wire_ != Wire::kBytes) refuse_kind("a message");
    return {*file_, piece_, offset_ + (at_ - piece_.size())};
  }
  /// Of a repeated field: its number, or all of those packed in it.
  void append_to(std::vector<std::uint64_t>& numbers) const {
    if (wire_ != Wire::kBytes) {
      numbers.push_back(value_);
      return;
    }
    ProtobufFields packed = message();
    while (packed.at_ < packed.bytes_.size()) numbers.push_back(packed.varint());
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError({*file_}, "byte " + std::to_string(offset_ + start_) + ": " + why);
  }

 private:
  enum class Wire : std::uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  [[noreturn]] void refuse_kind(const char* wanted) const {
    refuse("field " + std::to_string(field_) + " must be " + wanted + ", not of wire type " + std::to_string(static_cast<int>(wire_)));
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return value;
    }
    refuse("a number is longer than 64 bits");
  }
  std::uint64_t fixed(std::size_t count) {
    const std::string_view bytes = take(count);
    std::uint64_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::string_view take(std::uint64_t count) {
    if (count > bytes_.size() - at_) refuse("a field of " + std::to_string(count) + " bytes goes beyond the end of its message");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  const std::string* file_;
  std::string_view bytes_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
  std::size_t start_ = 0;
  int field_ = 0;
  Wire wire_ = Wire::kVarint;
  std::uint64_t value_ = 0;
  std::string_view piece_;
};

}  // namespace tasktwin::scenarios
