#include "scenarios/load/timeline_file.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "models/base/error.hpp"
#include "models/run/phase_order.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/csv_records.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::string_view kHeader =
    "task,name,kernel,core_type,ready_ns,dispatched_ns,received_ns,started_ns,ended_ns,published_ns,core,dispatcher";
constexpr std::array kColumns{"task",        "name",       "kernel",   "core_type",    "ready_ns", "dispatched_ns",
                              "received_ns", "started_ns", "ended_ns", "published_ns", "core",     "dispatcher"};
constexpr std::size_t kFirstPhase = 4;
constexpr std::array kPhases{&TaskTimes::ready,   &TaskTimes::dispatched, &TaskTimes::received,
                             &TaskTimes::started, &TaskTimes::ended,      &TaskTimes::published};
constexpr std::size_t kCoreColumn = kFirstPhase + kPhases.size();
/// More cores or dispatchers than any machine file may state.
constexpr std::int64_t kMaxNumber = 3'000'000;

/// One row's fields as values.
class Row {
 public:
  Row(const std::string& file, std::vector<CsvField> fields) : file_(file), fields_(std::move(fields)) {
    if (fields_.size() != kColumns.size()) {
      refuse(0, "the row has " + std::to_string(fields_.size()) + " fields; it must have " + std::to_string(kColumns.size()));
    }
  }

  [[noreturn]] void refuse(std::size_t column, const std::string& why) const {
    throw InputError({file_, fields_[column].line, fields_[column].column}, std::string(kColumns.at(column)) + ": " + why);
  }

  const std::string& text(std::size_t column) const { return fields_[column].text; }

  std::optional<std::int64_t> whole(std::size_t column, std::int64_t min, std::int64_t max) const {
    const std::string& field = text(column);
    if (field.empty()) return std::nullopt;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc{} || end != field.data() + field.size() || value < min || value > max)
      refuse(column, "is " + in_quotes(field) + "; must be a whole number, " + std::to_string(min) + " to " + std::to_string(max));
    return value;
  }

 private:
  const std::string& file_;
  std::vector<CsvField> fields_;
};

TaskId task_of(const Row& row, const TaskGraph& graph) {
  if (graph.size() == 0) row.refuse(0, "the scenario has no tasks");
  const auto number = row.whole(0, 0, static_cast<std::int64_t>(graph.size()) - 1);
  if (!number) row.refuse(0, "is empty; must be the task's number");
  const TaskId id = task_id(static_cast<std::size_t>(*number));
  const auto must_be = [&](std::size_t column, std::string_view in_graph) {
    if (row.text(column) == in_graph) return;
    row.refuse(column, "is " + in_quotes(row.text(column)) + ", but of task " + std::to_string(*number) + " of the scenario it is " +
                           in_quotes(in_graph) + "; the timeline is of another graph");
  };
  must_be(1, graph.name(id));
  must_be(2, graph.kernel_name(id));
  must_be(3, to_word(graph[id].core_type));
  return id;
}

}  // namespace

Timeline parse_timeline_csv(const std::string& path, std::string_view text, const TaskGraph& graph) {
  const std::int64_t latest = latest_time_ns(graph.size());
  if (!text.starts_with(kHeader))
    throw InputError({path, 1, 1}, "is no timeline: the first line must be '" + std::string(kHeader) +
                                       "'; placement 'replay' also follows a table of 'task,core'");
  CsvRecords records(path, text);
  records.next();
  Timeline timeline;
  timeline.tasks.resize(graph.size());
  std::vector<bool> read(graph.size());
  while (records.more()) {
    const Row row(path, records.next());
    const TaskId id = task_of(row, graph);
    if (read[index(id)]) row.refuse(0, "is " + std::to_string(index(id)) + ", which has a row already");
    read[index(id)] = true;
    TaskTimes& times = timeline.tasks[index(id)];
    for (std::size_t i = 0; i < kPhases.size(); ++i) {
      if (const auto time = row.whole(kFirstPhase + i, -latest, latest)) times.*kPhases.at(i) = at_ns(*time);
    }
    if (const auto fault = phase_fault(times)) row.refuse(kFirstPhase, *fault);
    if (const auto core = row.whole(kCoreColumn, 0, kMaxNumber)) {
      times.core = core_id(static_cast<std::size_t>(*core));
      if (timeline.cores.size() <= index(times.core)) timeline.cores.resize(index(times.core) + 1);
      timeline.cores[index(times.core)] = graph[id].core_type;
    }
    if (const auto dispatcher = row.whole(kCoreColumn + 1, 0, kMaxNumber)) {
      times.dispatcher = dispatcher_id(static_cast<std::size_t>(*dispatcher));
    }
  }
  return timeline;
}

Timeline read_timeline_csv(const std::string& path, const TaskGraph& graph) {
  return parse_timeline_csv(path, read_text_file(path), graph);
}

}  // namespace tasktwin::scenarios
