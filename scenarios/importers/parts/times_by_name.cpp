#include "scenarios/importers/parts/times_by_name.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "models/base/name_pattern.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/importers/parts/table_rows.hpp"
#include "scenarios/importers/parts/time_units.hpp"

namespace tasktwin::scenarios {

namespace {

struct Row {
  CsvField name;
  Duration time{};
  std::size_t tasks = 0;
};

[[noreturn]] void refuse(const std::string& path, const CsvField& at, const std::string& why) {
  throw InputError({path, at.line, at.column}, why);
}

std::vector<Row> read_rows(const std::string& path, const std::string& text) {
  CsvRecords records(path, text);
  std::vector<CsvField> header = records.next();
  for (CsvField& field : header) field.text = column_name(field.text);
  for (const CsvField& field : header) {
    if (&*std::ranges::find(header, field.text, &CsvField::text) != &field)
      refuse(path, field, "the column " + in_quotes(field.text) + " stands twice");
  }
  if (std::ranges::count_if(header, [](const CsvField& field) { return ns_of_column(field.text).has_value(); }) > 1)
    refuse(path, header.front(), std::string(kSeveralTimes));
  const auto name = std::ranges::find(header, "name", &CsvField::text) - header.begin();
  const auto time =
      std::ranges::find_if(header, [](const CsvField& field) { return ns_of_column(field.text).has_value(); }) - header.begin();
  const auto columns = static_cast<std::ptrdiff_t>(header.size());
  if (name == columns || time == columns)
    refuse(path, header.front(), "a table of times has a column 'name' and one of time_ns, time_us, time_ms and time_s");
  std::vector<Row> rows;
  while (records.more()) {
    const std::vector<CsvField> fields = records.next();
    if (fields.size() == 1 && fields.front().text.empty()) continue;
    if (fields.size() != header.size())
      refuse(path, fields.front(), "the row has " + counted(fields.size(), "field") + "; the header has " + std::to_string(header.size()));
    const CsvField& value = fields[static_cast<std::size_t>(time)];
    const auto number = decimal(value.text);
    const auto ns =
        number ? whole_amount(*number, *ns_of_column(header[static_cast<std::size_t>(time)].text), kMostImportedNs) : std::nullopt;
    if (!ns) refuse(path, value, "is " + in_quotes(value.text) + "; must be a time, not negative and at most 1e17 ns");
    rows.push_back({fields[static_cast<std::size_t>(name)], Duration{*ns}});
  }
  return rows;
}

}  // namespace

void take_times(ImportedGraph& graph, const std::string& path) {
  const std::string text = read_unpacked(path);
  std::vector<Row> rows = read_rows(path, text);
  std::size_t without = 0;
  std::unordered_map<std::string_view, std::size_t> by_name;
  std::vector<std::size_t> patterns;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name.text.find_first_of("*?") != std::string::npos)
      patterns.push_back(i);
    else if (!by_name.emplace(rows[i].name.text, i).second)
      refuse(path, rows[i].name, "the name " + in_quotes(rows[i].name.text) + " stands twice");
  }
  for (ImportedGraph::Node& node : graph.nodes) {
    const auto named = by_name.find(node.name);
    const auto pattern = std::ranges::find_if(patterns, [&](std::size_t i) { return is_called(rows[i].name.text, node.name); });
    const auto row = named != by_name.end()      ? rows.begin() + static_cast<std::ptrdiff_t>(named->second)
                     : pattern != patterns.end() ? rows.begin() + static_cast<std::ptrdiff_t>(*pattern)
                                                 : rows.end();
    if (row == rows.end()) {
      ++without;
      continue;
    }
    ++row->tasks;
    if (node.task.operation != Operation::kKernel) continue;
    node.task.cost = {.time = row->time};
    node.task.kernel = row->time > Duration{} ? Kernel::kSpin : Kernel::kEmpty;
  }
  for (const Row& row : rows) {
    if (row.tasks == 0) refuse(path, row.name, "no task, and none that a row before does not mean, goes by " + in_quotes(row.name.text));
  }
  graph.untimed.clear();
  if (without > 0) graph.remarks.push_back(counted(without, "task") + " that no row of " + path + " means");
}

}  // namespace tasktwin::scenarios
