#include <algorithm>
#include <cmath>
#include <optional>

#include "scenarios/document/scalar.hpp"
#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

namespace {

/// Fewer occasions say little.
constexpr std::size_t kFewest = 5;
/// A task was surely there when the one before it ended if it was launched so long before, or twice the usual latency if that is more.
constexpr std::int64_t kAheadNs = 20'000;

class Samples {
 public:
  void add(std::int64_t value) {
    if (value >= 0) values_.push_back(value);
  }
  /// Of the middle nine tenths: sums of many come out right, and what happened once does not count.
  std::optional<double> mean() const {
    if (values_.size() < kFewest) return std::nullopt;
    std::vector<std::int64_t> sorted = values_;
    std::ranges::sort(sorted);
    const std::size_t off = (sorted.size() + 19) / 20;
    double sum = 0;
    for (std::size_t i = off; i < sorted.size() - off; ++i) sum += static_cast<double>(sorted[i]);
    return sum / static_cast<double>(sorted.size() - 2 * off);
  }
  std::optional<double> median() const { return quantile(2); }
  /// The value that `quarter` quarters are below.
  std::optional<double> quantile(std::size_t quarter) const {
    if (values_.size() < kFewest) return std::nullopt;
    std::vector<std::int64_t> sorted = values_;
    const std::size_t at = std::min(sorted.size() * quarter / 4, sorted.size() - 1);
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(at));
    return static_cast<double>(sorted[at]);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(values_.size()); }

 private:
  std::vector<std::int64_t> values_;
};

/// How the start of a task relates to what it waited for.
enum class Occasion : std::uint8_t {
  kLaunch,       ///< a kernel whose stream had nothing else to do
  kGap,          ///< a kernel after a kernel of its stream
  kEventGap,     ///< a kernel after one of another stream
  kNodeGap,      ///< a node after the only other that it waits for
  kGraphLaunch,  ///< the first node of a graph, likewise with nothing to do
  kCopyLaunch,
  kCopyGap,    ///< a copy after one of its direction
  kEngineGap,  ///< a copy after something else, or something else after a copy
  kLaunchCall,
  kSync,
};

/// What none of them takes by itself on any device: beyond it something was in between, or held the device, that the file does not show.
constexpr double kMostGapNs = 50'000;
constexpr double kMostLatencyNs = 500'000;
constexpr double kMostGraphLaunchNs = 10'000'000;  ///< a large graph is brought to the device
constexpr double kMostSyncNs = 1'000'000;

struct Constant {
  Occasion occasion;
  std::string_view key;
  std::string_view method;
  double most_ns;
};

constexpr std::array kConstants{
    Constant{Occasion::kLaunch, "streams.launch_latency_ns", "launch call begun to kernel start, nothing to wait for", kMostLatencyNs},
    Constant{Occasion::kGap, "streams.gap_ns", "kernel end to next kernel start of the stream, launched long before", kMostGapNs},
    Constant{Occasion::kEventGap, "streams.event_gap_ns", "kernel end to start of a kernel of another stream that waits for it",
             kMostGapNs},
    Constant{Occasion::kNodeGap, "graph_launch.gap_ns", "node end to start of the node behind it", kMostGapNs},
    Constant{Occasion::kGraphLaunch, "graph_launch.latency_ns", "graph launch call begun to first node start, nothing to wait for",
             kMostGraphLaunchNs},
    Constant{Occasion::kCopyLaunch, "copies.latency_ns", "copy call begun to copy start, nothing to wait for", kMostLatencyNs},
    Constant{Occasion::kCopyGap, "copies.gap_ns", "copy end to next copy start of its direction and stream", kMostGapNs},
    Constant{Occasion::kEngineGap, "copies.engine_gap_ns",
             "copy end to kernel start, or kernel end to copy start, of one stream; memset end to the node behind it", kMostGapNs},
    Constant{Occasion::kLaunchCall, "host_calls.launch_ns", "host time of calls that launch a kernel and neither block nor load a module",
             kMostLatencyNs},
    Constant{Occasion::kSync, "host_calls.sync_latency_ns", "last end to the return of calls that blocked for it", kMostSyncNs},
};

