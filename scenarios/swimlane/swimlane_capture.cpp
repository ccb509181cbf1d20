#include "scenarios/swimlane/swimlane_capture.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "models/base/names.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/swimlane/swimlane_deps.hpp"
#include "scenarios/swimlane/swimlane_records.hpp"

namespace tasktwin::scenarios {

namespace {

/// Makes a capture of the two files, once each is read and checked by itself.
class Joining {
 public:
  Joining(SwimlaneCapture& capture, const std::string& records_path, const std::string& deps_path, std::optional<std::int64_t> run)
      : capture_(capture),
        root_(deps_path, capture.deps),
        deps_path_(deps_path),
        records_(read_swimlane_records(JsonPlace(records_path, capture.records), CycleClock::kMostHz, run)),
        table_(JsonPlace(records_path, capture.records).at("aicore_tasks")),
        deps_(read_swimlane_deps(root_)) {}

  void join() {
    capture_.cores = records_.cores;
    capture_.threads = records_.threads;
    capture_.clock = CycleClock(records_.clock_hz, records_.earliest);
    if (!capture_.clock.holds(records_.latest)) {
      table_.refuse("the times of the file lie more than " + std::to_string(CycleClock::kMostNs) + " ns apart at " +
                    std::to_string(records_.clock_hz) + " Hz; are they all of one run?");
    }
    find_parts();
    capture_.warnings = std::move(records_.warnings);
    build_graph();
    merge_phases();
  }

 private:
  /// Each task's rows, by start.
  void find_parts() {
    parts_.resize(deps_.tasks.size());
    std::size_t absent = 0;
    std::size_t partial = 0;
    for (std::uint32_t i = 0; i < records_.rows.size(); ++i) {
      const auto found = deps_.by_id.find(records_.rows[i].task);
      if (found == deps_.by_id.end())
        table_[records_.rows[i].row][1].refuse("is " + std::to_string(records_.rows[i].task) + ", which is no task_id in " + deps_path_);
      parts_[found->second].push_back(i);
    }
    for (std::size_t t = 0; t < deps_.tasks.size(); ++t) {
      std::ranges::sort(parts_[t], {}, [this](std::uint32_t i) { return std::pair{records_.rows[i].start, i}; });
      const auto missing = deps_.tasks[t].parts - static_cast<std::int64_t>(parts_[t].size());
      if (missing > 0 && parts_[t].empty() && (records_.lossy || records_.missing)) ++absent;
      if (missing > 0 && !parts_[t].empty() && records_.lossy) {
        ++partial;
        continue;
      }
      if (!parts_[t].empty() && missing != 0) {
        table_.refuse("task " + std::to_string(deps_.tasks[t].id) + " has " + std::to_string(parts_[t].size()) + " rows, but " +
                      deps_path_ + " says it has " + std::to_string(deps_.tasks[t].parts) + " (block_num × kernels); records were dropped");
      }
    }
    if (absent > 0)
      records_.warnings.push_back(std::to_string(absent) + " tasks with kernels in " + deps_path_ +
                                  " have no row: what they waited for is waited for by what waits for them");
    if (partial > 0) records_.warnings.push_back(std::to_string(partial) + " tasks have fewer rows than block_num × kernels");
  }

  void check_edges(std::uint64_t edges) const {
    if (edges <= static_cast<std::uint64_t>(kMaxEdges)) return;
    root_.at("edges").refuse("makes more than " + std::to_string(kMaxEdges) + " edges between the tasks' rows");
  }

  /// For each task those with rows that it waits for, through tasks without.
  std::vector<std::vector<std::uint32_t>> waits() const {
    std::vector<std::vector<std::uint32_t>> all(deps_.tasks.size());
    std::uint64_t edges = 0;
    for (const std::uint32_t t : deps_.order) {
      for (const std::uint32_t before : deps_.tasks[t].after) {
        if (!parts_[before].empty()) {
          all[t].push_back(before);
        } else {
          all[t].insert(all[t].end(), all[before].begin(), all[before].end());
        }
      }
      std::ranges::sort(all[t]);
      const auto repeated = std::ranges::unique(all[t]);
      all[t].erase(repeated.begin(), repeated.end());
      check_edges(edges += all[t].size());
    }
    return all;
  }

