#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/formats/json_file.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"
#include "scenarios/importers/parts/time_units.hpp"

namespace tasktwin::scenarios {

namespace {

using Refuse = std::function<void(std::string_view column, const std::string& why)>;

constexpr std::array<std::string_view, 7> kOthers{"name", "kind", "core_type", "predecessors", "bytes", "blocks", "stream"};
constexpr std::array<std::string_view, 7> kKinds{"spin", "empty", "host", "copy_h2d", "copy_d2h", "copy_p2p", "memset"};

bool is_known(std::string_view name) {
  return ns_of_column(name) || name == "priority" || std::ranges::find(kOthers, name) != kOthers.end();
}

/// One row, whatever it was written in; numbers stand as they were written.
struct Row {
  std::string name;
  std::string kind;
  std::string core_type;
  std::optional<double> time_ns;
  std::optional<double> bytes;
  double blocks = 1;
  double stream = 0;
  double priority = 0;
};

std::int64_t whole(double value, std::int64_t least, std::int64_t most, std::string_view column, const Refuse& refuse) {
  if (value != std::floor(value) || value < static_cast<double>(least) || value > static_cast<double>(most)) {
    refuse(column, "must be a whole number, " + std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<std::int64_t>(value);
}

void set_operation(const Row& row, Task& task, const Refuse& refuse) {
  if (std::ranges::find(kKinds, row.kind) == kKinds.end()) refuse("kind", "is " + in_quotes(row.kind) + suggest(row.kind, kKinds));
  task.operation = *from_word<Operation>(row.kind);
  task.kernel = Kernel::kEmpty;
  if (is_transfer(task.operation) && !row.bytes) refuse("bytes", "missing; kind '" + row.kind + "' moves bytes");
  if (task.operation == Operation::kHost && !row.time_ns) refuse("time_ns", "missing; kind 'host' needs a time");
}

void add_row(ImportedGraph& graph, const Row& row, const Refuse& refuse) {
  constexpr std::int64_t kMany = 1'000'000;
  constexpr std::int64_t kMostPriority = 2'000'000'000;
  Task task;
  TaskTraits traits;
  if (row.name.empty()) refuse("name", "is empty");
  if (!row.core_type.empty()) {
    const auto type = from_word<CoreType>(row.core_type);
    if (!type) refuse("core_type", "is " + in_quotes(row.core_type) + suggest(row.core_type, all_words<CoreType>()));
    task.core_type = *type;
  }
  if (row.time_ns) {
    const auto time = whole_amount(*row.time_ns, 1, kMostImportedNs);
    if (!time) refuse("time_ns", "a time must not be negative and at most 1e17 ns");
    task.cost.time = Duration{*time};
  }
  if (row.bytes) task.cost.bytes = {whole(*row.bytes, 0, kMostImportedAmount, "bytes", refuse)};
  traits.blocks = static_cast<int>(whole(row.blocks, 1, kMany, "blocks", refuse));
  traits.stream = static_cast<int>(whole(row.stream, 0, kMany, "stream", refuse));
  task.priority = static_cast<std::int32_t>(whole(row.priority, -kMostPriority, kMostPriority, "priority", refuse));
  const bool spins = row.kind.empty() || row.kind == "spin";
  if (!spins && row.kind != "empty") {
    if (!row.core_type.empty()) refuse("core_type", "goes with bodies, not with kind '" + row.kind + "'");
    set_operation(row, task, refuse);
  } else {
    if (row.bytes) refuse("bytes", "goes with copies and memset, not with a body");
    if (spins && !row.time_ns) refuse("time_ns", "missing; a body needs a time (time_ns, time_us, time_ms or time_s), or kind 'empty'");
    if (!spins && row.time_ns.value_or(0) > 0) refuse("time_ns", "does not go with kind 'empty'");
    if (task.cost.time == Duration{}) task.kernel = Kernel::kEmpty;
  }
  graph.nodes[graph.add(row.name, task, traits)].states_core_type = !row.core_type.empty();
}

/// Joins rows by the names of their predecessors, once all names are known.
class Joins {
 public:
  void row_called(const std::string& name, std::uint32_t position, const std::function<void(const std::string&)>& refuse) {
    if (!by_name_.emplace(name, position).second) refuse("is " + in_quotes(name) + ", which a row before it has already");
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
    while (records_.more()) {
      const std::vector<CsvField> fields = records_.next();
      if (fields.size() == 1 && fields.front().text.empty()) continue;
      if (fields.size() != header_.size()) {
        refuse(fields.front(), "the row has " + counted(fields.size(), "field") + "; the header has " + std::to_string(header_.size()));
      }
      read_row(fields);
    }
    for (const auto& [field, task] : waits_) add_edges(field, task);
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
      if (column == "kind") row.kind = field.text;
      if (column == "core_type") row.core_type = field.text;
      if (column == "predecessors") waits_.emplace_back(field, position);
      if (const auto unit = ns_of_column(column)) row.time_ns = number(field) * *unit;
      if (column == "bytes") row.bytes = number(field);
      if (column == "blocks") row.blocks = number(field);
      if (column == "stream") row.stream = number(field);
      if (column == "priority") row.priority = number(field);
    }
    add_row(graph_, row, [&](std::string_view column, const std::string& why) {
      const auto found = std::ranges::find_if(
          header_, [column](const CsvField& field) { return field.text == column || (column == "time_ns" && ns_of_column(field.text)); });
      const auto i = static_cast<std::size_t>(found == header_.end() ? 0 : found - header_.begin());
      const bool absent = found == header_.end();
      refuse(fields[i], (absent ? std::string(column) : found->text) + ": " + why +
                            (absent && !unread_.empty() ? "; columns that are not read: " + unread_ : ""));
    });
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
  std::string unread_;  ///< names of columns
  ImportedGraph graph_;
  Joins joins_;
  std::vector<std::pair<CsvField, std::uint32_t>> waits_;
};

class JsonReader {
 public:
  ImportedGraph read(const JsonPlace& root) {
    graph_.sources = {"predecessors"};
    const JsonPlace tasks = root.value().is_array() ? root : root.at("tasks").list();
    for (std::size_t i = 0; i < tasks.size(); ++i) read_task(tasks[i].object());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      const auto before = tasks[i].find("predecessors");
      if (!before) continue;
      for (std::size_t j = 0; j < before->list().size(); ++j) {
        const JsonPlace name = (*before)[j];
        const std::uint32_t from = joins_.find(name.text(), [&](const std::string& why) { name.refuse(why); });
        graph_.edges.push_back({from, static_cast<std::uint32_t>(i)});
      }
    }
    for (const auto& [key, count] : unread_)
      graph_.remarks.push_back("key " + in_quotes(key) + " of " + counted(count, "task") + " is not read");
    return std::move(graph_);
  }

 private:
  static double number(const JsonPlace& place) {
    if (!place.value().is_number()) place.refuse(std::string("must be a number, not ") + place.value().type_name());
    return place.value().get<double>();
  }

  void read_task(const JsonPlace& place) {
    Row row;
    int times = 0;
    for (const auto& [key, value] : place.value().items()) {
      const JsonPlace at = place.at(key);
      if (!is_known(key)) ++unread_[key];
      if (key == "kind") row.kind = at.text();
      if (key == "core_type") row.core_type = at.text();
      if (const auto unit = ns_of_column(key)) {
        row.time_ns = number(at) * *unit;
        if (++times > 1) at.refuse("the task has several times; one of time_ns, time_us, time_ms and time_s is right");
      }
      if (key == "bytes") row.bytes = number(at);
      if (key == "blocks") row.blocks = number(at);
      if (key == "stream") row.stream = number(at);
      if (key == "priority") row.priority = number(at);
    }
    const JsonPlace name = place.at("name");
    row.name = name.text();
    joins_.row_called(row.name, static_cast<std::uint32_t>(graph_.nodes.size()), [&](const std::string& why) { name.refuse(why); });
    add_row(graph_, row, [&](std::string_view column, const std::string& why) {
      place.find(column).value_or(place).refuse((place.find(column) ? "" : std::string(column) + ": ") + why);
    });
  }

  ImportedGraph graph_;
  Joins joins_;
  std::map<std::string, std::size_t> unread_;
};

/// A table of tasks, a row each, as a spreadsheet or a script writes it. Columns, in any order:
///   name          unique
///   time_ns, time_us, time_ms or time_s   how long its body takes; one of them, or none where every row has bytes
///   kind          spin (the default), empty, host, copy_h2d, copy_d2h, copy_p2p, memset; the last four move `bytes`, in that
///                 time where there is one, else in what the machine's links take
///   predecessors  names of the tasks it waits for, separated by ';'
///   bytes, blocks, stream, priority       as tasks of scenarios have them
/// Columns of other names are not read, which a remark says. Throws InputError with line and column for all that a task may not be.
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

constexpr std::array<std::string_view, 2> kOptions{"drop_edges", "core_type"};

}  // namespace

Importer csv_importer() { return {"csv", "a table of tasks: name, kind, time_us, predecessors", is_csv, import_csv, kOptions}; }
Importer json_importer() { return {"json", "a list of tasks as JSON: name, kind, time_us, predecessors", is_json, import_json, kOptions}; }

}  // namespace tasktwin::scenarios
