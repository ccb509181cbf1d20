#include "scenarios/importers/trace/selected_run.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "models/base/error.hpp"
#include "models/base/name_pattern.hpp"
#include "models/base/names.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/trace/long_calls.hpp"

namespace tasktwin::scenarios {

namespace {

std::int32_t chosen_device(const Trace& trace, const std::string& path, const ImportOptions& options) {
  std::set<std::int32_t> devices;
  for (const TraceOp& op : trace.ops) devices.insert(op.device);
  std::string list;
  for (const std::int32_t device : devices) list += (list.empty() ? "" : ", ") + std::to_string(device);
  if (options.device >= 0) {
    if (!devices.contains(options.device))
      throw InputError({path}, "device: nothing ran on device " + std::to_string(options.device) + "; its tasks are of " + list);
    return options.device;
  }
  if (devices.size() > 1)
    throw InputError({path}, "has tasks of devices " + list + "; a scenario has one: choose it with --device (graph.device)");
  return *devices.begin();
}

/// Of ranges of these names, ascending.
template <class IsOne>
std::vector<TraceWindow> windows_called(const Trace& trace, const IsOne& is_one) {
  std::vector<TraceWindow> found;
  for (const TraceRange& range : trace.ranges) {
    if (is_one(trace.texts[range.name])) found.push_back({range.begin, range.end});
  }
  std::ranges::sort(found, {}, &TraceWindow::begin);
  return found;
}

/// Where independent work begins and ends, of one thread.
struct Instance {
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t thread;
};

/// Spans of ranges that fit `pattern`, or where none does, of calls that launched a kernel, copy or memset that does; each thread's
/// ascending.
std::map<std::uint32_t, std::vector<TraceWindow>> spans_of(const Trace& trace, std::string_view pattern) {
  std::map<std::uint32_t, std::vector<TraceWindow>> spans;
  for (const TraceRange& range : trace.ranges) {
    if (is_called(pattern, trace.texts[range.name])) spans[range.thread].push_back({range.begin, range.end});
  }
  if (spans.empty()) {
    const auto calls = outermost_calls(trace);
    std::unordered_map<std::uint32_t, bool> fits;  // by name
    for (const TraceOp& op : trace.ops) {
      const auto call = calls.find(op.correlation);
      if (call == calls.end()) continue;
      const auto [known, is_new] = fits.emplace(op.name, false);
      if (is_new) known->second = is_called(pattern, short_kernel_name(trace.texts[op.name]));
      if (known->second) spans[call->second->thread].push_back({call->second->begin, call->second->end});
    }
  }
  for (auto& [thread, own] : spans) std::ranges::sort(own, {}, &TraceWindow::begin);
  return spans;
}

/// Names of ranges and of what ran, for messages: some of them.
std::vector<std::string> known_names(const Trace& trace) {
  constexpr std::size_t kMostNames = 50;
  std::vector<std::string> names;
  for (const NamedRange& range : trace.annotations) names.push_back(range.name);
  for (const TraceOp& op : trace.ops) {
    const std::string name = short_kernel_name(trace.texts[op.name]);
    if (names.size() < kMostNames && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

/// "FROM..TO" begins with FROM and ends with the next TO that is not a part of it.
void add_instances(const Trace& trace, std::string_view pattern, std::vector<Instance>& instances) {
  const std::size_t dots = pattern.find("..");
  const auto lasts =
      dots == std::string_view::npos ? std::map<std::uint32_t, std::vector<TraceWindow>>() : spans_of(trace, pattern.substr(dots + 2));
  for (const auto& [thread, firsts] : spans_of(trace, pattern.substr(0, dots))) {
    for (const TraceWindow& first : firsts) {
      std::int64_t end = first.end;
      if (dots != std::string_view::npos) {
        const auto own = lasts.find(thread);
        if (own == lasts.end()) break;
        const auto last = std::ranges::lower_bound(own->second, first.end, {}, &TraceWindow::begin);
        if (last == own->second.end()) break;
        end = last->end;
      }
      instances.push_back({first.begin, end, thread});
    }
  }
}

std::vector<Instance> independent_instances(const Trace& trace, const std::string& path, const ImportOptions& options) {
  std::vector<Instance> instances;
  for (const std::string& pattern : options.independent) {
    const std::size_t before = instances.size();
    add_instances(trace, pattern, instances);
    if (instances.size() > before) continue;
    const std::vector<std::string> names = known_names(trace);
    throw InputError({path}, "independent: no range, kernel or copy fits " + in_quotes(pattern) +
                                 suggest(pattern, std::vector<std::string_view>(names.begin(), names.end())));
  }
  std::ranges::sort(instances, [](const Instance& a, const Instance& b) { return a.begin != b.begin ? a.begin < b.begin : a.end > b.end; });
  return instances;
}

/// Which instance each call is in: the outermost.
void find_instances(TraceRun& run, const std::vector<Instance>& instances) {
  std::map<std::uint32_t, std::vector<std::pair<Instance, std::int32_t>>> by_thread;
  for (const Instance& instance : instances) {
    auto& own = by_thread[instance.thread];
    if (!own.empty() && instance.begin < own.back().first.end) continue;  // within, or across, the one before
    own.emplace_back(instance, static_cast<std::int32_t>(run.instances++));
  }
  for (TraceRun::Call& call : run.calls) {
    const auto own = by_thread.find(call.call.thread);
    if (own == by_thread.end()) continue;
    auto behind = std::ranges::upper_bound(own->second, call.call.begin, {}, [](const auto& one) { return one.first.begin; });
    if (behind == own->second.begin()) continue;
    --behind;
    if (call.call.begin <= behind->first.end) call.instance = behind->second;
  }
}

bool launches(std::string_view api) {
  return api.find("Launch") != std::string_view::npos || api.find("Memcpy") != std::string_view::npos ||
         api.find("Memset") != std::string_view::npos;
}

bool orders(TraceCallKind kind) { return kind != TraceCallKind::kOther && kind != TraceCallKind::kGraphLaunch; }

/// Of the quickest tenth; of a few launches, all of which took so long that something else held them, what a first one may take.
std::int64_t quick_latency(const std::vector<TraceOp>& ops, const std::unordered_map<std::int64_t, const TraceCall*>& calls) {
  constexpr std::int64_t kDelayedNs = 100'000;
  constexpr std::int64_t kFirstNs = 50'000;
  constexpr std::size_t kFew = 10;
  std::vector<std::int64_t> latencies;
  for (const TraceOp& op : ops) {
    const auto call = calls.find(op.correlation);
    if (call != calls.end()) latencies.push_back(op.start - call->second->begin);
  }
  if (latencies.empty()) return 0;
  std::ranges::sort(latencies);
  if (latencies.size() < kFew && latencies.front() >= kDelayedNs) return kFirstNs;
  return std::max<std::int64_t>(0, latencies[latencies.size() / 10]);
}

/// Ops of one call, or one alone that has none.
struct Launch {
  TraceCall call;
  std::vector<std::uint32_t> ops;
};

class Selection {
 public:
  Selection(const Trace& trace, const std::string& path, const ImportOptions& options)
      : trace_(trace), path_(path), device_(chosen_device(trace, path, options)), window_(trace_window(trace, path, options)) {
    run_.trace = &trace;
    run_.has_range = !options.range.empty();
  }

  TraceRun take() {
    const std::unordered_map<std::int64_t, const TraceCall*> outermost = outermost_calls(trace_);
    std::unordered_map<std::int64_t, std::vector<std::uint32_t>> ops_of;
    std::vector<std::uint32_t> lone;
    for (std::uint32_t i = 0; i < trace_.ops.size(); ++i) {
      if (trace_.ops[i].device != device_) continue;
      if (trace_.ops[i].correlation >= 0 && outermost.contains(trace_.ops[i].correlation))
        ops_of[trace_.ops[i].correlation].push_back(i);
      else if (window_.contains(trace_.ops[i].start))
        lone.push_back(i);
    }
    take_calls(outermost, ops_of);
    latency_ = quick_latency(trace_.ops, outermost);
    take_lone(lone);
    for (const Launch& launch : launches_) {
      for (const std::uint32_t op : launch.ops) run_.early_tasks += trace_.ops[op].start < launch.call.begin ? 1 : 0;
    }
    if (launches_.empty() || std::ranges::all_of(launches_, [](const Launch& launch) { return launch.ops.empty(); }))
      throw InputError({path_}, "nothing was launched within the range that is asked for");
    number_tasks();
    return std::move(run_);
  }

 private:
  void take_calls(const std::unordered_map<std::int64_t, const TraceCall*>& outermost,
                  const std::unordered_map<std::int64_t, std::vector<std::uint32_t>>& ops_of) {
    for (const TraceCall& call : trace_.calls) {
      if (!window_.contains(call.begin)) continue;
      const auto outer = outermost.find(call.correlation);
      const bool owns = call.correlation < 0 || outer->second == &call;
      if (!owns) continue;  // a part of the call around it
      const auto ops = ops_of.find(call.correlation);
      const bool launching = ops != ops_of.end();
      if (launching && orders(call.kind)) refuse_launching(call, ops->second);
      if (!launching && !call.capturing && call.kind == TraceCallKind::kOther && launches(trace_.texts[call.name])) ++run_.without_task;
      if (!launching && (call.capturing || call.kind == TraceCallKind::kOther || call.kind == TraceCallKind::kGraphLaunch)) continue;
      launches_.push_back({call, launching ? ops->second : std::vector<std::uint32_t>{}});
    }
  }

  /// A call that orders work launches none: such a file has given one correlation twice.
  [[noreturn]] void refuse_launching(const TraceCall& call, const std::vector<std::uint32_t>& ops) const {
    throw InputError({path_}, "correlation " + std::to_string(call.correlation) + " is of a call of " + in_quotes(trace_.texts[call.name]) +
                                  ", which launches nothing, and of " + std::to_string(ops.size()) +
                                  (ops.size() == 1 ? " task" : " tasks") + " on the device, the first of them " +
                                  in_quotes(trace_.texts[trace_.ops[ops.front()].name]) +
                                  "; a correlation must be of one call and its tasks");
  }

  /// Tasks whose call is not there, as if a thread of their own had launched them in time; migrations of pages by another.
  void take_lone(const std::vector<std::uint32_t>& lone) {
    for (const std::uint32_t op : lone) {
      const bool migration = trace_.ops[op].migration;
      run_.without_call += migration ? 0 : 1;
      TraceCall call;
      call.begin = call.end = trace_.ops[op].start - (migration ? 0 : latency_);
      call.thread = static_cast<std::uint32_t>(trace_.threads.size() + (migration ? 1 : 0));
      launches_.push_back({call, {op}});
    }
  }

  void number_tasks() {
    std::ranges::stable_sort(launches_, [](const Launch& a, const Launch& b) {
      return a.call.begin != b.call.begin ? a.call.begin < b.call.begin : a.call.end > b.call.end;
    });
    LongCalls long_calls(trace_, device_, latency_);
    for (Launch& launch : launches_) {
      std::ranges::stable_sort(launch.ops, {}, [this](std::uint32_t op) { return trace_.ops[op].start; });
      if (launch.call.kind == TraceCallKind::kGraphLaunch) long_calls.add_graph(launch.call, launch.ops);
    }
    for (const Launch& launch : launches_) {
      TraceRun::Call call{launch.call, static_cast<std::uint32_t>(run_.ops.size()), static_cast<std::uint32_t>(launch.ops.size())};
      for (const std::uint32_t op : launch.ops) {
        run_.ops.push_back(trace_.ops[op]);
        run_.call_of.push_back(static_cast<std::uint32_t>(run_.calls.size()));
        run_.streams.push_back(run_.stream(trace_.ops[op].stream));
      }
      if (call.tasks > 0) call.loading = long_calls.before_launch(call.call, launch.ops, host_knows_end(run_, call));
      run_.loading_calls += call.loading > 0 ? 1 : 0;
      run_.calls.push_back(call);
    }
    sum_undisturbed_times();
    run_.begin = run_.has_range ? window_.begin : run_.calls.front().call.begin;
    run_.end = run_.begin;
    for (const TraceRun::Call& call : run_.calls) run_.end = std::max(run_.end, call.call.end);
    if (run_.has_range) run_.end = std::max(run_.end, window_.end);
  }

  /// What calls that order nothing took goes to the next of their thread that does.
  void sum_undisturbed_times() {
    if (std::ranges::none_of(trace_.calls, [](const TraceCall& call) { return call.own_undisturbed >= 0; })) return;
    std::vector<const TraceCall*> sorted;
    for (const TraceCall& call : trace_.calls) {
      if (window_.contains(call.begin)) sorted.push_back(&call);
    }
    std::ranges::stable_sort(sorted, {}, &TraceCall::begin);
    std::map<std::uint32_t, std::int64_t> since;  // by thread
    std::size_t next = 0;
    for (const TraceCall* call : sorted) {
      std::int64_t& own = since[call->thread];
      own += std::max<std::int64_t>(0, call->own_undisturbed);
      if (next < run_.calls.size() && run_.calls[next].call.begin == call->begin &&
          run_.calls[next].call.correlation == call->correlation) {
        run_.calls[next++].own_undisturbed = std::exchange(own, 0);
      } else {
        own += std::max<std::int64_t>(0, call->call_undisturbed);
      }
    }
  }

  const Trace& trace_;
  std::string path_;
  std::int32_t device_;
  TraceWindow window_;
  std::int64_t latency_ = 0;  ///< a quick one, from a launching call's begin to its task's start
  TraceRun run_;
  std::vector<Launch> launches_;
};

}  // namespace

std::uint32_t TraceRun::stream(std::int32_t as_traced) {
  const auto [found, is_new] = numbers.emplace(as_traced, stream_count);
  if (is_new) ++stream_count;
  return found->second;
}

TraceWindow trace_window(const Trace& trace, const std::string& path, const ImportOptions& options) {
  if (options.range.empty()) return {};
  std::vector<TraceWindow> found = windows_called(trace, [&](const std::string& range) { return is_called(options.range, range); });
  if (found.empty()) {
    const auto [name, wanted] = range_name(options.range);
    found = windows_called(
        trace, [&name = name](const std::string& range) { return is_called(name, range) || is_called(name, range_name(range).first); });
    if (found.empty()) {
      const std::vector<std::string_view> names = annotation_names(trace);
      throw InputError({path},
                       "range: there is no range " + in_quotes(name) + (names.empty() ? "; the program names none" : suggest(name, names)));
    }
    if (wanted > found.size())
      throw InputError(
          {path}, "range: there are " + std::to_string(found.size()) + " ranges " + in_quotes(name) + ", not " + std::to_string(wanted));
    if (wanted > 0) return found[wanted - 1];
  }
  TraceWindow all = found.front();
  for (const TraceWindow& one : found) all.end = std::max(all.end, one.end);
  return all;
}

TraceRun select_run(const Trace& trace, const std::string& path, const ImportOptions& options) {
  if (trace.ops.empty()) throw InputError({path}, trace.no_ops_hint);
  if (trace.processes > 1)
    throw InputError({path}, "has calls of " + std::to_string(trace.processes) +
                                 " processes, each with correlations of its own; a scenario is of one: export each process by itself");
  const std::vector<Instance> instances = independent_instances(trace, path, options);
  TraceRun run = Selection(trace, path, options).take();
  find_instances(run, instances);
  branch_graphs(run);
  share_queues(run);
  for (const TraceRun::Call& call : run.calls) {
    if (call.call.stream != kNoStream) run.stream(call.call.stream);  // also one that nothing ran in
  }
  return run;
}

RecordNumbers record_numbers(const TraceRun& run) {
  RecordNumbers numbers{std::vector<std::uint32_t>(run.calls.size(), kNoRecord)};
  std::unordered_map<std::int64_t, std::uint32_t> by_correlation;
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    const TraceCall& call = run.calls[i].call;
    if (call.kind == TraceCallKind::kRecord && call.stream != kNoStream) {
      numbers.of_call[i] = numbers.count;
      by_correlation[call.correlation] = numbers.count++;
    } else if ((call.kind == TraceCallKind::kWait || call.kind == TraceCallKind::kEventSync) && call.record >= 0) {
      const auto found = by_correlation.find(call.record);
      if (found != by_correlation.end()) numbers.of_call[i] = found->second;
    }
  }
  return numbers;
}

}  // namespace tasktwin::scenarios
