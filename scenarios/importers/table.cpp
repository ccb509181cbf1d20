#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "scenarios/document/scalar.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/importers/parts/time_units.hpp"
#include "scenarios/tasks/listed_tasks.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

namespace {

using Refuse = std::function<void(std::string_view column, const std::string& why)>;

/// What the column `operation` may say beside the operations of scenarios.
constexpr std::string_view kSpin = "spin";
constexpr std::string_view kEmptyBody = "empty";
/// What the column `kind` said before there was `operation`.
constexpr std::array<std::string_view, 7> kOldKinds{"spin", "empty", "host", "copy_h2d", "copy_d2h", "copy_p2p", "memset"};
/// What others call predecessors, in small letters alone.
constexpr std::array<std::string_view, 20> kLikePredecessors{
    "deps",           "dep",      "depends",     "dependson", "dependencies", "dependency", "dependences", "dependencieslist",
    "dependencylist", "depslist", "predecessor", "pred",      "preds",        "parents",    "parent",      "waitsfor",
    "prerequisites",  "upstream", "requires",    "required"};

/// The field of a task in scenarios that a column or key states; none for another, and for those that name other tasks or buffers.
const TaskField* field_of(std::string_view column) {
  if (column == "name" || column == "operation") return nullptr;
  const auto found = std::ranges::find(task_fields(), column, &TaskField::name);
  return found == task_fields().end() || found->read == nullptr ? nullptr : &*found;
}

bool is_order(std::string_view column) { return column == "predecessors" || column == "after"; }

bool is_known(std::string_view column) {
  return ns_of_column(column) || column == "name" || column == "operation" || is_order(column) || field_of(column);
}

/// Whether a column that is not read may be meant to be `predecessors`.
bool may_be_order(std::string_view column) {
  std::string letters;
  for (const char c : column) {
    if (std::isalpha(static_cast<unsigned char>(c))) letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  constexpr std::array<std::string_view, 1> kRight{"predecessors"};
  return std::ranges::find(kLikePredecessors, letters) != kLikePredecessors.end() || nearest_word(letters, kRight).has_value();
}

const char* const kAskOrder = "is not read; did you mean 'predecessors'? Name it so, or leave it out";

/// "a", "b" of "a; b" where one of `between` stands between parts; without blanks around them.
std::vector<std::string> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    const std::string_view part = text.substr(at, end - at);
    const std::size_t first = part.find_first_not_of(' ');
    if (first != std::string_view::npos) parts.emplace_back(part.substr(first, part.find_last_not_of(' ') - first + 1));
    at = end + 1;
  }
  return parts;
}

/// What stands between names, also as others have it.
constexpr std::string_view kBetweenNames = ";,|";

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

Node node_of_kind(Node::Kind kind) {
  Node node;
  node.kind = kind;
  return node;
}

/// One row, whatever it was written in.
struct Row {
  std::string name;
  std::string operation;
  std::optional<double> time_ns;
  Node fields = node_of_kind(Node::Kind::kMap);  ///< of tasks in scenarios, by their names

  void set(std::string_view field, Node value) {
    fields.keys.push_back({std::string(field)});
    fields.items.push_back(std::move(value));
  }
  /// Of what is no body: it says nothing.
  void drop_one_block() {
    const Node* const blocks = fields.find("blocks");
    if (!blocks || blocks->kind != Node::Kind::kInteger || blocks->integer != 1) return;
    const auto place = blocks - fields.items.data();
    fields.keys.erase(fields.keys.begin() + place);
    fields.items.erase(fields.items.begin() + place);
  }
  bool has(std::string_view field) const { return fields.find(field) != nullptr; }
};

Node number_node(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53
  Node node;
  node.real = value;
  node.text = shortest(value);
  const bool whole = value == std::floor(value) && std::abs(value) <= kExact;
  node.kind = whole ? Node::Kind::kInteger : Node::Kind::kReal;
  if (whole) node.integer = static_cast<std::int64_t>(value);
  return node;
}

