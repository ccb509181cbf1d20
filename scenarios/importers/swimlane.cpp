#include "scenarios/importers/swimlane.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <unordered_set>
#include <utility>

#include "models/names.hpp"
#include "scenarios/document.hpp"
#include "scenarios/generators.hpp"
#include "scenarios/importers/swimlane_deps.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kMostCycles = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostCores = 1'000'000;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostReceive = std::numeric_limits<std::uint32_t>::max();
constexpr std::array<std::string_view, 3> kCoreWords{"aic", "aiv", "sm"};

/// A row of aicore_tasks: core_id, task_id, reg_task_id, start, end and, in newer captures, receive_to_start and run_epoch.
struct CoreRow {
  std::uint32_t core = 0;
  std::uint64_t task = 0;
  std::uint64_t reg = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::optional<std::int64_t> receive_to_start;
};
constexpr std::size_t kFewestColumns = 5;
constexpr std::size_t kMostColumns = 7;

/// Cycles as they stand in a file; 0 where it was not recorded.
std::int64_t cycles_of(const JsonPlace& place) { return place.whole(0, kMostCycles); }

class Reader {
 public:
  Reader(const std::string& records_path, const std::string& deps_path) : records_path_(records_path), deps_path_(deps_path) {}

  SwimlaneCapture read() {
    capture_.records = read_json_file(records_path_);
    capture_.deps = read_json_file(deps_path_);
    const JsonPlace root(records_path_, capture_.records);
    const std::int64_t hz = read_metadata(root.at("metadata"));
    read_rows(root.at("aicore_tasks").list());
    if (const JsonValue* table = dispatch_table(capture_.records)) read_dispatches(dispatch_place(root, *table));
    if (const auto phases = root.find("aicpu_scheduler_phases")) read_phases(phases->list());
    capture_.clock = CycleClock(hz, earliest_);
    const JsonPlace table = root.at("aicore_tasks");
    if (!capture_.clock.holds(latest_)) {
      table.refuse("the times of the file lie more than " + std::to_string(CycleClock::kMostNs) + " ns apart at " + std::to_string(hz) +
                   " Hz; are they all of one run?");
    }
    const SwimlaneDeps deps = read_swimlane_deps(JsonPlace(deps_path_, capture_.deps));
    number_tasks(deps, table);
    build_graph(deps);
    merge_phases();
    return std::move(capture_);
  }

 private:
  void saw(std::int64_t cycles) {
    if (cycles == 0) return;
    earliest_ = std::min(earliest_, cycles);
    latest_ = std::max(latest_, cycles);
  }

