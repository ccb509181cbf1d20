#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scenarios/document/document.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

// What tables of tasks (csv_table.cpp, json_table.cpp) have in common.

using RefuseColumn = std::function<void(std::string_view column, const std::string& why)>;

/// The field of a task in scenarios that a column or key states; none for another, and for those that name other tasks or buffers.
const TaskField* table_field(std::string_view column);

/// Whether a column says what tasks wait for.
bool is_order_column(std::string_view column);

/// Whether a column is read.
bool is_table_column(std::string_view column);

/// Whether a column that is not read may be meant to be `predecessors`.
bool may_be_order(std::string_view column);

/// A column or key as tables have it: without blanks around it, and in small letters where these alone make it one that is read.
std::string column_name(std::string_view written);

/// The column that one which is not read is most likely meant to be, of those that the table does not have.
std::optional<std::string_view> meant_column(std::string_view column, const std::function<bool(std::string_view)>& has);

/// " (did you mean 'layer'?)" or nothing.
std::string meant_in_brackets(std::string_view column, const std::function<bool(std::string_view)>& has);

/// Faults of rows that are collected; the rest of a table that has more is not read.
inline constexpr std::size_t kMostRowFaults = 1000;

/// What to say of a column that is not read and says the order: what waits for a task in place of what it waits for has to be turned round.
std::string ask_order(std::string_view column);

inline constexpr const char* kAskOrder = "is not read; did you mean 'predecessors'? Name it so, or leave it out";

/// "a", "b" of "a; b" where one of `between` separates parts; without blanks around them.
std::vector<std::string> parts_of(std::string_view text, std::string_view between);

/// Separators of names, also those of other tools.
inline constexpr std::string_view kBetweenNames = ";,|";

/// What a table without an order says in a column or key that is not read: whether it names what each task waits for.
class UnreadNames {
 public:
  /// Of the next row that says something, the names in it: empty where what it says can be none.
  void add(std::uint32_t row, std::vector<std::string> names) {
    ++filled_;
    are_names_ = are_names_ && !names.empty();
    if (are_names_ && some_.size() < kMost) some_.emplace_back(row, std::move(names));
    if (!are_names_) some_.clear();
  }

  /// All that it says are names of other tasks, and some task waits for none. `row_of`: nullopt for no name.
  template <class RowOf>
  bool are_order(std::size_t rows, const RowOf& row_of) const {
    if (filled_ == 0 || filled_ >= rows || !are_names_) return false;
    return std::ranges::all_of(some_, [&](const auto& one) {
      const auto is_other = [&](const std::string& name) {
        const std::optional<std::uint32_t> row = row_of(name);
        return row && *row != one.first;
      };
      return std::ranges::all_of(one.second,
                                 [&](const std::string& name) { return is_other(name) || are_all(parts_of(name, " "), is_other); });
    });
  }

 private:
  template <class Is>
  static bool are_all(const std::vector<std::string>& parts, const Is& is) {
    return parts.size() > 1 && std::ranges::all_of(parts, is);
  }

  static constexpr std::size_t kMost = 1000;  ///< rows are looked at; a large table has many columns
  std::size_t filled_ = 0;
  bool are_names_ = true;
  std::vector<std::pair<std::uint32_t, std::vector<std::string>>> some_;
};

/// A node of a document that is empty yet.
Node node_of_kind(Node::Kind kind);

Node number_node(double value);

/// One row, whatever it was written in.
struct TableRow {
  std::string name;
  std::string operation;
  std::optional<double> time_ns;
  Node fields = node_of_kind(Node::Kind::kMap);  ///< of tasks in scenarios, by their names

  void set(std::string_view field, Node value);
  /// Of what is no body: it says nothing.
  void drop_one_block();
  bool has(std::string_view field) const { return fields.find(field) != nullptr; }
};

/// Rows of one table as tasks.
class TableRows {
 public:
  /// `states_operation`: the table has 'operation', so that 'kind' is what a body is called.
  void begin(bool states_operation) { states_operation_ = states_operation; }

  /// What 'kind' of a row says: what its body is called, or as older tables have it the operation.
  void take_kind(TableRow& row, const std::string& kind, const RefuseColumn& refuse);

  void add(ImportedGraph& graph, TableRow& row, const RefuseColumn& refuse) const;

  void remark(ImportedGraph& graph) const;

 private:
  bool states_operation_ = false;
  std::size_t old_kinds_ = 0;
};

/// Rows by their names, by which others join them.
class TableNames {
 public:
  void row_called(const std::string& name, std::uint32_t position, const std::function<void(const std::string&)>& refuse) {
    if (!by_name_.emplace(name, position).second) refuse("is " + in_quotes(name) + ", which a row before it has already");
  }
  std::optional<std::uint32_t> find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }
  std::uint32_t find(const std::string& name, const std::function<void(const std::string&)>& refuse) const {
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) {
      refuse("no task is called " + in_quotes(name) + near(name));
      return 0;
    }
    return found->second;
  }

 private:
  /// "; did you mean 'load'?", in tables that are searched fast enough.
  std::string near(const std::string& name) const;

  std::unordered_map<std::string, std::uint32_t> by_name_;
};

/// Beside 'name', one of these is in a table of tasks.
inline constexpr std::array<std::string_view, 5> kTableTells{"predecessors", "time_ns", "time_us", "time_ms", "time_s"};

/// Options that tables take.
inline constexpr std::array<std::string_view, 2> kTableOptions{"drop_edges", "core_type"};

}  // namespace tasktwin::scenarios