/// Rows of one table as tasks.
class Rows {
 public:
  /// `states_operation`: the table has 'operation', so that 'kind' is what a body is called.
  void begin(bool states_operation) { states_operation_ = states_operation; }

  /// What 'kind' of a row says: what its body is called, or as older tables have it the operation.
  void take_kind(Row& row, const std::string& kind, const Refuse& refuse) {
    const bool is_operation = std::ranges::find(kOldKinds, kind) != kOldKinds.end();
    if (states_operation_ || (!is_operation && !nearest_word(kind, kOldKinds))) return row.set("kind", text_node(kind));
    if (!is_operation)
      refuse("kind", "is " + in_quotes(kind) + suggest(kind, kOldKinds) + "; beside a column 'operation', 'kind' is what a body is called");
    row.operation = kind;
    ++old_kinds_;
  }

  void add(ImportedGraph& graph, Row& row, const Refuse& refuse) const {
    if (row.name.empty()) refuse("name", "is empty");
    const std::string said = states_operation_ ? "operation" : "kind";
    const bool empty = row.operation == kEmptyBody;
    const bool is_body = row.operation.empty() || row.operation == kSpin || row.operation == to_word(Operation::kKernel) || empty;
    const auto operation = is_body ? Operation::kKernel : from_word<Operation>(row.operation);
    if (!operation) refuse("operation", "is " + in_quotes(row.operation) + suggest(row.operation, operations()));
    const auto time = whole_amount(row.time_ns.value_or(0), 1, kMostImportedNs);
    if (!time) refuse("time_ns", "a time must not be negative and at most 1e17 ns");
    for (const std::string_view amount : {"bytes", "flops"}) check_amount(row, amount, refuse);
    if (const Node* type = row.fields.find("core_type"); type && !from_word<CoreType>(type->text))
      refuse("core_type", "is " + in_quotes(type->text) + suggest(type->text, all_words<CoreType>()));
    if (is_body) {
      check_body(row, empty, said, refuse);
    } else {
      row.set("operation", text_node(row.operation));
      row.drop_one_block();
      if (is_transfer(*operation) && !row.has("bytes")) refuse("bytes", "missing; " + said + " '" + row.operation + "' moves bytes");
      if (*operation == Operation::kHost && !row.time_ns) refuse("time_ns", "missing; " + said + " 'host' needs a time");
    }
    const bool states_time = row.time_ns && !(empty && *time == 0) && !is_transfer(*operation);
    if (states_time) row.set("time_ns", number_node(static_cast<double>(*time)));
    ListedTask listed = listed_from(row, refuse);
    listed.task.cost.time = Duration{*time};
    if (is_body && !row.has("kind") && !row.has("samples_ns") && listed.task.kernel == Kernel::kSpin && *time == 0)
      listed.task.kernel = Kernel::kEmpty;
    graph.nodes[graph.add(row.name, listed.task, listed.traits)].states_core_type = row.has("core_type");
  }

  void remark(ImportedGraph& graph) const {
    if (old_kinds_ > 0)
      graph.remarks.push_back(counted(old_kinds_, "row") +
                              " with an operation as 'kind', as tables had it: 'operation' is read so now, and 'kind' beside it is what a "
                              "body is called");
  }

 private:
  static std::vector<std::string_view> operations() {
    std::vector<std::string_view> words{kSpin, kEmptyBody};
    for (const std::string_view word : all_words<Operation>()) words.push_back(word);
    return words;
  }

  /// Files of others may state more than scenarios.
  static void check_amount(const Row& row, std::string_view field, const Refuse& refuse) {
    const Node* const amount = row.fields.find(field);
    if (amount && (amount->kind != Node::Kind::kInteger || amount->integer < 0 || amount->integer > kMostImportedAmount))
      refuse(field, "must be a whole number, 0 to " + std::to_string(kMostImportedAmount));
  }

