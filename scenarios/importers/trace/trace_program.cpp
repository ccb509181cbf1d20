#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

namespace {

Duration ns(std::int64_t time) { return Duration{time}; }

/// The latest end of what was launched before: in all, by stream, by record.
class Ends {
 public:
  Ends(const TraceRun& run, std::uint32_t records) : run_(run), streams_(run.stream_count, kNothing), records_(records, kNothing) {}

  void launch(const TraceRun::Call& call) {
    for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) {
      all_ = std::max(all_, run_.ops[task].end);
      std::int64_t& stream = streams_[run_.streams[call.first]];
      stream = std::max(stream, run_.ops[task].end);
    }
  }
  void record(std::uint32_t record, std::uint32_t stream) { records_[record] = streams_[stream]; }
  std::int64_t all() const { return all_; }
  std::int64_t stream(std::uint32_t stream) const { return streams_[stream]; }
  std::int64_t of_record(std::uint32_t record) const { return records_[record]; }

 private:
  static constexpr std::int64_t kNothing = INT64_MIN;
  const TraceRun& run_;
  std::int64_t all_ = kNothing;
  std::vector<std::int64_t> streams_;
  std::vector<std::int64_t> records_;
};

/// "cudaLaunchKernel_v7000" as "cudaLaunchKernel".
std::string without_version(const std::string& api) {
  const std::size_t at = api.rfind("_v");
  const bool version = at != std::string::npos && at + 2 < api.size() && api.find_first_not_of("0123456789", at + 2) == std::string::npos;
  return version ? api.substr(0, at) : api;
}

/// Names of calls. The first launch of a kernel that takes far longer than others do has loaded its code.
class CallNames {
 public:
  CallNames(const TraceRun& run, HostProgram& program) : run_(run), names_(program.names) {
    std::vector<std::int64_t> times;
    for (const TraceRun::Call& call : run.calls) {
      if (launches_kernel(call)) times.push_back(call.call.end - call.call.begin);
    }
    if (times.empty()) return;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::ranges::nth_element(times, middle);
    loads_ = std::max(kLeastLoad, kLoadsAreLonger * *middle);
  }

  std::uint32_t of(const TraceRun::Call& call) {
    const bool first = launches_kernel(call) && seen_.insert(run_.ops[call.first].name).second;
    const std::string name = call.call.thread < run_.trace->threads.size() ? text(call.call.name) : "";  // else nobody saw the call
    if (name.empty()) return 0;
    return number(first && call.call.end - call.call.begin - call.loading >= loads_ ? loading_in(name) : name);
  }
  /// Of what a call did before it launched.
  std::uint32_t loading(const TraceRun::Call& call) {
    const std::string name = text(call.call.name);
    if (call.call.kind == TraceCallKind::kGraphLaunch) return number("before the graph in " + name);
    const TraceOp& first = run_.ops[call.first];
    return number(first.operation == Operation::kKernel ? loading_in(name) : "before the copy in " + name);
  }
  std::uint32_t of(const TraceCall& call) { return number(text(call.name)); }
  /// "step#2" counts as "step".
  std::uint32_t range(std::uint32_t name) { return number(range_name(run_.trace->texts[name]).first); }

 private:
  static constexpr std::int64_t kLeastLoad = 100'000;  ///< ns
  static constexpr std::int64_t kLoadsAreLonger = 10;  ///< times the median

  static std::string loading_in(const std::string& name) { return std::string(kModuleLoading) + " in " + name; }
  bool launches_kernel(const TraceRun::Call& call) const { return call.tasks == 1 && run_.ops[call.first].operation == Operation::kKernel; }
  std::string text(std::uint32_t name) const {
    return name < run_.trace->texts.size() ? without_version(run_.trace->texts[name]) : std::string();
  }
  std::uint32_t number(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return found->second;
  }

  const TraceRun& run_;
  std::vector<std::string>& names_;
  std::map<std::string, std::uint32_t> numbers_{{"", 0}};
  std::set<std::uint32_t> seen_;  ///< kernels
  std::int64_t loads_ = 0;
};

/// What the threads called that orders nothing, as they go.
class OtherCalls {
 public:
  explicit OtherCalls(const Trace& trace) {
    for (const TraceCall& call : trace.calls) threads_[call.thread].calls.push_back(&call);
    for (auto& [thread, own] : threads_) {
      std::ranges::stable_sort(
          own.calls, [](const TraceCall* a, const TraceCall* b) { return a->begin != b->begin ? a->begin < b->begin : a->end > b->end; });
    }
  }

