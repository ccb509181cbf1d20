#include "scenarios/operators/piece_fields.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "scenarios/document/scalar.hpp"
#include "scenarios/tasks/table_by_size.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

namespace {

/// Whole numbers that a double holds exactly.
constexpr double kMostWhole = 9007199254740992;  // 2^53

bool is_number(const TaskField& field) {
  const auto type = field.schema.find("type");
  return type != field.schema.end() && (*type == "integer" || *type == "number");
}

bool is_word(const std::string& text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.' || c == '-'; });
}

/// A whole number where it is one or is to be `rounded` to one.
Node number_at(double value, bool rounded, const Node& like) {
  const bool whole = rounded || value == std::floor(value);
  Node node = typed_scalar(whole ? std::to_string(std::llround(value)) : shortest(value));
  node.line = like.line;
  node.column = like.column;
  return node;
}

}  // namespace

Node PieceFields::of(const ValueOfName& value_of) const {
  Node task = map_at(fields_);
  for (std::size_t i = 0; i < fields_.keys.size(); ++i) {
    const std::string& key = fields_.keys[i].text;
    const Node& value = fields_.items[i];
    const std::string path = path_ + "." + key;
    task.keys.push_back(fields_.keys[i]);
    const TaskField& field = *std::ranges::find(task_fields(), key, &TaskField::name);
    if (key == "arguments" && value.kind == Node::Kind::kMap)
      task.items.push_back(arguments_of(value, path, value_of));
    else if (key == "workers" && value.kind == Node::Kind::kList)
      task.items.push_back(list_of(value, path, value_of));
    else
      task.items.push_back(is_number(field) ? worked_out(value, path, field.schema["type"] == "integer", value_of) : value);
  }
  return task;
}

Node PieceFields::arguments_of(const Node& map, const std::string& path, const ValueOfName& value_of) const {
  Node arguments = map_at(map);
  for (std::size_t i = 0; i < map.keys.size(); ++i) {
    const Node& value = map.items[i];
    const bool stays = value.kind == Node::Kind::kText && is_word(value.text) && !value_of(value.text);
    arguments.keys.push_back(map.keys[i]);
    arguments.items.push_back(stays ? value : worked_out(value, path + "." + map.keys[i].text, false, value_of));
  }
  return arguments;
}

Node PieceFields::list_of(const Node& values, const std::string& path, const ValueOfName& value_of) const {
  Node list = values;
  for (std::size_t i = 0; i < list.items.size(); ++i)
    list.items[i] = worked_out(values.items[i], path + "[" + std::to_string(i) + "]", true, value_of);
  return list;
}

Node PieceFields::worked_out(const Node& value, const std::string& path, bool rounded, const ValueOfName& value_of) const {
  if (value.kind == Node::Kind::kMap) return from_table(value, path, value_of);
  if (value.kind != Node::Kind::kText) return value;
  try {
    const double number =
        evaluate(value.text, value_of, [this](std::string_view table, double place) { return drawn_.value(table, place); });
    if (std::abs(number) > kMostWhole) throw InputError("its value is beyond 2^53");
    return number_at(number, rounded, value);
  } catch (const InputError& wrong) {
    throw InputError(document_.at(value), path + ": the expression cannot be worked out: " + wrong.what());
  }
}

Node PieceFields::from_table(const Node& map, const std::string& path, const ValueOfName& value_of) const {
  const auto refuse = [&](const Node& at, const std::string& why) { throw InputError(document_.at(at), path + ": " + why); };
  const Node* const by = map.find("by");
  const Node* const table = map.find("table");
  if (!by || by->kind != Node::Kind::kText || !table || table->kind != Node::Kind::kList || table->items.empty() || map.keys.size() != 2)
    refuse(map, "a table by size has the form {by: EXPRESSION, table: [[SIZE, VALUE], …]}");
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
  for (const Node& row : table->items) {
    const bool is_pair = row.kind == Node::Kind::kList && row.items.size() == 2 &&
                         std::ranges::all_of(row.items, [](const Node& one) { return one.kind == Node::Kind::kInteger; });
    if (!is_pair) refuse(row, "a row of a table by size is [SIZE, VALUE], two whole numbers");
    if (!rows.empty() && row.items[0].integer <= rows.back().first) refuse(row, "the sizes of its rows must ascend");
    rows.emplace_back(row.items[0].integer, row.items[1].integer);
  }
  const Node size = worked_out(*by, path + ".by", false, value_of);
  return number_at(at_size(rows, size.real), true, map);
}

void add_costs(Node& task, const Node& other) {
  for (const char* const field : {"time_ns", "flops", "bytes"}) {
    const Node* const more = other.find(field);
    if (!more) continue;
    if (Node* const own = const_cast<Node*>(task.find(field)))
      *own = number_at(own->real + more->real, true, *own);
    else
      put(task, field, *more);
  }
}

Node map_at(const Node& like) {
  Node map;
  map.kind = Node::Kind::kMap;
  map.line = like.line;
  map.column = like.column;
  return map;
}

Node text_at(const std::string& text, const Node& like) {
  Node node = text_node(text);
  node.line = like.line;
  node.column = like.column;
  return node;
}

void put(Node& map, const std::string& key, Node value) {
  map.keys.push_back({key, value.line, value.column});
  map.items.push_back(std::move(value));
}

}  // namespace tasktwin::scenarios