  /// TaskIds go by task in the order of submission, and of each task by start.
  void build_graph() {
    TaskGraphBuilder builder;
    const std::vector<std::vector<std::uint32_t>> after = waits();
    std::vector<std::size_t> layer(deps_.tasks.size());
    for (const std::uint32_t t : deps_.order) {
      for (const std::uint32_t before : after[t]) layer[t] = std::max(layer[t], layer[before] + 1);
    }
    std::vector<std::size_t> first(deps_.tasks.size());
    std::unordered_set<std::string> names;
    std::uint64_t edges = 0;
    for (std::size_t t = 0; t < deps_.tasks.size(); ++t) {
      first[t] = builder.size();
      for (std::size_t part = 0; part < parts_[t].size(); ++part) {
        const std::string name = deps_.tasks[t].name + (parts_[t].size() == 1 ? "" : '#' + std::to_string(part));
        if (!names.insert(name).second) root_.at("tasks").refuse("the name " + in_quotes(name) + " stands twice");
        add_row(builder, name, parts_[t][part], layer[t]);
      }
      for (const std::uint32_t before : after[t]) edges += parts_[before].size() * parts_[t].size();
      check_edges(edges);
    }
    for (std::size_t t = 0; t < deps_.tasks.size(); ++t) {
      for (const std::uint32_t before : after[t]) {
        for (std::size_t from = 0; from < parts_[before].size(); ++from) {
          for (std::size_t to = 0; to < parts_[t].size(); ++to) {
            check_order(parts_[before][from], parts_[t][to]);
            builder.add_edge(task_id(first[before] + from), task_id(first[t] + to));
          }
        }
      }
    }
    capture_.graph = std::move(builder).build();
  }

  /// A row starts before none that it waits for.
  void check_order(std::uint32_t before, std::uint32_t row) const {
    const SwimlaneRow& first = records_.rows[before];
    const SwimlaneRow& second = records_.rows[row];
    if (first.start <= second.start) return;
    table_[second.row].refuse("starts at cycle " + std::to_string(second.start) + ", before row " + std::to_string(first.row) +
                              " does, at " + std::to_string(first.start) + ", whose task " + std::to_string(first.task) +
                              " it waits for in " + deps_path_);
  }

  void add_row(TaskGraphBuilder& builder, const std::string& name, std::uint32_t i, std::size_t layer) {
    const SwimlaneRow& row = records_.rows[i];
    const auto& dispatch = records_.dispatches[i];
    TaskTimes times;
    times.started = capture_.clock.time(row.start);
    times.ended = capture_.clock.time(row.end);
    if (row.receive_to_start) times.received = capture_.clock.time(row.start - *row.receive_to_start);
    if (dispatch && dispatch->cycles > 0) times.dispatched = capture_.clock.time(dispatch->cycles);
    times.core = core_id(row.core);
    if (capture_.threads[row.core] >= 0) times.dispatcher = dispatcher_id(static_cast<std::size_t>(capture_.threads[row.core]));
    Task task;
    task.core_type = capture_.cores[row.core];
    task.cost.time = times.ended - times.started;
    task.layer = static_cast<std::int32_t>(layer);
    builder.add_task(name, task);
    capture_.times.push_back(times);
    capture_.rows.push_back({row.row, dispatch ? std::optional(dispatch->row) : std::nullopt, row.task});
  }

