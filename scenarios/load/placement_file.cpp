#include "scenarios/load/placement_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "models/graph/events.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/csv_records.hpp"
#include "scenarios/load/timeline_file.hpp"

namespace tasktwin::scenarios {

namespace {

/// More cores than any machine file may state.
constexpr std::size_t kMostCores = 3'000'000;

/// Where the columns are.
struct Columns {
  std::size_t count = 0;
  std::size_t task = 0;
  std::size_t core = 0;
  std::optional<std::size_t> order = {};
};

/// A task's row.
struct Placed {
  TaskId task;
  std::size_t core = 0;
  double order = 0;
  int line = 0;
};

[[noreturn]] void refuse(const std::string& file, const CsvField& at, const std::string& why) {
  throw InputError({file, at.line, at.column}, why);
}

bool is_placement(std::string_view text) {
  std::vector<CsvField> head;
  const std::string none;
  try {
    head = CsvRecords(none, text).next();
  } catch (const InputError&) {
    return false;
  }
  const auto has = [&head](std::string_view name) { return std::ranges::find(head, name, &CsvField::text) != head.end(); };
  return has("task") && has("core") && !has("ready_ns");
}

Columns columns_of(const std::string& file, const std::vector<CsvField>& head) {
  constexpr std::array<std::string_view, 5> kKnown{"task", "core", "order", "started_ns", "started"};
  Columns columns{.count = head.size()};
  std::map<std::string_view, std::size_t> known;
  for (std::size_t i = 0; i < head.size(); ++i) {
    if (std::ranges::find(kKnown, head[i].text) == kKnown.end())
      refuse(file, head[i], "unknown column " + in_quotes(head[i].text) + suggest(head[i].text, kKnown));
    if (!known.emplace(head[i].text, i).second) refuse(file, head[i], "column " + in_quotes(head[i].text) + " stands twice");
  }
  columns.task = known.at("task");
  columns.core = known.at("core");
  for (const std::string_view name : {"order", "started_ns", "started"}) {
    if (!known.contains(name)) continue;
    if (columns.order) refuse(file, head[known.at(name)], "one of 'order' and 'started_ns' says the order; leave one out");
    columns.order = known.at(name);
  }
  return columns;
}

template <class Number>
std::optional<Number> number_in(const std::string& text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// By its name where all are called so, else by its number, or its name where that is no number.
TaskId task_in(const std::string& file, const CsvField& field, const TaskGraph& graph, const std::map<std::string_view, TaskId>& names,
               bool by_name) {
  const auto named = names.find(field.text);
  if (by_name) return named->second;
  if (const auto number = number_in<std::size_t>(field.text); number && *number < graph.size()) {
    if (named != names.end() && named->second != task_id(*number))
      refuse(file, field,
             "task: is " + in_quotes(field.text) + ", the name of task " + std::to_string(index(named->second)) +
                 " and the number of another; use the names of all tasks");
    return task_id(*number);
  }
  if (named != names.end()) return named->second;
  std::vector<std::string_view> known;
  for (const auto& [name, task] : names) known.push_back(name);
  refuse(file, field,
         "task: is " + in_quotes(field.text) + "; must be a task's number, 0 to " + std::to_string(graph.size() - 1) + ", or its name" +
             suggest(field.text, known));
}

std::vector<Placed> rows_of(const std::string& file, std::string_view text, const TaskGraph& graph) {
  CsvRecords records(file, text);
  const Columns columns = columns_of(file, records.next());
  std::map<std::string_view, TaskId> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.emplace(graph.name(task_id(i)), task_id(i));
  std::vector<std::vector<CsvField>> lines;
  while (records.more()) lines.push_back(records.next());
  const bool by_name = std::ranges::all_of(
      lines, [&](const std::vector<CsvField>& row) { return row.size() == columns.count && names.contains(row[columns.task].text); });
  std::vector<bool> read(graph.size());
  std::vector<Placed> rows;
  for (const std::vector<CsvField>& row : lines) {
    if (row.size() != columns.count)
      refuse(
          file, row.front(),
          "the row has " + std::to_string(row.size()) + " fields; it must have " + std::to_string(columns.count) + ", as the first line");
    Placed placed{.task = task_in(file, row[columns.task], graph, names, by_name), .line = row.front().line};
    if (read[index(placed.task)])
      refuse(file, row[columns.task], "task: is " + in_quotes(row[columns.task].text) + ", which has a row already");
    read[index(placed.task)] = true;
    const auto core = number_in<std::size_t>(row[columns.core].text);
    if (!core || *core >= kMostCores)
      refuse(file, row[columns.core], "core: is " + in_quotes(row[columns.core].text) + "; must be a core's number, from 0");
    placed.core = *core;
    placed.order = static_cast<double>(rows.size());
    if (columns.order) {
      const auto order = number_in<double>(row[*columns.order].text);
      if (!order || !std::isfinite(*order))
        refuse(file, row[*columns.order],
               "is " + in_quotes(row[*columns.order].text) + "; must be a number that the tasks of a core ascend by");
      placed.order = *order;
    }
    rows.push_back(placed);
  }
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (is_event(graph[task_id(i)])) read[i] = true;  // which no core runs
  }
  if (const auto missing = std::ranges::find(read, false); missing != read.end()) {
    const auto task = static_cast<std::size_t>(missing - read.begin());
    const auto more = std::ranges::count(read, false) - 1;
    throw InputError({file}, "task " + std::to_string(task) + " (" + in_quotes(graph.name(task_id(task))) + ") has no row" +
                                 (more > 0 ? ", nor have " + std::to_string(more) + " more" : "") + "; each task must have one");
  }
  return rows;
}

/// By TaskId, positions in an order that the dependencies and the order on each core allow.
std::vector<std::int64_t> positions(const std::string& file, const TaskGraph& graph, const std::vector<Placed>& rows) {
  std::vector<std::optional<TaskId>> next(graph.size());  // on its core
  std::vector<std::size_t> missing(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) missing[i] = graph.predecessors(task_id(i)).size();
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (rows[i].core != rows[i - 1].core) continue;
    next[index(rows[i - 1].task)] = rows[i].task;
    ++missing[index(rows[i].task)];
  }
  std::vector<TaskId> order;
  const auto met = [&](TaskId task) {
    if (--missing[index(task)] == 0) order.push_back(task);
  };
  for (const Placed& row : rows) {
    if (missing[index(row.task)] == 0) order.push_back(row.task);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const TaskId after : graph.successors(order[i])) met(after);
    if (const auto after = next[index(order[i])]) met(*after);
  }
  std::vector<std::int64_t> at(graph.size(), -1);
  for (std::size_t i = 0; i < order.size(); ++i) at[index(order[i])] = static_cast<std::int64_t>(i);
  for (const Placed& row : rows) {
    if (at[index(row.task)] < 0)
      throw InputError({file, row.line, 1}, "task " + in_quotes(graph.name(row.task)) + " can never start: on core " +
                                                std::to_string(row.core) + " or before it a task comes first that waits for one after it");
  }
  return at;
}

}  // namespace

Timeline parse_placement(const std::string& file, std::string_view text, const TaskGraph& graph) {
  if (!is_placement(text)) return parse_timeline_csv(file, text, graph);
  std::vector<Placed> rows = rows_of(file, text, graph);
  std::ranges::stable_sort(rows, {}, [](const Placed& row) { return std::pair(row.core, row.order); });
  const std::vector<std::int64_t> at = positions(file, graph, rows);
  Timeline timeline;
  timeline.tasks.resize(graph.size());
  for (const Placed& row : rows) {
    TaskTimes& times = timeline.tasks[index(row.task)];
    times.started = at_ns(at[index(row.task)]);
    times.core = core_id(row.core);
    if (timeline.cores.size() <= row.core) timeline.cores.resize(row.core + 1);
    timeline.cores[row.core] = graph[row.task].core_type;
  }
  return timeline;
}

Timeline read_placement(const std::string& path, const TaskGraph& graph) { return parse_placement(path, read_text_file(path), graph); }

}  // namespace tasktwin::scenarios
