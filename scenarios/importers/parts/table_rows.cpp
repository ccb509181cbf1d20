#include "scenarios/importers/parts/table_rows.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "scenarios/document/scalar.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/parts/time_units.hpp"
#include "scenarios/tasks/listed_tasks.hpp"

namespace tasktwin::scenarios {

namespace {

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

/// And what they call the tasks that come after.
constexpr std::array<std::string_view, 9> kLikeSuccessors{"successors", "successor", "succ",       "succs",     "children",
                                                          "child",      "next",      "dependents", "downstream"};

/// What others begin the name of a time with, in small letters alone.
constexpr std::array<std::string_view, 6> kLikeTime{"dur", "runtime", "elapsed", "exectime", "executiontime", "time"};

std::string small_letters(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (std::isalpha(static_cast<unsigned char>(c))) letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return letters;
}

std::vector<std::string_view> operations() {
  std::vector<std::string_view> words{kSpin, kEmptyBody};
  for (const std::string_view word : all_words<Operation>()) words.push_back(word);
  return words;
}

/// Files of others may state more than scenarios.
void check_amount(const TableRow& row, std::string_view field, const RefuseColumn& refuse) {
  const Node* const amount = row.fields.find(field);
  if (amount && (amount->kind != Node::Kind::kInteger || amount->integer < 0 || amount->integer > kMostImportedAmount))
    refuse(field, "must be a whole number, 0 to " + std::to_string(kMostImportedAmount));
}

void check_body(TableRow& row, bool empty, const std::string& said, const RefuseColumn& refuse) {
  const bool plain = !row.has("kind") && !row.has("kernel");
  if (row.has("bytes") && plain) refuse("bytes", "goes with copies and memset, or a body's 'kind' or 'kernel', not with a body alone");
  if (empty && row.time_ns.value_or(0) > 0) refuse("time_ns", "does not go with " + said + " 'empty'");
  if (empty && row.has("kernel")) refuse("kernel", "does not go with " + said + " 'empty'");
  if (empty) row.set("kernel", text_node(std::string(to_word(Kernel::kEmpty))));
  if (!empty && plain && !row.time_ns && !row.has("samples_ns"))
    refuse("time_ns", "missing; a body needs a time (time_ns, time_us, time_ms or time_s), or " + said + " 'empty'");
}

/// The task that scenarios make of these fields; what they refuse is refused at the column.
ListedTask listed_from(const TableRow& row, const RefuseColumn& refuse) {
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

}  // namespace

const TaskField* table_field(std::string_view column) {
  if (column == "name" || column == "operation") return nullptr;
  const auto found = std::ranges::find(task_fields(), column, &TaskField::name);
  return found == task_fields().end() || found->read == nullptr ? nullptr : &*found;
}

bool is_order_column(std::string_view column) { return column == "predecessors" || column == "after"; }

bool is_table_column(std::string_view column) {
  return ns_of_column(column) || column == "name" || column == "operation" || is_order_column(column) || table_field(column);
}

bool may_be_order(std::string_view column) {
  const std::string letters = small_letters(column);
  constexpr std::array<std::string_view, 1> kRight{"predecessors"};
  return std::ranges::find(kLikePredecessors, letters) != kLikePredecessors.end() ||
         std::ranges::find(kLikeSuccessors, letters) != kLikeSuccessors.end() || nearest_word(letters, kRight).has_value();
}

std::string column_name(std::string_view written) {
  const std::vector<std::string> words = parts_of(written, "");
  if (words.empty() || is_table_column(words.front())) return words.empty() ? "" : words.front();
  std::string small = words.front();
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return is_table_column(small) ? small : words.front();
}

std::optional<std::string_view> meant_column(std::string_view column, const std::function<bool(std::string_view)>& has) {
  if (may_be_order(column)) return std::nullopt;
  const std::string small = small_letters(column);
  const auto time_of = [&](std::string_view word) { return small.starts_with(word); };
  if (std::ranges::any_of(kLikeTime, time_of) &&
      std::ranges::none_of(kTableTells, [&](std::string_view tell) { return ns_of_column(tell) && has(tell); }))
    return small.ends_with("ns") ? "time_ns" : small.ends_with("ms") ? "time_ms" : small.ends_with("us") ? "time_us" : "time_ns";
  constexpr std::size_t kBeginning = 3;  // that both have, as too many words are near
  if (column.size() <= kBeginning) return std::nullopt;
  std::vector<std::string_view> choices{"name", "operation"};
  for (const TaskField& field : task_fields()) {
    if (is_table_column(field.name)) choices.push_back(field.name);
  }
  std::erase_if(choices, [&](std::string_view choice) { return has(choice) || !choice.starts_with(column.substr(0, kBeginning)); });
  return nearest_word(column, choices);
}

std::string meant_in_brackets(std::string_view column, const std::function<bool(std::string_view)>& has) {
  const auto meant = meant_column(column, has);
  return meant ? " (did you mean " + in_quotes(std::string(*meant)) + "?)" : "";
}

std::string ask_order(std::string_view column) {
  if (std::ranges::find(kLikeSuccessors, small_letters(column)) == kLikeSuccessors.end()) return kAskOrder;
  return "is not read, and seems to say what comes after a task; a table says what a task waits for, as 'predecessors'";
}

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

std::string TableNames::near(const std::string& name) const {
  constexpr std::size_t kMost = 1000;
  constexpr std::size_t kShort = 2;  // of which any other is near
  if (by_name_.size() > kMost || name.size() <= kShort || name.find_first_of(", |") != std::string::npos) return "";
  std::vector<std::string_view> names;
  for (const auto& [one, position] : by_name_) names.push_back(one);
  std::ranges::sort(names);
  const auto meant = nearest_word(name, names);
  return meant ? "; did you mean " + in_quotes(std::string(*meant)) + "?" : "";
}

Node node_of_kind(Node::Kind kind) {
  Node node;
  node.kind = kind;
  return node;
}

void TableRow::set(std::string_view field, Node value) {
  fields.keys.push_back({std::string(field)});
  fields.items.push_back(std::move(value));
}

void TableRow::drop_one_block() {
  const Node* const blocks = fields.find("blocks");
  if (!blocks || blocks->kind != Node::Kind::kInteger || blocks->integer != 1) return;
  const auto place = blocks - fields.items.data();
  fields.keys.erase(fields.keys.begin() + place);
  fields.items.erase(fields.items.begin() + place);
}

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

void TableRows::take_kind(TableRow& row, const std::string& kind, const RefuseColumn& refuse) {
  const bool is_operation = std::ranges::find(kOldKinds, kind) != kOldKinds.end();
  if (states_operation_ || (!is_operation && !nearest_word(kind, kOldKinds))) return row.set("kind", text_node(kind));
  if (!is_operation)
    refuse("kind", "is " + in_quotes(kind) + suggest(kind, kOldKinds) + "; beside a column 'operation', 'kind' is what a body is called");
  row.operation = kind;
  ++old_kinds_;
}

void TableRows::add(ImportedGraph& graph, TableRow& row, const RefuseColumn& refuse) const {
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
  if (is_body && !row.has("kind") && !row.has("kernel") && !row.has("samples_ns") && listed.task.kernel == Kernel::kSpin && *time == 0)
    listed.task.kernel = Kernel::kEmpty;
  graph.nodes[graph.add(row.name, listed.task, listed.traits)].states_core_type = row.has("core_type");
}

void TableRows::remark(ImportedGraph& graph) const {
  if (old_kinds_ > 0)
    graph.remarks.push_back(counted(old_kinds_, "row") +
                            " with an operation as 'kind', as tables had it: 'operation' is read so now, and 'kind' beside it is what a "
                            "body is called");
}

}  // namespace tasktwin::scenarios