  /// Those of the thread between the end of its call before and the begin of its next; a call within another counts as a part of that.
  /// `own_time` receives what lies between them.
  template <class Own>
  std::vector<NamedTime> between(std::uint32_t thread, std::int64_t begin, std::int64_t end, CallNames& names, const Own& own_time) {
    std::vector<NamedTime> found;
    Thread& own = threads_[thread];
    for (; own.next < own.calls.size() && own.calls[own.next]->begin < end; ++own.next) {
      const TraceCall& call = *own.calls[own.next];
      const std::int64_t until = std::min(call.end, end);
      const std::int64_t time = until - std::max(call.begin, begin);
      if (time <= 0) continue;
      own_time(begin, std::max(call.begin, begin));
      begin = until;
      const std::uint32_t name = names.of(call);
      const auto same = std::ranges::find(found, name, &NamedTime::name);
      if (same == found.end()) {
        found.push_back({name, ns(time)});
        continue;
      }
      same->time += ns(time);
      ++same->calls;
    }
    own_time(begin, end);
    return found;
  }

 private:
  struct Thread {
    std::vector<const TraceCall*> calls;
    std::size_t next = 0;
  };
  std::map<std::uint32_t, Thread> threads_;
};

/// In which of the program's own ranges each thread was, as it goes: the innermost counts.
class OwnRanges {
 public:
  explicit OwnRanges(const Trace& trace) {
    std::map<std::uint32_t, std::vector<const TraceRange*>> ranges;
    for (const TraceRange& range : trace.ranges) {
      if (range.of_program && range.end > range.begin) ranges[range.thread].push_back(&range);
    }
    for (auto& [thread, own] : ranges) threads_[thread].stretches = stretches_of(std::move(own));
  }

  /// Adds up what of [begin, end) lies in which range. Contract: a thread's spans come in their order.
  void add(std::uint32_t thread, std::int64_t begin, std::int64_t end, CallNames& names, std::vector<NamedTime>& into) {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) return;
    Thread& own = found->second;
    for (; own.next < own.stretches.size() && own.stretches[own.next].end <= begin; ++own.next) {
    }
    for (std::size_t i = own.next; i < own.stretches.size() && own.stretches[i].begin < end; ++i) {
      const Stretch& one = own.stretches[i];
      const std::uint32_t name = names.range(one.name);
      const Duration time = ns(std::min(one.end, end) - std::max(one.begin, begin));
      const auto same = std::ranges::find(into, name, &NamedTime::name);
      if (same == into.end())
        into.push_back({name, time});
      else
        same->time += time;
    }
  }

 private:
  /// Of time that lies in a range and in none within it.
  struct Stretch {
    std::int64_t begin;
    std::int64_t end;
    std::uint32_t name;
  };
  struct Thread {
    std::vector<Stretch> stretches;
    std::size_t next = 0;
  };

  /// Ascending and apart. A range that ends after the one that it began in counts to that one's end.
  static std::vector<Stretch> stretches_of(std::vector<const TraceRange*> ranges) {
    std::ranges::stable_sort(
        ranges, [](const TraceRange* a, const TraceRange* b) { return a->begin != b->begin ? a->begin < b->begin : a->end > b->end; });
    std::vector<Stretch> stretches;
    std::vector<Stretch> open;  // the innermost last
    std::int64_t now = 0;
    const auto go = [&](std::int64_t until) {
      if (!open.empty() && until > now) stretches.push_back({now, until, open.back().name});
      now = std::max(now, until);
    };
    const auto close_until = [&](std::int64_t time) {
      for (; !open.empty() && open.back().end <= time; open.pop_back()) go(open.back().end);
    };
    for (const TraceRange* range : ranges) {
      close_until(range->begin);
      if (open.empty()) now = range->begin;
      go(range->begin);
      open.push_back({range->begin, open.empty() ? range->end : std::min(range->end, open.back().end), range->name});
    }
    close_until(INT64_MAX);
    return stretches;
  }

  std::map<std::uint32_t, Thread> threads_;
};

class Builder {
 public:
  Builder(TraceRun& run, const ImportOptions& options, bool undisturbed)
      : run_(run),
        undisturbed_(undisturbed),
        wait_for_all_(options.unknown_waits == kWaitForAll),
        numbers_(record_numbers(run)),
        names_(run, program_),
        others_(*run.trace),
        ranges_(*run.trace),
        ends_(run, numbers_.count),
        last_(run.stream_count, false) {
    program_.streams = std::max(1u, run.stream_count);
    program_.records = numbers_.count;
  }

  HostProgram build() {
    for (std::size_t i = 0; i < run_.calls.size(); ++i) take(i);
    for (std::size_t i = 0; i < program_.threads.size(); ++i)
      program_.threads[i].own_after = freed_[i].time + ns(run_.has_range ? std::max<std::int64_t>(0, run_.end - reached_[i]) : 0);
    return std::move(program_);
  }

