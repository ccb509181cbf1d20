#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/document/faults.hpp"
#include "scenarios/document/scalar.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/table_rows.hpp"
#include "scenarios/importers/parts/time_units.hpp"

namespace tasktwin::scenarios {

namespace {

class CsvReader {
 public:
  CsvReader(const std::string& file, std::string_view text) : file_(file), records_(file, text) {}

  ImportedGraph read() {
    graph_.sources = {"predecessors"};
    read_header();
    rows_.begin(std::ranges::find(header_, "operation", &CsvField::text) != header_.end());
    Faults faults;
    while (records_.more() && faults.all().size() < kMostRowFaults) {
      std::vector<CsvField> fields = records_.next();
      for (CsvField& field : fields) field.text = without_blanks(field.text);
      if (fields.size() == 1 && fields.front().text.empty()) continue;
      faults.attempt([&] {
        if (fields.size() != header_.size())
          refuse(fields.front(), "the row has " + counted(fields.size(), "field") + "; the header has " + std::to_string(header_.size()));
        read_row(fields);
      });
    }
    if (!faults.all().empty()) refuse_with_columns(faults);
    for (const auto& [column, names] : unread_names_) {
      if (waits_.empty() && names.are_order(graph_.nodes.size(), [this](const std::string& name) { return joins_.find(name); }))
        refuse(header_[column],
               "the column " + in_quotes(header_[column].text) + " names tasks of the table, and " + ask_order(header_[column].text));
    }
    for (const auto& [field, task] : waits_) {
      if (faults.all().size() < kMostRowFaults) faults.attempt([&] { add_edges(field, task); });
    }
    faults.check();
    rows_.remark(graph_);
    return std::move(graph_);
  }

 private:
  static std::string without_blanks(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
  }

  [[noreturn]] void refuse(const CsvField& at, const std::string& why) const { throw InputError({file_, at.line, at.column}, why); }

  static bool is_like_name(const std::string& column) {
    constexpr std::array<std::string_view, 9> kLikeName{"id", "task", "task_id", "taskid", "node", "node_id", "label", "job", "job_id"};
    std::string small = column;
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return std::ranges::find(kLikeName, small) != kLikeName.end();
  }

  bool has_column(std::string_view column) const { return std::ranges::find(header_, column, &CsvField::text) != header_.end(); }

  /// What is wrong with rows, after columns that may be meant to be others: rows can be wrong for want of these.
  [[noreturn]] void refuse_with_columns(const Faults& rows) const {
    Faults faults;
    for (const CsvField& field : header_) {
      const auto has = [this](std::string_view column) { return has_column(column); };
      if (const auto meant = is_table_column(field.text) ? std::nullopt : meant_column(field.text, has))
        faults.attempt([&] {
          refuse(field, "the column " + in_quotes(field.text) + " is not read; did you mean " + in_quotes(std::string(*meant)) + "?");
        });
    }
    for (const InputError& fault : rows.all()) faults.attempt([&] { throw InputError(fault); });
    throw InputFaults(faults.all());
  }

  void read_header() {
    header_ = records_.next();
    for (CsvField& field : header_) field.text = column_name(field.text);
    Faults faults;
    for (const CsvField& field : header_) {
      if (!is_table_column(field.text))
        unread_ += (unread_.empty() ? "" : ", ") + in_quotes(field.text) +
                   meant_in_brackets(field.text, [this](std::string_view column) { return has_column(column); });
      const bool is_first = &*std::ranges::find(header_, field.text, &CsvField::text) == &field;
      if (is_first && is_table_column(field.text) && std::ranges::count(header_, field.text, &CsvField::text) > 1)
        faults.attempt([&] { refuse(field, "the column " + in_quotes(field.text) + " stands twice"); });
    }
    faults.attempt([&] { look_for_order(); });
    if (!has_column("name")) faults.attempt([&] { refuse_without_name(); });
    if (std::ranges::count_if(header_, [](const CsvField& field) { return ns_of_column(field.text).has_value(); }) > 1)
      faults.attempt([&] { refuse(header_.front(), std::string(kSeveralTimes)); });
    if (!faults.all().empty()) refuse_with_columns(faults);
    if (!unread_.empty()) graph_.remarks.push_back("columns that are not read: " + unread_);
  }