class Measures {
 public:
  Measures(const TraceRun& run, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges)
      : run_(run), before_(run.ops.size()), engine_free_(run.ops.size(), INT64_MIN) {
    find_engines();
    for (const auto& [from, to] : edges) {
      if (before_[to].count++ == 0 || run.ops[from].end > run.ops[before_[to].last].end) before_[to].last = from;
    }
  }

  void latencies() {
    for (std::uint32_t task = 0; task < run_.ops.size(); ++task) {
      const TraceOp& op = run_.ops[task];
      if (op.migration || op.unseen || op.operation == Operation::kHost) continue;
      const bool idle = before_[task].count == 0 || run_.ops[before_[task].last].end < launched(task);
      if (!idle || run_.held_in_queue(task) || run_.calls[run_.call_of[task]].tasks == 0) continue;
      if (is_copy(op.operation) && engine_free_[task] > launched(task)) continue;  // it waited for the engine
      const bool graph = call(task).kind == TraceCallKind::kGraphLaunch;
      if (graph && run_.calls[run_.call_of[task]].first != task) continue;
      at(graph ? Occasion::kGraphLaunch : is_copy(op.operation) ? Occasion::kCopyLaunch : Occasion::kLaunch).add(op.start - launched(task));
    }
  }

  void gaps() {
    const std::int64_t ahead = std::max(kAheadNs, static_cast<std::int64_t>(2 * at(Occasion::kLaunch).mean().value_or(0)));
    for (std::uint32_t task = 0; task < run_.ops.size(); ++task) {
      if (before_[task].count == 0 || run_.ops[task].migration) continue;
      const std::uint32_t last = before_[task].last;
      const TraceOp& op = run_.ops[task];
      const TraceOp& earlier = run_.ops[last];
      if (op.operation == Operation::kHost || earlier.operation == Operation::kHost || earlier.unseen) continue;
      const std::int64_t gap = op.start - earlier.end;
      const bool one_graph = run_.call_of[last] == run_.call_of[task];
      const bool behind_memset = earlier.operation == Operation::kMemset && op.operation != Operation::kMemset;
      if (one_graph && before_[task].count == 1) at(behind_memset ? Occasion::kEngineGap : Occasion::kNodeGap).add(gap);
      if (one_graph || earlier.end < launched(task) + ahead || engine_free_[task] > earlier.end) continue;
      const bool copies = is_copy(op.operation) || is_copy(earlier.operation);
      if (run_.streams[last] != run_.streams[task]) {
        if (!copies) at(Occasion::kEventGap).add(gap);
      } else {
        at(!copies ? Occasion::kGap : op.operation == earlier.operation ? Occasion::kCopyGap : Occasion::kEngineGap).add(gap);
      }
    }
  }

  void calls(const HostProgram& program) {
    for (std::size_t i = 0; i < program.order.size(); ++i) {
      const HostCall& call = program.call(program.order[i]);
      if (call.kind == HostCallKind::kLaunch && launches_kernel_alone(call)) at(Occasion::kLaunchCall).add(call.call.count());
    }
  }

  void syncs() {
    std::int64_t latest = INT64_MIN;
    for (const TraceRun::Call& one : run_.calls) {
      for (std::uint32_t task = one.first; task < one.first + one.tasks; ++task) latest = std::max(latest, run_.ops[task].end);
      const bool all = one.call.kind == TraceCallKind::kDeviceSync;
      if (all && latest > one.call.begin && latest <= one.call.end) at(Occasion::kSync).add(one.call.end - latest);
    }
  }

