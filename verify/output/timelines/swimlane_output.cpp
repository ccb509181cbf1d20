#include "verify/output/timelines/swimlane_output.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/utf8.hpp"
#include "models/explain/occupancy.hpp"
#include "scenarios/swimlane/swimlane_records.hpp"
#include "verify/output/files/atomic_file.hpp"

namespace tasktwin::verify {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::int64_t kClockHz = 1'000'000'000;
/// The origin of a timeline on the clock: 0 means not recorded.
constexpr std::int64_t kOriginCycles = 1'000'000;

/// The earliest time that is written.
std::int64_t earliest_written_ns(const Timeline& timeline) {
  std::int64_t earliest = 0;
  const auto see = [&earliest](TimePoint time) {
    if (is_present(time)) earliest = std::min(earliest, to_ns(time));
  };
  for (const TaskTimes& times : timeline.tasks) {
    for (const TimePoint time : {times.dispatched, times.received, times.started}) see(time);
  }
  for (const BlockTimes& block : timeline.blocks) see(block.started);
  for (const auto& steps : timeline.steps) {
    if (!steps.empty()) see(steps.front().begin);
  }
  return earliest;
}

/// Writes the streams of one run.
class RecordsWriter {
 public:
  RecordsWriter(const Timeline& timeline, std::span<const std::uint64_t> ids)
      : timeline_(timeline), ids_(ids), occupied_(timeline), origin_(kOriginCycles - earliest_written_ns(timeline)) {}

  Json write(const Json& facts) {
    const bool steps = !timeline_.steps.empty();
    const bool dispatched = std::ranges::any_of(timeline_.tasks, [](const TaskTimes& times) { return is_present(times.dispatched); });
    Json records = {{"chip_swimlane_level", steps ? 3 : dispatched ? 2 : 1}, {"metadata", metadata(facts)}};
    Json rows = Json::array();
    Json dispatches = Json::array();
    const bool received = all_received();
    std::vector<std::uint64_t> next(timeline_.cores.size(), 1);
    for (const Occupancy* one : by_core()) {
      const TaskTimes& times = timeline_.tasks[index(one->task)];
      const std::size_t core = index(one->core);
      const std::uint64_t reg = next[core]++;
      Json row = {core, id_of(one->task), reg, cycles(one->started), cycles(std::max(one->started, one->ended))};
      if (received) row.push_back(to_ns(one->started - times.received));
      rows.push_back(std::move(row));
      if (dispatched) dispatches.push_back({core, reg, optional_cycles(times.dispatched), optional_cycles(one->published)});
    }
    records["aicore_tasks"] = std::move(rows);
    records["aicpu_tasks"] = std::move(dispatches);
    if (steps) records["aicpu_scheduler_phases"] = phases();
    return records;
  }

 private:
  std::uint64_t id_of(TaskId task) const { return ids_.empty() ? index(task) : ids_[index(task)]; }
  std::int64_t cycles(TimePoint time) const { return origin_ + to_ns(time); }
  std::int64_t optional_cycles(TimePoint time) const { return is_present(time) ? cycles(time) : 0; }

  Json metadata(const Json& facts) const {
    Json types = Json::array();
    for (const CoreType type : timeline_.cores) types.push_back(to_word(type));
    Json metadata = {{"clock_freq_hz", kClockHz}, {"num_cores", timeline_.cores.size()}, {"core_types", std::move(types)}};
    if (!timeline_.dispatchers.empty()) metadata["core_to_thread"] = threads();
    if (!facts.empty()) metadata["tasktwin"] = facts;
    return metadata;
  }

  /// The control core that handed a core all its tasks, or −1 where there is none.
  std::vector<int> threads() const {
    constexpr int kUnseen = -2;
    std::vector<int> threads(timeline_.cores.size(), kUnseen);
    for (const Occupancy& one : occupied_.all()) {
      const DispatcherId dispatcher = timeline_.tasks[index(one.task)].dispatcher;
      int& thread = threads[index(one.core)];
      const int this_one = dispatcher == kNoDispatcher ? -1 : static_cast<int>(index(dispatcher));
      thread = thread == kUnseen || thread == this_one ? this_one : -1;
    }
    std::ranges::replace(threads, kUnseen, -1);
    return threads;
  }

  /// Where some tasks' is not observed, or a block came before, no row has the column: all must be of one width.
  bool all_received() const {
    return std::ranges::all_of(occupied_.all(), [this](const Occupancy& one) {
      const TimePoint received = timeline_.tasks[index(one.task)].received;
      return is_present(received) && received <= one.started;
    });
  }

  /// As the runtime lists them: core after core, each by start.
  std::vector<const Occupancy*> by_core() const {
    std::vector<const Occupancy*> order;
    for (const Occupancy& one : occupied_.all()) order.push_back(&one);
    std::ranges::stable_sort(order, {}, [this](const Occupancy* one) { return std::pair{index(one->core), one->started}; });
    return order;
  }

  /// The tasks that each control core handed over, by time.
  std::vector<std::vector<TimePoint>> hand_overs() const {
    std::vector<std::vector<TimePoint>> times(timeline_.steps.size());
    for (const TaskTimes& task : timeline_.tasks) {
      if (is_present(task.dispatched) && index(task.dispatcher) < times.size()) times[index(task.dispatcher)].push_back(task.dispatched);
    }
    for (auto& list : times) std::ranges::sort(list);
    return times;
  }