  void look_for_order() {
    if (std::ranges::none_of(header_, is_order_column, &CsvField::text)) {
      const auto meant =
          std::ranges::find_if(header_, [](const CsvField& field) { return !is_table_column(field.text) && may_be_order(field.text); });
      if (meant != header_.end()) refuse(*meant, "the column " + in_quotes(meant->text) + " " + ask_order(meant->text));
    }
    for (std::size_t i = 0; i < header_.size(); ++i) {
      if (!is_table_column(header_[i].text)) unread_names_[i];
    }
    if (std::ranges::count_if(header_, is_order_column, &CsvField::text) > 1)
      refuse(header_.front(), "the header has both 'predecessors' and 'after', which mean the same");
  }

  [[noreturn]] void refuse_without_name() const {
    const auto meant = std::ranges::find_if(header_, is_like_name, &CsvField::text);
    refuse(meant == header_.end() ? header_.front() : *meant,
           "the header has no column 'name'" +
               (meant == header_.end() ? std::string() : "; did you mean it by " + in_quotes(meant->text) + "?"));
  }

  /// Of "4.5 us".
  static std::string unit_hint(const std::string& text) {
    const std::size_t end = text.find_first_not_of("0123456789.eE+-");
    const bool has_unit = end != std::string::npos && end > 0 && decimal(without_blanks(text.substr(0, end)));
    return has_unit ? " without its unit, which the column's name says, as time_us does" : "";
  }

  double number(const CsvField& field) const {
    const auto value = decimal(field.text);
    if (!value) refuse(field, "is " + in_quotes(field.text) + "; must be a number" + unit_hint(field.text));
    return *value;
  }

  void read_row(const std::vector<CsvField>& fields) {
    TableRow row;
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
      if (is_order_column(column)) waits_.emplace_back(field, position);
      if (column == "operation") row.operation = field.text;
      if (const auto unit = ns_of_column(column)) {
        row.time_ns = number(field) * *unit;
      } else if (column == "kind") {
        rows_.take_kind(row, field.text, [&](std::string_view, const std::string& why) { refuse(field, "kind: " + why); });
      } else if (const TaskField* known = table_field(column)) {
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
      const std::string name = without_blanks(field.text.substr(at, end - at));
      at = end + 1;
      if (name.empty()) continue;
      const std::uint32_t from = joins_.find(name, [&](const std::string& why) {
        const auto other = std::ranges::find_if(header_, is_like_name, &CsvField::text);
        refuse(field, "predecessors: " + why + (name.find_first_of(", |") == std::string::npos ? "" : "; ';' stands between names") +
                          (other == header_.end() ? "" : "; tasks are called by their 'name', not by " + in_quotes(other->text)));
      });
      graph_.edges.push_back({from, task, 0, field.line});
    }
  }

  const std::string& file_;
  CsvRecords records_;
  std::vector<CsvField> header_;
  std::string unread_;                               ///< names of columns
  std::map<std::size_t, UnreadNames> unread_names_;  ///< by column; they count where no cell says the order
  ImportedGraph graph_;
  TableNames joins_;
  TableRows rows_;
  std::vector<std::pair<CsvField, std::uint32_t>> waits_;
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

bool is_csv(const FileHead& head) {
  try {
    const std::string file;
    const std::string_view line = head.text.substr(0, head.text.find('\n') + 1);
    const std::vector<CsvField> header = CsvRecords(file, line).next();
    const auto has = [&header](const auto& wanted) {
      return std::ranges::any_of(header, [&wanted](const CsvField& field) { return wanted(column_name(field.text)); });
    };
    return header.size() > 1 && has([](const std::string& name) { return name == "name"; }) &&
           has([](const std::string& name) { return std::ranges::find(kTableTells, name) != kTableTells.end(); });
  } catch (const InputError&) {
    return false;
  }
}

Imported import_csv(const std::string& path, const ImportOptions& options) {
  return imported(path, read_csv_table(path, read_unpacked(path)), options);
}

}  // namespace

Importer csv_importer() { return {"csv", "a table of tasks: name, operation, time_us, predecessors", is_csv, import_csv, kTableOptions}; }

}  // namespace tasktwin::scenarios