  /// Phases may lie within each other.
  void merge_phases() {
    const int last = *std::ranges::max_element(capture_.threads);
    capture_.thread_spans.resize(std::max(records_.phases.size(), static_cast<std::size_t>(last + 1)));
    for (std::size_t thread = 0; thread < records_.phases.size(); ++thread) {
      std::ranges::sort(records_.phases[thread]);
      auto& spans = capture_.thread_spans[thread];
      for (const auto& [begin, end] : records_.phases[thread]) {
        const Span span{capture_.clock.time(begin), capture_.clock.time(end)};
        if (!spans.empty() && span.begin <= spans.back().end) {
          spans.back().end = std::max(spans.back().end, span.end);
        } else {
          spans.push_back(span);
        }
      }
    }
  }

  SwimlaneCapture& capture_;
  JsonPlace root_;  ///< of deps.json
  const std::string& deps_path_;
  SwimlaneRecords records_;
  JsonPlace table_;
  SwimlaneDeps deps_;
  std::vector<std::vector<std::uint32_t>> parts_;  ///< rows by task of deps.json
};

std::size_t count_of(const SwimlaneCapture& capture, CoreType type) {
  return static_cast<std::size_t>(std::ranges::count(capture.cores, type));
}

}  // namespace

SwimlaneCapture join_swimlane(const std::string& records_name, JsonValue records, const std::string& deps_name, JsonValue deps,
                              std::optional<std::int64_t> run) {
  SwimlaneCapture capture;
  capture.records = std::move(records);
  capture.deps = std::move(deps);
  Joining(capture, records_name, deps_name, run).join();
  return capture;
}

SwimlaneCapture read_swimlane(const std::string& records_path, const std::string& deps_path, std::optional<std::int64_t> run) {
  JsonValue records = read_json_file(records_path);
  return join_swimlane(records_path, std::move(records), deps_path, read_json_file(deps_path), run);
}

std::vector<CoreGroup> core_groups(const SwimlaneCapture& capture) {
  const std::size_t aic = count_of(capture, CoreType::kAic);
  const bool clustered = aic > 0 && count_of(capture, CoreType::kAiv) == 2 * aic;
  std::vector<CoreGroup> groups;
  for (const CoreType type : capture.cores) {
    if (std::ranges::find(groups, type, &CoreGroup::type) != groups.end()) continue;
    const int per_cluster = !clustered || type == CoreType::kSm ? 0 : type == CoreType::kAic ? 1 : 2;
    groups.push_back({type, static_cast<int>(count_of(capture, type)), per_cluster});
  }
  return groups;
}

std::vector<CoreId> cores_on(const SwimlaneCapture& capture, std::span<const CoreGroup> groups) {
  std::map<CoreType, std::pair<std::size_t, std::size_t>> next;  // a type's next CoreId, and its end
  std::size_t first = 0;
  for (const CoreGroup& group : groups) {
    const auto count = static_cast<std::size_t>(group.count);
    next[group.type] = {first, first + count};
    first += count;
  }
  std::vector<CoreId> cores;
  for (const CoreType type : capture.cores) {
    auto& [core, end] = next[type];
    if (core == end) {
      throw InputError("the capture has " + std::to_string(count_of(capture, type)) + " cores of type '" + std::string(to_word(type)) +
                       "', more than the machine");
    }
    cores.push_back(core_id(core++));
  }
  return cores;
}

Timeline captured_timeline(const SwimlaneCapture& capture, std::span<const CoreGroup> groups) {
  const std::vector<CoreId> cores = cores_on(capture, groups);
  Timeline timeline;
  for (const CoreGroup& group : groups) timeline.cores.insert(timeline.cores.end(), static_cast<std::size_t>(group.count), group.type);
  timeline.tasks = capture.times;
  for (TaskTimes& times : timeline.tasks) times.core = cores[index(times.core)];
  timeline.dispatchers = capture.thread_spans;
  timeline.roles.assign(capture.thread_spans.size(), ControlRole::kScheduler);
  return timeline;
}

}  // namespace tasktwin::scenarios
