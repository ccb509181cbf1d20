#include <cmath>
#include <utility>

#include "scenarios/formats/protobuf_fields.hpp"
#include "scenarios/importers/chakra.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::size_t kLongestRecord = std::size_t{64} << 20;
constexpr std::size_t kLongestVarint = 10;

// Fields of et_def.proto.
enum MetadataField : std::uint8_t { kVersion = 1, kMetadataAttributes = 2 };
enum NodeField : std::uint8_t {
  kId = 1,
  kName = 2,
  kType = 3,
  kCtrlDeps = 4,
  kDataDeps = 5,
  kStart = 6,
  kDuration = 7,
  kLastKnown = 11,  // inputs, outputs, attributes, storage
  kAttributes = 10,
};
enum AttributeField : std::uint8_t { kAttributeName = 1, kDocString = 2 };

/// A value of an attribute, whichever of the scalar types it is of: -1, 1 or 2^63, but no list and no text.
void take_attribute(ProtobufFields attribute, ChakraNode& node) {
  std::string_view name;
  std::optional<double> value;
  std::string_view text;
  while (attribute.next()) {
    if (attribute.field() == kAttributeName)
      name = attribute.text();
    else if (attribute.field() != kDocString && attribute.is_number())
      value = attribute.real();
    else if (attribute.field() != kDocString)
      text = attribute.text();
  }
  if (name == "pg_name") node.group = value ? std::to_string(static_cast<std::int64_t>(*value)) : std::string(text);
  if (!value) return;
  const bool is_whole = std::abs(*value) <= 1e15;
  if (name == "comm_type" && is_whole) node.collective = static_cast<std::int64_t>(*value);
  if (name == "comm_src" && is_whole) node.source = static_cast<std::int64_t>(*value);
  if (name == "comm_dst" && is_whole) node.target = static_cast<std::int64_t>(*value);
  if (name == "comm_tag" && is_whole) node.tag = static_cast<std::int64_t>(*value);
  if (name == "is_cpu_op") node.on_host = *value != 0;
  if (name == "stream" && *value >= 0 && *value <= 1e6) node.stream = static_cast<std::int64_t>(*value);
  if (name == "num_ops") node.operations = *value;
  if (name == "tensor_size" || name == "comm_size") node.bytes = *value;
}

ChakraNode node_from(ProtobufFields fields) {
  ChakraNode node;
  while (fields.next()) {
    switch (fields.field()) {
      case kId:
        node.id = fields.whole();
        break;
      case kName:
        node.name = fields.text();
        break;
      case kType:
        node.type = fields.whole();
        break;
      case kCtrlDeps:
        fields.append_to(node.ctrl_deps);
        break;
      case kDataDeps:
        fields.append_to(node.data_deps);
        break;
      case kStart:
        node.start_us = static_cast<double>(fields.whole());
        break;
      case kDuration:
        node.duration_us = static_cast<double>(fields.whole());
        break;
      case kAttributes:
        take_attribute(fields.message(), node);
        break;
      default:
        if (fields.field() > kLastKnown) fields.refuse("field " + std::to_string(fields.field()) + " is none of a Chakra node");
    }
  }
  return node;
}

/// Takes the file apart into the records after their lengths.
class Records {
 public:
  Records(const std::string& file, const TakeBytes& take) : file_(file), take_(take) {}

  /// The next; nullopt at the end.
  std::optional<std::string> next() {
    std::uint64_t length = 0;
    start_ = at_;
    for (std::size_t i = 0; i < kLongestVarint; ++i) {
      const std::string byte = take_(1);
      if (byte.empty() && i == 0) return std::nullopt;
      if (byte.empty()) refuse("the file ends within the length of a record; is it truncated?");
      ++at_;
      length |= std::uint64_t{static_cast<unsigned char>(byte[0]) & 0x7FU} << (7 * i);
      if (static_cast<unsigned char>(byte[0]) < 0x80) return body(length);
    }
    refuse("the length of a record is beyond 64 bits; this is no Chakra trace");
  }

  std::uint64_t body_at() const { return at_ - length_; }
  [[noreturn]] void refuse(const std::string& why) const { throw InputError({file_}, "byte " + std::to_string(start_) + ": " + why); }

 private:
  std::string body(std::uint64_t length) {
    if (length > kLongestRecord) refuse("a record of " + std::to_string(length) + " bytes; this is no Chakra trace");
    std::string bytes = take_(length);
    if (bytes.size() < length) {
      refuse("the file ends within a record of " + std::to_string(length) + " bytes, of which it has " + std::to_string(bytes.size()) +
             "; is it truncated?");
    }
    length_ = length;
    at_ += length;
    return bytes;
  }

  const std::string& file_;
  const TakeBytes& take_;
  std::uint64_t at_ = 0;
  std::uint64_t start_ = 0;
  std::uint64_t length_ = 0;
};

}  // namespace

void read_chakra_protobuf(const std::string& file, const TakeBytes& take, ChakraGraph& graph) {
  Records records(file, take);
  const auto head = records.next();
  if (!head) throw InputError({file}, "is empty");
  for (ProtobufFields metadata(file, *head, records.body_at()); metadata.next();) {
    if (metadata.field() != kVersion && metadata.field() != kMetadataAttributes)
      metadata.refuse("the first record must be Chakra's GlobalMetadata, which has no field " + std::to_string(metadata.field()));
  }
  while (const auto record = records.next()) {
    graph.add(node_from({file, *record, records.body_at()}), [&records](const std::string& why) { records.refuse(why); });
  }
}

ImportedGraph read_chakra_protobuf(const std::string& file, const TakeBytes& take) {
  ChakraGraph graph;
  read_chakra_protobuf(file, take, graph);
  return graph.finish(file);
}

bool begins_as_chakra(std::string_view head) {
  constexpr char kVersionTag = kVersion << 3 | 2;
  constexpr std::string_view kOfVersions = "0123456789.";
  if (head.size() < 4 || static_cast<unsigned char>(head[0]) >= 0x80 || head[1] != kVersionTag) return false;
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(head[2]));
  if (length + 2 > static_cast<std::size_t>(head[0]) || head.size() < 3 + length) return false;
  return head.substr(3, length).find_first_not_of(kOfVersions) == std::string_view::npos;
}

}  // namespace tasktwin::scenarios
