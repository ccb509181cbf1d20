#include "scenarios/swimlane/swimlane_records.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "models/base/names.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kMostCycles = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMostCores = 100'000;
constexpr std::int64_t kMostThreads = 1024;
constexpr std::int64_t kMostReceive = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kHighestLevel = 4;
constexpr std::size_t kFewestColumns = 5;
constexpr std::size_t kMostColumns = 7;
constexpr std::array<std::string_view, 3> kCoreWords{"aic", "aiv", "sm"};

/// Cycles as in a file; 0 where a time was not recorded.
std::int64_t cycles_of(const JsonPlace& place) { return place.whole(0, kMostCycles); }

/// The run_epoch of a row that has that column at `column`, of seven columns or five.
std::optional<std::int64_t> epoch_of(const JsonPlace& row, std::size_t column) {
  if (row.size() <= column) return std::nullopt;
  return row[column].whole(0, kMostCycles);
}

class Reader {
 public:
  explicit Reader(std::optional<std::int64_t> run) : run_(run) {}

  SwimlaneRecords read(const JsonPlace& root, std::int64_t most_hz) {
    records_.earliest = kMostCycles;
    check_level(root);
    read_metadata(root.at("metadata"), most_hz);
    choose_run(root.at("aicore_tasks").list());
    if (const auto scheduler = root.find("scheduler_records")) read_scheduler(scheduler->at("streams").list());
    read_rows(root.at("aicore_tasks").list());
    records_.dispatches.resize(records_.rows.size());
    if (const auto table = root.find("aicpu_tasks")) {
      read_dispatches(table->list());
    } else if (const auto tasks = root.find("scheduler_tasks")) {
      read_dispatches(tasks->at("records").list());
    }
    if (const auto phases = root.find("aicpu_scheduler_phases")) {
      records_.phases.clear();
      read_phases(phases->list());
    }
    if (lost_ > 0) {
      records_.missing = true;
      records_.warnings.push_back(std::to_string(lost_) +
                                  " hand-overs in scheduler_tasks whose row in aicore_tasks is missing: these tasks "
                                  "are left out");
    }
    return std::move(records_);
  }

 private:
  void saw(std::int64_t cycles) {
    if (cycles == 0) return;
    records_.earliest = std::min(records_.earliest, cycles);
    records_.latest = std::max(records_.latest, cycles);
  }

  /// A level of which nothing is known may have its times elsewhere.
  static void check_level(const JsonPlace& root) {
    const auto level = root.find("chip_swimlane_level");
    if (!level) return;
    const std::int64_t number = level->whole(0, kMostCycles);
    if (number < 1 || number > kHighestLevel)
      level->refuse("is " + std::to_string(number) +
                    "; must be 1 (times of cores), 2 (and of hand-overs), 3 (and phases of schedulers) or 4 (and of orchestrators)");
  }

  void read_metadata(const JsonPlace& metadata, std::int64_t most_hz) {
    const JsonPlace types = metadata.at("core_types").list();
    if (types.size() == 0 || types.size() > static_cast<std::size_t>(kMostCores))
      types.refuse("has " + std::to_string(types.size()) + " cores; must have 1 to " + std::to_string(kMostCores));
    for (std::size_t i = 0; i < types.size(); ++i) {
      const std::string word = types[i].text();
      const auto type = from_word<CoreType>(word);
      if (!type || *type == CoreType::kMix) types[i].refuse("is " + in_quotes(word) + suggest(word, kCoreWords));
      records_.cores.push_back(*type);
    }
    if (const auto count = metadata.find("num_cores"); count && count->whole(0, kMostCores) != static_cast<std::int64_t>(types.size())) {
      count->refuse("is " + count->value().dump() + ", but core_types has " + std::to_string(types.size()) + " entries");
    }
    records_.threads.assign(types.size(), -1);
    if (const auto threads = metadata.find("core_to_thread")) {
      if (threads->list().size() != types.size()) {
        threads->refuse("has " + std::to_string(threads->size()) + " entries; core_types has " + std::to_string(types.size()));
      }
      for (std::size_t i = 0; i < types.size(); ++i) records_.threads[i] = static_cast<int>((*threads)[i].whole(-1, kMostThreads - 1));
    }
    records_.clock_hz = metadata.at("clock_freq_hz").whole(1, most_hz);
  }