  static void check_body(Row& row, bool empty, const std::string& said, const Refuse& refuse) {
    const bool plain = !row.has("kind") && !row.has("kernel");
    if (row.has("bytes") && plain) refuse("bytes", "goes with copies and memset, or a body's 'kind' or 'kernel', not with a body alone");
    if (empty && row.time_ns.value_or(0) > 0) refuse("time_ns", "does not go with " + said + " 'empty'");
    if (empty && row.has("kernel")) refuse("kernel", "does not go with " + said + " 'empty'");
    if (empty) row.set("kernel", text_node(std::string(to_word(Kernel::kEmpty))));
    if (!empty && plain && !row.time_ns && !row.has("samples_ns"))
      refuse("time_ns", "missing; a body needs a time (time_ns, time_us, time_ms or time_s), or " + said + " 'empty'");
  }

  /// The task that scenarios make of these fields; what they refuse is refused at the column.
  static ListedTask listed_from(const Row& row, const Refuse& refuse) {
    try {
      for (std::size_t i = 0; i < row.fields.keys.size(); ++i) {
        const std::string& field = row.fields.keys[i].text;
        if (field != "time_ns" && field != "bytes" && field != "flops" && field != "operation")
          check_tabled_field(field, row.fields.items[i], "");
      }
      return tabled_task(row.fields, "");
    } catch (const InputError& error) {
      const std::string what = error.what();  // ".field: why", of several the first
      const std::size_t end = what.find_first_of(":[.", 1);
      const std::size_t why = what.find(": ");
      if (what.empty() || what.front() != '.' || end == std::string::npos || why == std::string::npos) throw;
      refuse(what.substr(1, end - 1), what.substr(why + 2, what.find('\n') - why - 2));
      throw;
    }
  }

  bool states_operation_ = false;
  std::size_t old_kinds_ = 0;
};

/// Joins rows by the names of their predecessors, once all names are known.
class Joins {
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
      refuse("no task is called " + in_quotes(name));
      return 0;
    }
    return found->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> by_name_;
};

class CsvReader {
 public:
  CsvReader(const std::string& file, std::string_view text) : file_(file), records_(file, text) {}

  ImportedGraph read() {
    graph_.sources = {"predecessors"};
    read_header();
    rows_.begin(std::ranges::find(header_, "operation", &CsvField::text) != header_.end());
    while (records_.more()) {
      const std::vector<CsvField> fields = records_.next();
      if (fields.size() == 1 && fields.front().text.empty()) continue;
      if (fields.size() != header_.size()) {
        refuse(fields.front(), "the row has " + counted(fields.size(), "field") + "; the header has " + std::to_string(header_.size()));
      }
      read_row(fields);
    }
    for (const auto& [column, names] : unread_names_) {
      if (names.are_order(graph_.nodes.size(), [this](const std::string& name) { return joins_.find(name); }))
        refuse(header_[column], "the column " + in_quotes(header_[column].text) + " names tasks of the table, and " + kAskOrder);
    }
    for (const auto& [field, task] : waits_) add_edges(field, task);
    rows_.remark(graph_);
    return std::move(graph_);
  }

 private:
  [[noreturn]] void refuse(const CsvField& at, const std::string& why) const { throw InputError({file_, at.line, at.column}, why); }

  void read_header() {
    header_ = records_.next();
    for (const CsvField& field : header_) {
      if (!is_known(field.text)) unread_ += (unread_.empty() ? "" : ", ") + in_quotes(field.text);
      if (is_known(field.text) && std::ranges::count(header_, field.text, &CsvField::text) > 1)
        refuse(field, "the column " + in_quotes(field.text) + " stands twice");
    }
    if (std::ranges::none_of(header_, is_order, &CsvField::text)) {
      const auto meant =
          std::ranges::find_if(header_, [](const CsvField& field) { return !is_known(field.text) && may_be_order(field.text); });
      if (meant != header_.end()) refuse(*meant, "the column " + in_quotes(meant->text) + " " + kAskOrder);
      for (std::size_t i = 0; i < header_.size(); ++i) {
        if (!is_known(header_[i].text)) unread_names_[i];
      }
    }
    if (std::ranges::count_if(header_, is_order, &CsvField::text) > 1)
      refuse(header_.front(), "the header has both 'predecessors' and 'after', which mean the same");
    if (!unread_.empty()) graph_.remarks.push_back("columns that are not read: " + unread_);
    if (std::ranges::find(header_, "name", &CsvField::text) == header_.end()) refuse(header_.front(), "the header has no column 'name'");
    if (std::ranges::count_if(header_, [](const CsvField& field) { return ns_of_column(field.text).has_value(); }) > 1)
      refuse(header_.front(), "the header has several columns of time; one of time_ns, time_us, time_ms and time_s is right");
  }