  TraceConstants constants() const {
    TraceConstants found;
    for (const Constant& constant : kConstants) {
      const Samples& samples = samples_[static_cast<std::size_t>(constant.occasion)];
      // A mean that far above the median is of something else besides, such as a wait that the file does not show.
      constexpr double kOfOneKind = 2;
      const auto mean = samples.mean();
      const auto middle = samples.median();
      if (!mean || !middle) continue;
      const bool median = constant.occasion == Occasion::kLaunchCall || *mean > kOfOneKind * *middle;
      const double value = median ? *middle : *mean;
      if (value > constant.most_ns || are_several_kinds(constant, samples))
        found.remarks.push_back(not_taken(constant, samples));
      else
        found.measured.push_back({std::string(constant.key), value, samples.size(), std::string(constant.method), median});
    }
    return found;
  }

 private:
  /// What a task waited for: how many, and the one that ended last.
  struct Before {
    std::uint32_t count = 0;
    std::uint32_t last = 0;
  };

  /// Gaps of which a quarter take a small part of what the middle one does: most have something in between.
  static bool are_several_kinds(const Constant& constant, const Samples& samples) {
    constexpr double kApart = 4;
    constexpr double kResolutionNs = 1000;  // of many profilers
    return constant.most_ns == kMostGapNs && *samples.median() > kApart * (*samples.quantile(1) + kResolutionNs);
  }

  static std::string not_taken(const Constant& constant, const Samples& samples) {
    const auto us = [&samples](std::size_t quarter) { return shortest(std::round(*samples.quantile(quarter) / 100) / 10); };
    return std::string(constant.key) + " is not taken from the file, but from the machine: of " + std::to_string(samples.size()) +
           " occasions (" + std::string(constant.method) + ") a quarter are below " + us(1) + ", half below " + us(2) +
           " and a quarter above " + us(3) + " us, so that something is in between, or holds the device, which the file does not show";
  }

  bool launches_kernel_alone(const HostCall& call) const {
    if (call.graph || call.blocks || call.tasks != 1) return false;
    const auto task = static_cast<std::uint32_t>(index(call.first));
    const TraceRun::Call& traced = run_.calls[run_.call_of[task]];
    const bool is_launch = run_.trace->texts[traced.call.name].find("Launch") != std::string::npos && traced.call.end > traced.call.begin;
    return run_.ops[task].operation == Operation::kKernel && is_launch && traced.loading == 0;
  }

  /// When the last copy that had begun before a copy, in its direction, had ended: its engine was busy until then.
  void find_engines() {
    std::vector<std::uint32_t> copies;
    for (std::uint32_t task = 0; task < run_.ops.size(); ++task) {
      if (is_copy(run_.ops[task].operation)) copies.push_back(task);
    }
    std::ranges::sort(copies, {}, [this](std::uint32_t task) { return run_.ops[task].start; });
    std::map<Operation, std::int64_t> ends;
    for (const std::uint32_t task : copies) {
      std::int64_t& end = ends.emplace(run_.ops[task].operation, INT64_MIN).first->second;
      engine_free_[task] = end;
      end = std::max(end, run_.ops[task].end);
    }
  }

  const TraceCall& call(std::uint32_t task) const { return run_.calls[run_.call_of[task]].call; }
  std::int64_t launched(std::uint32_t task) const { return run_.calls[run_.call_of[task]].launched(); }
  Samples& at(Occasion occasion) { return samples_[static_cast<std::size_t>(occasion)]; }

  const TraceRun& run_;
  std::vector<Before> before_;
  std::vector<std::int64_t> engine_free_;  ///< by task; of copies
  std::array<Samples, kConstants.size()> samples_;
};

}  // namespace

TraceConstants trace_constants(const TraceRun& run, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges,
                               const HostProgram& program) {
  Measures measures(run, edges);
  if (run.without_call == 0) measures.latencies();
  measures.gaps();
  measures.calls(program);
  measures.syncs();
  return measures.constants();
}

}  // namespace tasktwin::scenarios