  std::uint32_t core_of(const JsonPlace& place) const {
    return static_cast<std::uint32_t>(place.whole(0, static_cast<std::int64_t>(records_.cores.size()) - 1));
  }

  bool is_of_run(const JsonPlace& row, std::size_t column) const {
    const auto epoch = epoch_of(row, column);
    return !run_ || !epoch || *epoch == *run_;
  }

  /// One run needs no choice.
  void choose_run(const JsonPlace& table) {
    std::map<std::int64_t, std::size_t> runs;
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (const auto epoch = epoch_of(table[i].list(), kMostColumns - 1)) ++runs[*epoch];
    }
    std::string known;
    for (const auto& [run, rows] : runs)
      known += (known.empty() ? "" : ", ") + std::to_string(run) + " (" + std::to_string(rows) + " rows)";
    if (run_ && !runs.contains(*run_)) {
      table.refuse("has no row of run " + std::to_string(*run_) +
                   (known.empty() ? "; its rows have no run_epoch" : "; runs by run_epoch: " + known));
    }
    if (!run_ && runs.size() > 1) table.refuse("has several runs by run_epoch: " + known + "; --run, or graph.run, chooses one");
  }

  /// The newest form: what each scheduler did, and whether its buffer held all of it.
  void read_scheduler(const JsonPlace& streams) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      const JsonPlace stream = streams[i];
      const std::int64_t scheduler = stream.at("scheduler_id").whole(0, kMostThreads - 1);
      if (const auto capture = stream.find("capture")) warn_of(*capture, scheduler);
      const auto records = stream.find("records");
      if (!records) continue;
      for (std::size_t r = 0; r < records->list().size(); ++r) {
        const JsonPlace record = (*records)[r];
        const auto epoch = record.find("run_epoch");
        if (run_ && epoch && epoch->whole(0, kMostCycles) != *run_) continue;
        if (static_cast<std::size_t>(scheduler) >= records_.phases.size()) records_.phases.resize(static_cast<std::size_t>(scheduler) + 1);
        read_phase(record, records_.phases[static_cast<std::size_t>(scheduler)]);
      }
    }
  }

  void warn_of(const JsonPlace& capture, std::int64_t scheduler) {
    const auto committed = capture.find("committed");
    const auto dropped = capture.find("dropped");
    const auto truncated = capture.find("truncated");
    const std::string of = " of scheduler " + std::to_string(scheduler);
    if (dropped && dropped->whole(0, kMostCycles) > 0) {
      records_.lossy = true;
      records_.warnings.push_back(dropped->value().dump() + " records" + of + " were dropped" +
                                  (committed ? ", " + std::to_string(committed->whole(0, kMostCycles)) + " are there" : ""));
    }
    if (truncated && truncated->value().is_boolean() && truncated->value().get<bool>()) {
      records_.lossy = true;
      records_.warnings.push_back("the records" + of + " are truncated");
    }
  }

  void read_rows(const JsonPlace& table) {
    if (table.size() == 0) table.refuse("is empty: no task ran");
    if (static_cast<std::int64_t>(table.size()) > kMaxTasks) table.refuse("has more than " + std::to_string(kMaxTasks) + " rows");
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (!is_of_run(table[i].list(), kMostColumns - 1)) continue;
      records_.rows.push_back(row_from(table[i]));
      SwimlaneRow& row = records_.rows.back();
      row.row = i;
      if (!by_dispatch_.emplace(std::pair{row.core, row.reg}, records_.rows.size() - 1).second)
        table[i][2].refuse("is " + std::to_string(row.reg) + ", which another row of core " + std::to_string(row.core) + " has already");
      saw(row.start - row.receive_to_start.value_or(0));
      saw(row.end);
    }
  }

  SwimlaneRow row_from(const JsonPlace& place) const {
    if (place.size() < kFewestColumns || place.size() > kMostColumns) {
      place.refuse("has " + std::to_string(place.size()) +
                   " columns; must have 5 to 7: core_id, task_id, reg_task_id, start, end, receive_to_start, run_epoch");
    }
    SwimlaneRow row{0, core_of(place[0]), place[1].id(), place[2].id(), cycles_of(place[3]), cycles_of(place[4])};
    if (place.size() > kFewestColumns) row.receive_to_start = place[5].whole(0, kMostReceive);
    if (row.start == 0) place[3].refuse("is 0, which stands for a time that was not recorded");
    if (row.end < row.start) place[4].refuse("is " + std::to_string(row.end) + ", before the start, " + std::to_string(row.start));
    if (row.receive_to_start.value_or(0) >= row.start)
      place[5].refuse("is " + std::to_string(*row.receive_to_start) + ", but the start is only " + std::to_string(row.start));
    return row;
  }

  void read_dispatches(const JsonPlace& table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
      const JsonPlace row = table[i].list();
      if (row.size() != 4 && row.size() != 5) {
        row.refuse("has " + std::to_string(row.size()) + " columns; must have 4 or 5: core_id, reg_task_id, dispatch, finish, run_epoch");
      }
      if (!is_of_run(row, 4)) continue;
      const std::uint32_t core = core_of(row[0]);
      const std::uint64_t reg = row[1].id();
      const std::int64_t dispatch = cycles_of(row[2]);
      cycles_of(row[3]);
      const auto found = by_dispatch_.find({core, reg});
      if (found == by_dispatch_.end()) {  // the core's own record was dropped: nothing to say it of
        ++lost_;
        continue;
      }
      auto& known = records_.dispatches[found->second];
      if (known) row[1].refuse("is " + std::to_string(reg) + ", which a row before it has for this core already");
      known = SwimlaneDispatch{i, dispatch};
      saw(dispatch);
    }
  }

  void read_phases(const JsonPlace& threads) {
    if (threads.size() > static_cast<std::size_t>(kMostThreads))
      threads.refuse("has more than " + std::to_string(kMostThreads) + " threads");
    for (std::size_t thread = 0; thread < threads.size(); ++thread) {
      const JsonPlace phases = threads[thread].list();
      auto& spans = records_.phases.emplace_back();
      for (std::size_t i = 0; i < phases.size(); ++i) {
        const auto epoch = phases[i].find("run_epoch");
        if (!run_ || !epoch || epoch->whole(0, kMostCycles) == *run_) read_phase(phases[i], spans);
      }
    }
  }

  void read_phase(const JsonPlace& phase, std::vector<std::pair<std::int64_t, std::int64_t>>& spans) {
    const std::int64_t begin = cycles_of(phase.at("start_cycles"));
    const JsonPlace end = phase.at("end_cycles");
    if (cycles_of(end) < begin) end.refuse("is " + end.value().dump() + ", before start_cycles, " + std::to_string(begin));
    if (begin == 0) return;
    spans.emplace_back(begin, cycles_of(end));
    saw(begin);
    saw(spans.back().second);
  }

  std::optional<std::int64_t> run_;
  std::size_t lost_ = 0;
  SwimlaneRecords records_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> by_dispatch_;  ///< rows by core and reg_task_id
};

}  // namespace

JsonValue* dispatch_table(JsonValue& records) {
  if (const auto table = records.find("aicpu_tasks"); table != records.end()) return &*table;
  const auto tasks = records.find("scheduler_tasks");
  if (tasks == records.end()) return nullptr;
  const auto table = tasks->find("records");
  return table == tasks->end() ? nullptr : &*table;
}

SwimlaneRecords read_swimlane_records(const JsonPlace& root, std::int64_t most_hz, std::optional<std::int64_t> run) {
  return Reader(run).read(root, most_hz);
}

}  // namespace tasktwin::scenarios