  double number(const CsvField& field) const {
    const auto value = decimal(field.text);
    if (!value) refuse(field, "is " + in_quotes(field.text) + "; must be a number");
    return *value;
  }

  void read_row(const std::vector<CsvField>& fields) {
    Row row;
    const auto position = static_cast<std::uint32_t>(graph_.nodes.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string& column = header_[i].text;
      const CsvField& field = fields[i];
      if (column == "name") {
        row.name = field.text;
        joins_.row_called(field.text, position, [&](const std::string& why) { refuse(field, why); });
      }
      if (field.text.empty()) continue;
      if (const auto names = unread_names_.find(i); names != unread_names_.end())
        names->second.add(position, parts_of(field.text, kBetweenNames));
      if (is_order(column)) waits_.emplace_back(field, position);
      if (column == "operation") row.operation = field.text;
      if (const auto unit = ns_of_column(column)) {
        row.time_ns = number(field) * *unit;
      } else if (column == "kind") {
        rows_.take_kind(row, field.text, [&](std::string_view, const std::string& why) { refuse(field, "kind: " + why); });
      } else if (const TaskField* known = field_of(column)) {
        row.set(column, value_of(*known, field));
      }
    }
    rows_.add(graph_, row, [&](std::string_view column, const std::string& why) {
      auto found = std::ranges::find(header_, column, &CsvField::text);
      if (found == header_.end() && column == "time_ns")
        found = std::ranges::find_if(header_, [](const CsvField& field) { return ns_of_column(field.text).has_value(); });
      if (found == header_.end() && column == "operation") found = std::ranges::find(header_, "kind", &CsvField::text);
      const auto i = static_cast<std::size_t>(found == header_.end() ? 0 : found - header_.begin());
      const bool absent = found == header_.end();
      refuse(fields[i], (absent ? std::string(column) : found->text) + ": " + why +
                            (absent && !unread_.empty() ? "; columns that are not read: " + unread_ : ""));
    });
  }

  /// A cell as the field's schema has it; a list has ';' between its items.
  Node value_of(const TaskField& known, const CsvField& cell) const {
    const auto type = known.schema.find("type");
    const auto may_be = [&](const char* word) {
      return type != known.schema.end() && (*type == word || (type->is_array() && std::ranges::find(*type, word) != type->end()));
    };
    if (may_be("boolean")) return typed_scalar(cell.text);
    if (may_be("string") || known.schema.contains("enum")) return text_node(cell.text);
    if (!may_be("array") || (may_be("integer") && cell.text.find(';') == std::string::npos)) return number_node(number(cell));
    Node list = node_of_kind(Node::Kind::kList);
    for (std::size_t at = 0; at <= cell.text.size();) {
      const std::size_t end = std::min(cell.text.find(';', at), cell.text.size());
      CsvField item = cell;
      item.text = cell.text.substr(at, end - at);
      list.items.push_back(number_node(number(item)));
      at = end + 1;
    }
    return list;
  }

  void add_edges(const CsvField& field, std::uint32_t task) {
    for (std::size_t at = 0; at <= field.text.size();) {
      const std::size_t end = std::min(field.text.find(';', at), field.text.size());
      std::string name = field.text.substr(at, end - at);
      const std::size_t first = name.find_first_not_of(' ');
      name = first == std::string::npos ? "" : name.substr(first, name.find_last_not_of(' ') - first + 1);
      at = end + 1;
      if (name.empty()) continue;
      const std::uint32_t from = joins_.find(name, [&](const std::string& why) {
        refuse(field, "predecessors: " + why + (name.find(',') == std::string::npos ? "" : "; ';' stands between names"));
      });
      graph_.edges.push_back({from, task, 0, field.line});
    }
  }