 private:
  void take(std::size_t number) {
    const TraceRun::Call& traced = run_.calls[number];
    const std::uint32_t thread = this->thread(traced.call.thread);
    HostCall call;
    call.own = ns(std::max<std::int64_t>(0, traced.call.begin - reached_[thread]));
    call.call = ns(std::max<std::int64_t>(0, traced.call.end - std::max(traced.call.begin, reached_[thread])));
    call.name = names_.of(traced);
    call.within =
        others_.between(traced.call.thread, reached_[thread], traced.call.begin, names_, [&](std::int64_t begin, std::int64_t end) {
          if (end > begin) ranges_.add(traced.call.thread, begin, end, names_, call.ranges);
        });
    if (undisturbed_ && traced.own_undisturbed >= 0 && reached_[thread] > run_.begin) {
      const double share = call.own > Duration{} ? static_cast<double>(traced.own_undisturbed) / static_cast<double>(to_ns(call.own)) : 0;
      for (std::vector<NamedTime>* const parts : {&call.within, &call.ranges}) {
        for (NamedTime& part : *parts) part.time = Duration{static_cast<std::int64_t>(static_cast<double>(to_ns(part.time)) * share)};
      }
      call.own = ns(traced.own_undisturbed);
    }
    if (undisturbed_ && traced.call.call_undisturbed >= 0) call.call = ns(traced.call.call_undisturbed);
    const Duration loading = std::min(call.call, ns(traced.loading));
    call.own += loading;
    call.call -= loading;
    if (loading > Duration{}) call.within.push_back({names_.loading(traced), loading});
    const NamedTime freed = std::exchange(freed_[thread], {});
    call.own += freed.time;
    if (freed.time > Duration{}) call.within.push_back(freed);
    reached_[thread] = std::max(reached_[thread], traced.call.end);
    if (traced.call.stream != kNoStream) call.stream = run_.stream(traced.call.stream);
    call.record = numbers_.of_call[number];
    if (traced.tasks > 0) {
      launch(call, traced);
    } else {
      order(call, traced);
      if (is_blocking_free(program_.names[call.name])) freed_[thread] = {call.name, std::exchange(call.call, Duration{0})};
    }
    add(thread, call);
    if (call.kind == HostCallKind::kWait && call.record == kNoRecord && wait_for_all_ && !traced.call.never_recorded)
      wait_for_all(thread, traced.call.stream);
  }

  std::uint32_t thread(std::uint32_t as_traced) {
    const auto [found, is_new] = threads_.emplace(as_traced, static_cast<std::uint32_t>(program_.threads.size()));
    if (is_new) {
      const std::size_t known = run_.trace->threads.size();
      program_.threads.push_back({as_traced < known    ? run_.trace->threads[as_traced]
                                  : as_traced == known ? "(not in the file)"
                                                       : "(migrations of pages)",
                                  {}});
      reached_.push_back(run_.begin);
      freed_.emplace_back();
    }
    return found->second;
  }

  void launch(HostCall& call, const TraceRun::Call& traced) {
    call.kind = HostCallKind::kLaunch;
    call.stream = run_.streams[traced.first];
    call.first = task_id(traced.first);
    call.tasks = traced.tasks;
    call.graph = traced.call.kind == TraceCallKind::kGraphLaunch;
    call.blocks = host_knows_end(run_, traced);
    if (call.blocks) call.call = ns(traced.call.end - run_.ops[traced.first].end);
    ends_.launch(traced);
    last_[call.stream] = true;
  }

  void order(HostCall& call, const TraceRun::Call& traced) {
    switch (traced.call.kind) {
      case TraceCallKind::kRecord:
        call.kind = HostCallKind::kRecord;
        if (call.record != kNoRecord) ends_.record(call.record, call.stream);
        break;
      case TraceCallKind::kWait:
        call.kind = HostCallKind::kWait;
        ++run_.waits;
        if (call.record == kNoRecord && !traced.call.never_recorded) ++run_.unknown_waits;
        if (traced.call.stream == kNoStream) ++run_.waits_without_stream;
        break;
      case TraceCallKind::kEventSync:
        call.kind = HostCallKind::kEventSync;
        if (call.record != kNoRecord)
          sync(call, traced.call, ends_.of_record(call.record));
        else if (!traced.call.never_recorded)
          ++run_.unknown_event_syncs;
        break;
      case TraceCallKind::kStreamSync:
        call.kind = traced.call.stream == kNoStream ? HostCallKind::kDeviceSync : HostCallKind::kStreamSync;
        sync(call, traced.call, traced.call.stream == kNoStream ? ends_.all() : ends_.stream(call.stream));
        break;
      default:
        call.kind = HostCallKind::kDeviceSync;
        sync(call, traced.call, ends_.all());
    }
  }