  /// Returns the clock's frequency.
  std::int64_t read_metadata(const JsonPlace& metadata) {
    const JsonPlace types = metadata.at("core_types").list();
    if (types.size() == 0 || types.size() > static_cast<std::size_t>(kMostCores)) types.refuse("must have 1 to 1000000 cores");
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string word = types[i].text();
      const auto type = from_word<CoreType>(word);
      if (!type || *type == CoreType::kMix) types[i].refuse("is " + in_quotes(word) + suggest(word, kCoreWords));
      capture_.cores.push_back(*type);
    }
    if (const auto count = metadata.find("num_cores"); count && count->whole(0, kMostCores) != static_cast<std::int64_t>(types.size())) {
      count->refuse("is " + count->value().dump() + ", but core_types has " + std::to_string(types.size()) + " entries");
    }
    capture_.threads.assign(types.size(), -1);
    if (const auto threads = metadata.find("core_to_thread")) {
      if (threads->list().size() != types.size()) {
        threads->refuse("has " + std::to_string(threads->size()) + " entries; core_types has " + std::to_string(types.size()));
      }
      for (std::size_t i = 0; i < types.size(); ++i) capture_.threads[i] = static_cast<int>((*threads)[i].whole(-1, kMostThreads - 1));
    }
    return metadata.at("clock_freq_hz").whole(1, CycleClock::kMostHz);
  }

  std::uint32_t core_of(const JsonPlace& place) const {
    return static_cast<std::uint32_t>(place.whole(0, static_cast<std::int64_t>(capture_.cores.size()) - 1));
  }

  void read_rows(const JsonPlace& table) {
    if (table.size() == 0) table.refuse("is empty: no task ran");
    if (static_cast<std::int64_t>(table.size()) > kMaxTasks) table.refuse("has more than " + std::to_string(kMaxTasks) + " rows");
    for (std::size_t i = 0; i < table.size(); ++i) {
      const JsonPlace row = table[i].list();
      if (row.size() < kFewestColumns || row.size() > kMostColumns) {
        row.refuse("has " + std::to_string(row.size()) +
                   " columns; must have 5 to 7: core_id, task_id, reg_task_id, start, end, receive_to_start, run_epoch");
      }
      CoreRow read{core_of(row[0]), row[1].id(), row[2].id(), cycles_of(row[3]), cycles_of(row[4]), {}};
      if (row.size() > 5) read.receive_to_start = row[5].whole(0, kMostReceive);
      if (read.start == 0) row[3].refuse("is 0, which stands for a time that was not recorded");
      if (read.end < read.start) row[4].refuse("is " + std::to_string(read.end) + ", before the start, " + std::to_string(read.start));
      if (read.receive_to_start && *read.receive_to_start >= read.start)
        row[5].refuse("is " + std::to_string(*read.receive_to_start) + ", but the start is only " + std::to_string(read.start));
      if (!by_dispatch_.emplace(std::pair{read.core, read.reg}, static_cast<std::uint32_t>(i)).second) {
        row[2].refuse("is " + std::to_string(read.reg) + ", which another row of core " + std::to_string(read.core) + " has already");
      }
      saw(read.start - read.receive_to_start.value_or(0));
      saw(read.end);
      rows_.push_back(read);
    }
  }

  JsonPlace dispatch_place(const JsonPlace& root, const JsonValue& table) const {
    return {records_path_, table, root.find("aicpu_tasks") ? "aicpu_tasks" : "scheduler_tasks.records"};
  }

  void read_dispatches(const JsonPlace& table) {
    dispatched_.assign(rows_.size(), {SwimlaneCapture::kNoRow, 0});
    table.list();
    for (std::size_t i = 0; i < table.size(); ++i) {
      const JsonPlace row = table[i].list();
      if (row.size() != 4 && row.size() != 5) {
        row.refuse("has " + std::to_string(row.size()) + " columns; must have 4 or 5: core_id, reg_task_id, dispatch, finish, run_epoch");
      }
      const std::uint32_t core = core_of(row[0]);
      const std::uint64_t reg = row[1].id();
      const std::int64_t dispatch = cycles_of(row[2]);
      cycles_of(row[3]);
      saw(dispatch);
      const auto found = by_dispatch_.find({core, reg});
      if (found == by_dispatch_.end()) continue;  // the core's own record was dropped: nothing to say it of
      auto& [at, cycles] = dispatched_[found->second];
      if (at != SwimlaneCapture::kNoRow) row[1].refuse("is " + std::to_string(reg) + ", which a row before it has for this core already");
      at = static_cast<std::uint32_t>(i);
      cycles = dispatch;
    }
  }

  void read_phases(const JsonPlace& threads) {
    if (threads.size() > static_cast<std::size_t>(kMostThreads))
      threads.refuse("has more than " + std::to_string(kMostThreads) + " threads");
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      const JsonPlace phases = threads[thread].list();
      phases_.emplace_back();
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const std::int64_t start = cycles_of(phases[i].at("start_cycles"));
        const JsonPlace end = phases[i].at("end_cycles");
        if (cycles_of(end) < start) end.refuse("is " + end.value().dump() + ", before start_cycles, " + std::to_string(start));
        if (start == 0) continue;
        saw(start);
        saw(cycles_of(end));
        phases_.back().emplace_back(start, cycles_of(end));
      }
    }
  }

  /// Gives each row its TaskId: by task in the order of submission, and of each task by start.
  void number_tasks(const SwimlaneDeps& deps, const JsonPlace& table) {
    parts_.resize(deps.tasks.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      const auto found = deps.by_id.find(rows_[i].task);
      if (found == deps.by_id.end()) table[i][1].refuse("is " + std::to_string(rows_[i].task) + ", which is no task_id in " + deps_path_);
      parts_[found->second].push_back(i);
    }
    for (std::size_t t = 0; t < deps.tasks.size(); ++t) {
      std::ranges::sort(parts_[t], {}, [this](std::uint32_t i) { return std::pair{rows_[i].start, i}; });
      if (!parts_[t].empty() && static_cast<std::int64_t>(parts_[t].size()) != deps.tasks[t].parts) {
        table.refuse("task " + std::to_string(deps.tasks[t].id) + " has " + std::to_string(parts_[t].size()) + " rows, but " + deps_path_ +
                     " says it has " + std::to_string(deps.tasks[t].parts) + " (block_num × kernels); records were dropped");
      }
    }
  }

  void add_row(TaskGraphBuilder& builder, const std::string& name, std::uint32_t i, std::size_t layer) {
    const CoreRow& row = rows_[i];
    TaskTimes times;
    times.started = capture_.clock.time(row.start);
    times.ended = capture_.clock.time(row.end);
    if (row.receive_to_start) times.received = capture_.clock.time(row.start - *row.receive_to_start);
    if (!dispatched_.empty() && dispatched_[i].second > 0) times.dispatched = capture_.clock.time(dispatched_[i].second);
    times.core = core_id(row.core);
    if (capture_.threads[row.core] >= 0) times.dispatcher = dispatcher_id(static_cast<std::size_t>(capture_.threads[row.core]));
    Task task;
    task.core_type = capture_.cores[row.core];
    task.cost.time = times.ended - times.started;
    task.layer = static_cast<std::int32_t>(layer);
    builder.add_task(name, task);
    capture_.times.push_back(times);
    capture_.rows.push_back({i, row.core, row.task});
    capture_.dispatch_rows.push_back(dispatched_.empty() ? SwimlaneCapture::kNoRow : dispatched_[i].first);
  }

  void check_edges(std::uint64_t edges) const {
    if (edges <= static_cast<std::uint64_t>(kMaxEdges)) return;
    JsonPlace(deps_path_, capture_.deps)
        .at("edges")
        .refuse("makes more than " + std::to_string(kMaxEdges) + " edges between the tasks' rows");
  }

  /// For each task those with rows that it waits for, through tasks without.
  std::vector<std::vector<std::uint32_t>> waits(const SwimlaneDeps& deps) const {
    std::vector<std::vector<std::uint32_t>> all(deps.tasks.size());
    std::uint64_t edges = 0;
    for (const std::uint32_t t : deps.order) {
      for (const std::uint32_t before : deps.tasks[t].after) {
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

  void build_graph(const SwimlaneDeps& deps) {
    TaskGraphBuilder builder;
    const std::vector<std::vector<std::uint32_t>> after = waits(deps);
    std::vector<std::size_t> layer(deps.tasks.size());
    for (const std::uint32_t t : deps.order) {
      for (const std::uint32_t before : after[t]) layer[t] = std::max(layer[t], layer[before] + 1);
    }
    std::vector<std::size_t> first(deps.tasks.size());
    std::unordered_set<std::string> names;
    std::uint64_t edges = 0;
    for (std::size_t t = 0; t < deps.tasks.size(); ++t) {
      first[t] = builder.size();
      for (std::size_t part = 0; part < parts_[t].size(); ++part) {
        const std::string name = deps.tasks[t].name + (parts_[t].size() == 1 ? "" : '#' + std::to_string(part));
        if (!names.insert(name).second)
          JsonPlace(deps_path_, capture_.deps).at("tasks").refuse("the name " + in_quotes(name) + " stands twice");
        add_row(builder, name, parts_[t][part], layer[t]);
      }
      for (const std::uint32_t before : after[t]) edges += parts_[before].size() * parts_[t].size();
      check_edges(edges);
    }
    for (std::size_t t = 0; t < deps.tasks.size(); ++t) {
      for (const std::uint32_t before : after[t]) {
        for (std::size_t from = 0; from < parts_[before].size(); ++from) {
          for (std::size_t to = 0; to < parts_[t].size(); ++to) builder.add_edge(task_id(first[before] + from), task_id(first[t] + to));
        }
      }
    }
    capture_.graph = std::move(builder).build();
  }

  /// Phases may lie within each other.
  void merge_phases() {
    const int last = *std::ranges::max_element(capture_.threads);
    capture_.thread_spans.resize(std::max(phases_.size(), static_cast<std::size_t>(last + 1)));
    for (std::size_t thread = 0; thread < phases_.size(); ++thread) {
      std::ranges::sort(phases_[thread]);
      auto& spans = capture_.thread_spans[thread];
      for (const auto& [start, end] : phases_[thread]) {
        const Span span{capture_.clock.time(start), capture_.clock.time(end)};
        if (!spans.empty() && span.begin <= spans.back().end) {
          spans.back().end = std::max(spans.back().end, span.end);
        } else {
          spans.push_back(span);
        }
      }
    }
  }

  const std::string& records_path_;
  const std::string& deps_path_;
  SwimlaneCapture capture_;
  std::vector<CoreRow> rows_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> by_dispatch_;  ///< rows by core and reg_task_id
  std::vector<std::pair<std::uint32_t, std::int64_t>> dispatched_;                ///< by row: its row in the table, cycles
  std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> phases_;
  std::vector<std::vector<std::uint32_t>> parts_;  ///< rows by task of deps.json
  std::int64_t earliest_ = kMostCycles;
  std::int64_t latest_ = 0;
};

std::size_t count_of(const SwimlaneCapture& capture, CoreType type) {
  return static_cast<std::size_t>(std::ranges::count(capture.cores, type));
}

}  // namespace

SwimlaneCapture read_swimlane(const std::string& records_path, const std::string& deps_path) {
  return Reader(records_path, deps_path).read();
}

JsonValue* dispatch_table(JsonValue& records) {
  if (const auto table = records.find("aicpu_tasks"); table != records.end()) return &*table;
  const auto tasks = records.find("scheduler_tasks");
  if (tasks == records.end() || !tasks->is_object()) return nullptr;
  const auto table = tasks->find("records");
  return table == tasks->end() ? nullptr : &*table;
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