  Json phases() const {
    const auto handed_over = hand_overs();
    Json threads = Json::array();
    for (std::size_t thread = 0; thread < timeline_.steps.size(); ++thread) {
      Json list = Json::array();
      std::int64_t loop = 0;
      for (const Step& step : timeline_.steps[thread]) {
        if (step.kind == StepKind::kPoll) ++loop;
        Json phase = {
            {"kind", to_word(step.kind)}, {"start_cycles", cycles(step.begin)}, {"end_cycles", cycles(step.end)}, {"loop_iter", loop}};
        if (step.kind == StepKind::kDispatch) {
          const auto& times = handed_over[thread];
          phase["tasks_processed"] = std::ranges::upper_bound(times, step.end) - std::ranges::upper_bound(times, step.begin);
        }
        list.push_back(std::move(phase));
      }
      threads.push_back(std::move(list));
    }
    return threads;
  }

  const Timeline& timeline_;
  std::span<const std::uint64_t> ids_;
  OccupancyIndex occupied_;
  std::int64_t origin_;
};

bool printable(std::string_view name) {
  return well_formed(name) == name && std::ranges::none_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

/// kernel_ids [aic, aiv0, aiv1] and block_num of a task, so that block_num × kernels is the number of cores that it occupied.
std::pair<Json, std::int64_t> shape_of(const TaskGraph& graph, TaskId id, const Timeline& timeline, std::span<const Occupancy> parts) {
  const auto kernel = static_cast<int>(graph[id].kernel);
  const auto vector_parts =
      std::ranges::count_if(parts, [&timeline](const Occupancy& part) { return timeline.cores[index(part.core)] == CoreType::kAiv; });
  const auto matrix_parts = static_cast<std::ptrdiff_t>(parts.size()) - vector_parts;
  if (parts.empty()) return {graph[id].core_type == CoreType::kAiv ? Json{-1, kernel, -1} : Json{kernel, -1, -1}, graph.traits(id).blocks};
  if (vector_parts == 0) return {Json{kernel, -1, -1}, matrix_parts};
  if (matrix_parts == 0) return {Json{-1, kernel, -1}, vector_parts};
  if (matrix_parts != 1 || vector_parts > 2) {
    throw InputError(fmt::format("task '{}' occupies {} matrix and {} vector cores; the kernel_ids of deps.json have room for 1 and 2",
                                 graph.name(id), matrix_parts, vector_parts));
  }
  return {Json{kernel, kernel, vector_parts == 2 ? kernel : -1}, 1};
}

}  // namespace

Json swimlane_records(const Timeline& timeline, const Json& facts, std::span<const std::uint64_t> ids) {
  return RecordsWriter(timeline, ids).write(facts);
}

Json swimlane_deps(const TaskGraph& graph, const Timeline& timeline) {
  const OccupancyIndex occupied(timeline);
  Json tasks = Json::array();
  Json edges = Json::array();
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const TaskId id = task_id(i);
    auto [kernels, blocks] = shape_of(graph, id, timeline, occupied.of(id));
    Json task = {{"task_id", std::to_string(i)}};
    if (printable(graph.name(id))) task["name"] = graph.name(id);
    task["kernel_ids"] = std::move(kernels);
    task["block_num"] = blocks;
    tasks.push_back(std::move(task));
    for (const TaskId successor : graph.successors(id)) {
      edges.push_back({{"pred", std::to_string(i)}, {"succ", std::to_string(index(successor))}, {"arg", -1}, {"source", "explicit"}});
    }
  }
  return {{"tasks", std::move(tasks)}, {"edges", std::move(edges)}};
}

Json captured_records(const scenarios::SwimlaneCapture& capture, const Timeline& timeline) {
  Json records = capture.records;
  Json& rows = records["aicore_tasks"];
  Json* const dispatches = scenarios::dispatch_table(records);
  for (std::size_t i = 0; i < capture.rows.size(); ++i) {
    const TaskTimes& times = timeline.tasks[i];
    Json& row = rows[capture.rows[i].row];
    row[3] = capture.clock.cycles(times.started);
    row[4] = capture.clock.cycles(times.ended);
    if (is_present(times.received)) row[5] = capture.clock.cycles(times.started) - capture.clock.cycles(times.received);
    if (const auto dispatch = capture.rows[i].dispatch)
      (*dispatches)[*dispatch][2] = is_present(times.dispatched) ? capture.clock.cycles(times.dispatched) : 0;
  }
  return records;
}

void write_swimlane(const std::filesystem::path& folder, const Json& records, const Json& deps) {
  std::error_code failure;
  std::filesystem::create_directory(folder, failure);
  if (failure) throw RunError(fmt::format("cannot make the folder '{}': {}", folder.string(), failure.message()));
  const std::string records_text = scenarios::json_file_text(records);
  const std::string deps_text = scenarios::json_file_text(deps);
  write_files(std::array{FileText{folder / kSwimlaneRecords, records_text}, FileText{folder / kSwimlaneDeps, deps_text}});
}

}  // namespace tasktwin::verify