  const std::string& file_;
  CsvRecords records_;
  std::vector<CsvField> header_;
  std::string unread_;                               ///< names of columns
  std::map<std::size_t, UnreadNames> unread_names_;  ///< by column, where none says the order
  ImportedGraph graph_;
  Joins joins_;
  Rows rows_;
  std::vector<std::pair<CsvField, std::uint32_t>> waits_;
};

class JsonReader {
 public:
  ImportedGraph read(const JsonPlace& root) {
    graph_.sources = {"predecessors"};
    const JsonPlace tasks = root.value().is_array() ? root : root.at("tasks").list();
    bool states_operation = false;
    bool states_order = false;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      states_operation = states_operation || tasks[i].object().find("operation");
      states_order = states_order || tasks[i].find("predecessors") || tasks[i].find("after");
    }
    rows_.begin(states_operation);
    for (std::size_t i = 0; i < tasks.size(); ++i) read_task(tasks[i], states_order);
    for (const auto& [key, names] : unread_names_) {
      if (!states_order && names.are_order(tasks.size(), [this](const std::string& name) { return joins_.find(name); }))
        first_with(tasks, key).refuse("names tasks of the table, and " + std::string(kAskOrder));
    }
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      auto before = tasks[i].find("predecessors");
      if (before && tasks[i].find("after")) before->refuse("stands beside 'after', which means the same");
      if (!before) before = tasks[i].find("after");
      if (!before) continue;
      for (std::size_t j = 0; j < before->list().size(); ++j) {
        const JsonPlace name = (*before)[j];
        const std::uint32_t from = joins_.find(name.text(), [&](const std::string& why) { name.refuse(why); });
        graph_.edges.push_back({from, static_cast<std::uint32_t>(i)});
      }
    }
    for (const auto& [key, count] : unread_)
      graph_.remarks.push_back("key " + in_quotes(key) + " of " + counted(count, "task") + " is not read");
    rows_.remark(graph_);
    return std::move(graph_);
  }

 private:
  static Node node_of(const JsonPlace& place) {
    const JsonValue& value = place.value();
    if (value.is_number()) return number_node(value.get<double>());
    if (value.is_string()) return text_node(place.text());
    Node node;
    if (value.is_boolean()) {
      node.kind = Node::Kind::kBool;
      node.boolean = value.get<bool>();
    } else if (value.is_array()) {
      node.kind = Node::Kind::kList;
      for (std::size_t i = 0; i < place.size(); ++i) node.items.push_back(node_of(place[i]));
    } else if (value.is_object()) {
      node.kind = Node::Kind::kMap;
      for (const auto& [key, item] : value.items()) {
        node.keys.push_back({key});
        node.items.push_back(node_of(place.at(key)));
      }
    }
    return node;
  }

  /// Of a key that is not read: a list of names, or one.
  void take_names(const std::string& key, const JsonPlace& at) {
    const JsonValue& value = at.value();
    UnreadNames& names = unread_names_[key];
    if (at.is_null() || (value.is_array() && value.empty()) || (value.is_string() && at.text().empty())) return;
    const auto row = static_cast<std::uint32_t>(graph_.nodes.size());
    if (value.is_string()) return names.add(row, parts_of(at.text(), kBetweenNames));
    std::vector<std::string> list;
    for (std::size_t i = 0; value.is_array() && i < at.size(); ++i) {
      if (!at[i].value().is_string()) return names.add(row, {});
      list.push_back(at[i].text());
    }
    names.add(row, std::move(list));
  }

  static JsonPlace first_with(const JsonPlace& tasks, const std::string& key) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (const auto at = tasks[i].find(key)) return *at;
    }
    return tasks;
  }

  void read_task(const JsonPlace& place, bool states_order) {
    Row row;
    int times = 0;
    for (const auto& [key, value] : place.value().items()) {
      const JsonPlace at = place.at(key);
      if (!is_known(key) && !states_order && may_be_order(key)) at.refuse(kAskOrder);
      if (!is_known(key)) ++unread_[key];
      if (!is_known(key) && !states_order) take_names(key, at);
      if (key == "operation") row.operation = at.text();
      if (const auto unit = ns_of_column(key)) {
        row.time_ns = at.number() * *unit;
        if (++times > 1) at.refuse("the task has several times; one of time_ns, time_us, time_ms and time_s is right");
      } else if (key == "kind") {
        rows_.take_kind(row, at.text(), [&at](std::string_view, const std::string& why) { at.refuse(why); });
      } else if (field_of(key)) {
        row.set(key, node_of(at));
      }
    }
    const JsonPlace name = place.at("name");
    row.name = name.text();
    joins_.row_called(row.name, static_cast<std::uint32_t>(graph_.nodes.size()), [&](const std::string& why) { name.refuse(why); });
    rows_.add(graph_, row, [&](std::string_view column, const std::string& why) {
      place.find(column).value_or(place).refuse((place.find(column) ? "" : std::string(column) + ": ") + why);
    });
  }

  ImportedGraph graph_;
  Joins joins_;
  Rows rows_;
  std::map<std::string, std::size_t> unread_;
  std::map<std::string, UnreadNames> unread_names_;
};

