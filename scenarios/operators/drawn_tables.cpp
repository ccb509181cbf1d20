#include "scenarios/operators/drawn_tables.hpp"

#include <algorithm>
#include <cmath>

#include "scenarios/document/scalar.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/operators/expression.hpp"

namespace tasktwin::scenarios {

namespace {

/// The map of tables; null where there is none.
const Node* tables_of(const Document& document) {
  const Node* const graph = document.root.find("graph");
  return graph && graph->kind == Node::Kind::kMap ? graph->find("draws") : nullptr;
}

}  // namespace

DrawnTables::DrawnTables(const Document& document) {
  const Node* const tables = tables_of(document);
  const Node* const draw = document.root.find("graph")->find("draw");
  if (!tables) {
    if (draw) throw InputError(document.at(*draw), "graph.draw: there are no draws to choose from; state graph.draws");
    return;
  }
  const auto row = static_cast<std::size_t>(draw ? draw->integer : 0);
  if (tables->items.empty()) throw InputError(document.at(*tables), "graph.draws: has no table");
  const std::size_t rows = tables->items.front().items.size();
  for (std::size_t i = 0; i < tables->items.size(); ++i) {
    const Node::Key& key = tables->keys[i];
    const std::string path = "graph.draws." + key.text;
    if (!may_be_named(key.text) || key.text == "ceil")
      throw InputError(document.at(key), path + ": an expression cannot call a table so; letters, digits and '_', a letter first");
    const std::size_t own = tables->items[i].items.size();
    if (own != rows)
      throw InputError(document.at(key), path + ": has " + std::to_string(own) + " rows, but " + in_quotes(tables->keys.front().text) +
                                             " has " + std::to_string(rows) + ": a draw is a row of each");
    if (row >= rows)
      throw InputError(document.at(*draw), "graph.draw: is " + std::to_string(row) + "; there are draws 0 to " + std::to_string(rows - 1));
    tables_.push_back({key.text, &tables->items[i].items[row]});
  }
}

std::optional<double> DrawnTables::value(std::string_view name, double place) const {
  const auto table = std::ranges::find(tables_, name, &Table::name);
  if (table == tables_.end()) return std::nullopt;
  table->asked = true;
  const std::vector<Node>& numbers = table->row->items;
  if (place < 0 || place != std::floor(place) || place >= static_cast<double>(numbers.size()))
    throw InputError("it asks for place " + shortest(place) + " of " + in_quotes(name) + ", whose row that is drawn has places 0 to " +
                     std::to_string(numbers.size() - 1));
  return numbers[static_cast<std::size_t>(place)].real;
}

void DrawnTables::require_asked(const Document& document) const {
  for (const Table& table : tables_) {
    if (table.asked) continue;
    const auto key = std::ranges::find(tables_of(document)->keys, table.name, &Node::Key::text);
    throw InputError(document.at(*key),
                     "graph.draws." + table.name + ": no expression asks for it, as " + table.name + "(expert.index) would");
  }
}

std::size_t DrawnTables::count(const Document& document) {
  const Node* const tables = tables_of(document);
  return tables && tables->kind == Node::Kind::kMap && !tables->items.empty() ? tables->items.front().items.size() : 0;
}

}  // namespace tasktwin::scenarios
