#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"
#include "scenarios/document/faults.hpp"

namespace tasktwin::scenarios {

/// A value of a YAML document with its place in the file. Scalars are typed by YAML 1.2's core schema: `yes` is text,
/// `0x10` a number, a value in quotes is text.
struct Node {
  enum class Kind : std::uint8_t { kNull, kBool, kInteger, kReal, kText, kList, kMap };
  struct Key {
    std::string text;
    int line = 0;
    int column = 0;
  };

  Kind kind = Kind::kNull;
  bool boolean = false;
  int line = 0;
  int column = 0;
  std::int64_t integer = 0;  ///< where kInteger; a whole real up to 2^53, such as 1e6, counts as one
  double real = 0;           ///< where kInteger or kReal
  std::string text;          ///< of a scalar, as written
  std::vector<Key> keys;     ///< of a map, beside `items`
  std::vector<Node> items;   ///< of a map or a list

  /// The value of `key`, or nullptr where there is none.
  const Node* find(std::string_view key) const;
  const Key* find_key(std::string_view key) const;
};

/// What the reader accepts.
inline constexpr std::size_t kMaxNodes = 2'000'000;
inline constexpr std::size_t kMaxDepth = 32;
inline constexpr std::size_t kMaxScalarBytes = 4096;

/// A file's only YAML document.
struct Document {
  std::string file;
  Node root;
  std::vector<std::string> overrides = {};  ///< applied to it; what the i-th of them gave, from 1, is in line -i
  std::vector<Fault> faults = {};           ///< after which the reader could continue; Schema::check tells them

  SourceLocation at(const Node& node) const { return at(node.line, node.column); }
  SourceLocation at(const Node::Key& key) const { return at(key.line, key.column); }
  SourceLocation at(int line, int column) const;
};

/// Reads and checks a YAML file. Throws InputError with line and column for what read_text_file refuses, for a syntax
/// error, a second document, or excess. A duplicate key, alias, tag, or number that is infinite, NaN or beyond 64 bits is one
/// of the document's faults.
Document read_document(const std::string& path);

/// The same from text; `file` is what messages call it.
Document parse_document(const std::string& file, const std::string& text);

/// "a list", "the number 3", "the text 'x'", … for messages.
std::string describe(const Node& node);

}  // namespace tasktwin::scenarios