/// A table of tasks, a row each, as a spreadsheet or a script writes it. Columns, in any order:
///   name          unique
///   time_ns, time_us, time_ms or time_s   how long its body takes; one of them, or none where every row has bytes
///   operation     an operation of scenarios, or spin (the default) and empty for bodies; copies and memsets move `bytes`, in that time
///                 where there is one, else in what the machine's links take
///   predecessors  or after: names of the tasks it waits for, separated by ';'
///   any other field of a task in scenarios that names no other task and no buffer; lists with ';' between their items
/// Columns of other names are not read, which a remark says; one that may be meant to be 'predecessors', by its name or as its cells name
/// other tasks, is refused. In a table without
/// 'operation', `kind` may say the operation. Throws InputError with line and column for all that a task may not be.
ImportedGraph read_csv_table(const std::string& file, std::string_view text) { return CsvReader(file, text).read(); }

/// The same as JSON: a list of objects with these keys, or an object with such a list under "tasks"; `predecessors` is a list of names.
ImportedGraph read_json_table(const JsonPlace& root) { return JsonReader().read(root); }

/// Beside 'name', one of these is in a table of tasks.
constexpr std::array<std::string_view, 5> kTells{"predecessors", "time_ns", "time_us", "time_ms", "time_s"};

bool is_csv(const FileHead& head) {
  try {
    const std::string file;
    const std::string_view line = head.text.substr(0, head.text.find('\n') + 1);
    const std::vector<CsvField> header = CsvRecords(file, line).next();
    const auto has = [&header](const auto& wanted) { return std::ranges::any_of(header, wanted, &CsvField::text); };
    return header.size() > 1 && has([](const std::string& name) { return name == "name"; }) &&
           has([](const std::string& name) { return std::ranges::find(kTells, name) != kTells.end(); });
  } catch (const InputError&) {
    return false;
  }
}

bool is_json(const FileHead& head) {
  const auto has = [&head](std::string_view key) { return is_json_with(head, {key}); };
  return has("name") && std::ranges::any_of(kTells, has) && !has("scenario") && !has("traceEvents");
}

Imported import_csv(const std::string& path, const ImportOptions& options) {
  return imported(path, read_csv_table(path, read_unpacked(path)), options);
}

Imported import_json(const std::string& path, const ImportOptions& options) {
  const JsonValue json = read_packed_json(path);
  return imported(path, read_json_table(JsonPlace(path, json)), options);
}

constexpr std::array<std::string_view, 2> kTableOptions{"drop_edges", "core_type"};

}  // namespace

Importer csv_importer() { return {"csv", "a table of tasks: name, operation, time_us, predecessors", is_csv, import_csv, kTableOptions}; }
Importer json_importer() {
  return {"json", "a list of tasks as JSON: name, operation, time_us, predecessors", is_json, import_json, kTableOptions};
}

}  // namespace tasktwin::scenarios
