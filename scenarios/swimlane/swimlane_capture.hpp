#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/formats/json_file.hpp"

namespace tasktwin::scenarios {

/// Cycles of a capture's clock as nanoseconds since its origin and back, each rounded half up. A clock of at most 1 GHz makes a
/// cycle at least a nanosecond, so that cycles → nanoseconds → cycles gives every cycle back.
class CycleClock {
 public:
  static constexpr std::int64_t kMostHz = 1'000'000'000;
  /// A thousand million seconds.
  static constexpr std::int64_t kMostNs = 1'000'000'000'000'000'000;

  CycleClock() = default;
  /// Contract: 1 ≤ hz ≤ kMostHz.
  CycleClock(std::int64_t hz, std::int64_t origin) : hz_(hz), origin_(origin) {}

  std::int64_t hz() const { return hz_; }
  std::int64_t origin() const { return origin_; }
  /// Whether `cycles` lies at most kMostNs after the origin.
  bool holds(std::int64_t cycles) const { return cycles >= origin_ && (cycles - origin_) / hz_ < kMostNs / kPerSecond; }
  /// Contract: holds(cycles).
  TimePoint time(std::int64_t cycles) const {
    const std::int64_t since = cycles - origin_;
    return at_ns(since / hz_ * kPerSecond + (since % hz_ * kPerSecond + hz_ / 2) / hz_);
  }
  /// Contract: the time is at least 0 and at most kMostNs.
  std::int64_t cycles(TimePoint time) const {
    const std::int64_t ns = to_ns(time);
    return origin_ + ns / kPerSecond * hz_ + (ns % kPerSecond * hz_ + kPerSecond / 2) / kPerSecond;
  }

 private:
  static constexpr std::int64_t kPerSecond = 1'000'000'000;
  std::int64_t hz_ = kMostHz;
  std::int64_t origin_ = 0;
};

/// A run of the Ascend runtime as its pair chip_swimlane_records.json and deps.json has it. Each row of `aicore_tasks`, a task's
/// part on one core, is a task of the graph, with the time that its body took; a dependency of tasks of several rows is one of
/// each row on each. Tasks without rows (allocations, predicates that did not hold) are left out, what they pass on stays.
struct SwimlaneCapture {
  /// A task's place in the records.
  struct Row {
    std::size_t row = 0;                       ///< in aicore_tasks
    std::optional<std::size_t> dispatch = {};  ///< in dispatch_table()
    std::uint64_t task = 0;                    ///< its task_id
  };

  JsonValue records;  ///< the two files, whole: what the importer does not use is there to be written again
  JsonValue deps;
  CycleClock clock;
  std::vector<CoreType> cores;  ///< by the capture's core numbers
  std::vector<int> threads;     ///< by the same: the control thread that looks after it, or −1
  TaskGraph graph;
  std::vector<Row> rows;  ///< by TaskId
  /// By TaskId; `core` as the capture counts them. `published` is not observed: the capture says when the control core saw it.
  std::vector<TaskTimes> times;
  std::vector<std::vector<Span>> thread_spans;  ///< by control thread: its phases, merged
  std::vector<std::string> warnings;            ///< what was lost when it was captured, a sentence each with its count
};

/// `run` chooses one of several runs in the file by its run_epoch. Throws InputError, with the file and the field, for what each file may
/// not be by itself (read_swimlane_records, read_swimlane_deps), for rows of a task that deps.json has not, or of which it has another
/// number, and for times that lie too far apart.
SwimlaneCapture read_swimlane(const std::string& records_path, const std::string& deps_path, std::optional<std::int64_t> run = {});

/// The same of two files that are read already; the names are what messages call them.
SwimlaneCapture join_swimlane(const std::string& records_name, JsonValue records, const std::string& deps_name, JsonValue deps,
                              std::optional<std::int64_t> run = {});

/// The cores by type as a machine lists them: a group for each type, in the order in which the capture first has it, with clusters
/// of one aic and two aiv where the numbers allow it.
std::vector<CoreGroup> core_groups(const SwimlaneCapture& capture);

/// By the capture's core numbers, the CoreId on a machine with these groups: the k-th core of a type is the k-th of its group.
/// Throws InputError if a group has fewer cores than the capture.
std::vector<CoreId> cores_on(const SwimlaneCapture& capture, std::span<const CoreGroup> groups);

/// What the capture saw, as a timeline of its graph on that machine. Throws as cores_on does.
Timeline captured_timeline(const SwimlaneCapture& capture, std::span<const CoreGroup> groups);

}  // namespace tasktwin::scenarios
