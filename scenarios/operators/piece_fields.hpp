#pragma once

#include <string>
#include <utility>

#include "scenarios/document/document.hpp"
#include "scenarios/operators/drawn_tables.hpp"
#include "scenarios/operators/expression.hpp"

namespace tasktwin::scenarios {

/// The fields that the tasks of an operator's pieces have alike, up to the numbers that are worked out for each.
class PieceFields {
 public:
  /// `fields`, a map of `document`, at `path` of it; expressions may ask for `drawn` numbers.
  PieceFields(const Document& document, const Node& fields, std::string path, const DrawnTables& drawn)
      : document_(document), fields_(fields), path_(std::move(path)), drawn_(drawn) {}

  /// With numbers in the place of expressions and of tables by size. A word of `arguments` that has no value stays as it is: a buffer's
  /// name. Throws InputError at the field.
  Node of(const ValueOfName& value_of) const;

 private:
  /// `rounded`: to a whole number.
  Node worked_out(const Node& value, const std::string& path, bool rounded, const ValueOfName& value_of) const;
  Node list_of(const Node& values, const std::string& path, const ValueOfName& value_of) const;
  Node arguments_of(const Node& map, const std::string& path, const ValueOfName& value_of) const;
  Node from_table(const Node& map, const std::string& path, const ValueOfName& value_of) const;

  const Document& document_;
  const Node& fields_;
  std::string path_;
  const DrawnTables& drawn_;
};

/// Adds the time, the arithmetic and the bytes of `other` to those of `task`, both as PieceFields::of has them.
void add_costs(Node& task, const Node& other);

/// Nodes that are made, at the place of `like`.
Node map_at(const Node& like);
Node text_at(const std::string& text, const Node& like);
/// Adds a key that `map` lacks.
void put(Node& map, const std::string& key, Node value);

}  // namespace tasktwin::scenarios
