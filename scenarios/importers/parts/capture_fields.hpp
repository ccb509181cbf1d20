#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tasktwin::scenarios {

/// What a value of JSON is written as.
enum class JsonShape : std::uint8_t { kObject, kList, kNumber, kText, kFlag, kNull };

/// Holds a file of 'tasktwin capture' against its format (docs/capture.md) while it is read: a field that the format does not have or
/// that is given twice or lacks, or a value of another kind than the field's, is wrong. Contract: it is told all of the document in order,
/// from its first brace to the first fault.
class CaptureFields {
 public:
  /// Each: empty, or what is wrong, with the place in the document.
  std::string key(std::string_view name);
  std::string value(JsonShape shape, std::string_view text);
  std::string open(JsonShape shape);
  std::string close();

  struct Field;

 private:
  /// An object or a list that has begun and not ended.
  struct Level {
    bool list = false;
    std::span<const Field> fields{};  ///< of an object
    const Field* field = nullptr;     ///< of an object: whose value comes; of a list: what its elements are
    std::size_t next = 0;             ///< of a list: the number of the element that comes
    std::uint64_t seen = 0;           ///< of an object: by field, whether it has been given
  };

  const Field& expected() const;
  std::string place() const;

  std::vector<Level> levels_;
};

}  // namespace tasktwin::scenarios