  /// What the call took beyond waiting for what ended at `end`. One that had returned before waited for nothing, or for less than is known:
  /// it keeps the host for as long as it did.
  void sync(HostCall& call, const TraceCall& traced, std::int64_t end) {
    if (end <= traced.begin) return;
    if (end > traced.end) {
      ++run_.early_syncs;
      call.kind = HostCallKind::kEventSync;
      call.record = kNoRecord;
      return;
    }
    call.call = ns(traced.end - end);
  }

  /// A wait for each other stream's latest, by records of which the program knows nothing.
  void wait_for_all(std::uint32_t thread, std::int32_t as_traced) {
    for (std::uint32_t target = 0; target < program_.streams; ++target) {
      if (as_traced != kNoStream && target != run_.stream(as_traced)) continue;
      for (std::uint32_t stream = 0; stream < program_.streams; ++stream) {
        if (stream == target || !last_[stream]) continue;
        add(thread, {.kind = HostCallKind::kRecord, .stream = stream, .record = program_.records});
        add(thread, {.kind = HostCallKind::kWait, .stream = target, .record = program_.records});
        ++program_.records;
      }
    }
  }

  void add(std::uint32_t thread, const HostCall& call) {
    program_.order.emplace_back(thread, static_cast<std::uint32_t>(program_.threads[thread].calls.size()));
    program_.threads[thread].calls.push_back(call);
  }

  TraceRun& run_;
  bool undisturbed_;
  bool wait_for_all_;
  RecordNumbers numbers_;
  HostProgram program_;
  CallNames names_;
  OtherCalls others_;
  OwnRanges ranges_;
  Ends ends_;
  std::vector<bool> last_;  ///< by stream: whether anything was launched into it
  std::map<std::uint32_t, std::uint32_t> threads_;
  std::vector<std::int64_t> reached_;  ///< by thread: when its latest call returned
  /// By thread: what its latest call took to free, once it had waited, which stays where nothing has to be waited for.
  std::vector<NamedTime> freed_;
};

/// HostProgram::beside of the run.
std::vector<double> shares_beside_other_way(const TraceRun& run) {
  std::vector<std::uint32_t> copies;
  for (std::uint32_t task = 0; task < run.ops.size(); ++task) {
    if (run.ops[task].uses_link()) copies.push_back(task);
  }
  std::ranges::sort(copies, {}, [&run](std::uint32_t task) { return run.ops[task].start; });
  std::vector<double> shares;
  std::map<Operation, std::vector<std::uint32_t>> under_way;
  for (const std::uint32_t task : copies) {
    const TraceOp& op = run.ops[task];
    for (auto& [direction, others] : under_way) {
      std::erase_if(others, [&](std::uint32_t other) { return run.ops[other].end <= op.start; });
      if (direction == op.operation) continue;
      for (const std::uint32_t other : others) {
        const auto both = static_cast<double>(std::min(op.end, run.ops[other].end) - op.start);
        shares.resize(run.ops.size(), 0);
        for (const std::uint32_t one : {task, other}) {
          const std::int64_t time = run.ops[one].end - run.ops[one].start;
          if (time > 0) shares[one] = std::min(1.0, shares[one] + both / static_cast<double>(time));
        }
      }
    }
    under_way[op.operation].push_back(task);
  }
  return shares;
}

}  // namespace

void set_latencies(const TraceRun& run, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges, HostProgram& program) {
  std::vector<bool> waited(run.ops.size(), false);
  for (const auto& [from, to] : edges) {
    if (run.ops[from].end >= run.calls[run.call_of[to]].launched()) waited[to] = true;
  }
  for (HostThread& thread : program.threads) {
    for (HostCall& call : thread.calls) {
      if (call.kind != HostCallKind::kLaunch || call.tasks == 0 || waited[index(call.first)]) continue;
      const auto task = static_cast<std::uint32_t>(index(call.first));
      if (run.held_in_queue(task)) continue;
      call.latency = ns(std::max<std::int64_t>(0, run.ops[task].start - run.calls[run.call_of[task]].launched()));
    }
  }
}

HostProgram trace_program(TraceRun& run, const ImportOptions& options, bool undisturbed) {
  run.waits = run.unknown_waits = run.waits_without_stream = run.unknown_event_syncs = run.early_syncs = 0;
  HostProgram program = Builder(run, options, undisturbed).build();
  program.beside = shares_beside_other_way(run);
  return program;
}

}  // namespace tasktwin::scenarios
