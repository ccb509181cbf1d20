#include "models/program/host_program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tasktwin {

namespace {

/// When each call began and returned where nothing was waited for: by HostProgram::order.
struct CallTimes {
  Duration begin{};
  Duration end{};
};

/// Each thread goes by its own clock from 0 on.
std::vector<CallTimes> call_times(const HostProgram& program) {
  std::vector<Duration> now(program.threads.size());
  std::vector<CallTimes> times;
  times.reserve(program.order.size());
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    const Duration begin = now[at.first] + call.own;
    now[at.first] = begin + call.call;
    times.push_back({begin, now[at.first]});
  }
  return times;
}

void add_named(std::vector<NamedTime>& to, const NamedTime& time) {
  const auto known = std::ranges::find(to, time.name, &NamedTime::name);
  if (known == to.end()) {
    to.push_back(time);
  } else {
    known->time += time.time;
    known->calls += time.calls;
  }
}

/// Adds `before`, the last of the own time before the call: the program's ranges come first in it, then calls that order nothing.
void add_own(HostShare& share, const HostCall& call, Duration before) {
  share.own += before;
  for (const auto& [from, to] : {std::pair(&call.within, &share.within), std::pair(&call.ranges, &share.ranges)}) {
    for (NamedTime one : *from) {
      one.time = std::min(one.time, before);
      before -= one.time;
      if (one.time > Duration{0}) add_named(*to, one);
    }
  }
}

/// Those of `launched` that no other of them follows: when they have ended, all have.
void add_last(const TaskGraph& graph, const LaunchedTasks& launched, std::vector<TaskId>& into) {
  const std::size_t end = index(launched.first) + launched.tasks;
  for (std::size_t i = index(launched.first); i < end; ++i) {
    const auto within = [end](TaskId next) { return index(next) < end; };
    if (std::ranges::none_of(graph.successors(task_id(i)), within)) into.push_back(task_id(i));
  }
}

}  // namespace

std::vector<LaunchedTasks> record_sources(const HostProgram& program) {
  std::vector<LaunchedTasks> last(program.streams);
  std::vector<LaunchedTasks> sources(program.records);
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind == HostCallKind::kRecord && call.record != kNoRecord) sources[call.record] = last[call.stream];
    if (call.kind == HostCallKind::kLaunch && call.tasks > 0) last[call.stream] = {call.first, call.tasks};
  }
  return sources;
}

std::vector<HostShare> host_shares(const HostProgram& program, std::size_t tasks) {
  // What the host did just before it told a stream what to wait for was part of that, and goes with it; what took longer was work.
  constexpr Duration kMostOfOrdering{100'000};
  std::vector<HostShare> shares(tasks);
  const std::vector<CallTimes> times = call_times(program);
  Duration reached{};  // every instant before it has been counted
  HostShare next;
  for (std::size_t i = 0; i < program.order.size(); ++i) {
    const HostCall& call = program.call(program.order[i]);
    const bool orders = call.kind == HostCallKind::kRecord || call.kind == HostCallKind::kWait;
    const Duration before = std::max(Duration{0}, times[i].begin - reached);
    if (!orders || before > kMostOfOrdering) add_own(next, call, before);
    const Duration busy = std::max(Duration{0}, times[i].end - std::max(reached, times[i].begin));
    reached = std::max(reached, times[i].end);
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) continue;
    if (!call.graph) next.launch = busy;
    shares[index(call.first)] = std::exchange(next, {});
  }
  return shares;
}

HostProgram on_one_thread(const HostProgram& program, std::size_t tasks) {
  std::vector<HostShare> shares = host_shares(program, tasks);
  HostProgram serial = program;
  serial.threads = {{.name = "all", .calls = {}}};
  serial.order.clear();
  for (const auto& at : program.order) {
    HostCall call = program.call(at);
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) continue;
    HostShare& share = shares[index(call.first)];
    call.own = share.own;
    call.call = share.launch.value_or(Duration{0});
    call.within = std::move(share.within);
    call.ranges = std::move(share.ranges);
    serial.order.emplace_back(0, static_cast<std::uint32_t>(serial.threads[0].calls.size()));
    serial.threads[0].calls.push_back(std::move(call));
  }
  return serial;
}

std::vector<StreamLaunch> plan_program(const TaskGraph& graph, const HostProgram& program) {
  std::vector<StreamLaunch> plan(graph.size());
  std::vector<bool> by_edges(graph.size(), false);  // of the tasks of one call
  for (std::size_t i = 0; i < graph.size(); ++i) {
    plan[i].task = task_id(i);
    plan[i].stream = static_cast<std::uint32_t>(graph.traits(task_id(i)).stream);
  }
  const std::vector<LaunchedTasks> sources = record_sources(program);
  std::vector<std::vector<TaskId>> pending(program.streams);  // by stream: what its next task waits for
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind == HostCallKind::kWait && call.record != kNoRecord) add_last(graph, sources[call.record], pending[call.stream]);
    if (call.kind != HostCallKind::kLaunch) continue;
    for (std::size_t i = index(call.first), end = i + call.tasks; i < end; ++i) {
      by_edges[i] = call.graph || call.tasks > 1;
      plan[i].awaited = std::exchange(pending[plan[i].stream], {});
    }
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::vector<TaskId>& awaited = plan[i].awaited;
    for (const TaskId before : graph.predecessors(task_id(i))) {
      if ((by_edges[i] || by_edges[index(before)]) && plan[index(before)].stream != plan[i].stream) awaited.push_back(before);
    }
    std::ranges::sort(awaited);
    awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  }
  return plan;
}

std::vector<Duration> stated_times(const TaskGraph& graph) {
  std::vector<Duration> times;
  times.reserve(graph.size());
  for (const Task& task : graph.tasks()) times.push_back(task.cost.time);
  return times;
}

Duration median_call(const HostProgram& program, HostCallKind kind, Duration otherwise) {
  std::vector<Duration> calls;
  for (const HostThread& thread : program.threads) {
    for (const HostCall& call : thread.calls) {
      const bool counts = kind != HostCallKind::kLaunch || (!call.graph && call.tasks > 0);
      if (call.kind == kind && counts) calls.push_back(call.call);
    }
  }
  if (calls.empty()) return otherwise;
  const auto middle = calls.begin() + static_cast<std::ptrdiff_t>(calls.size() / 2);
  std::ranges::nth_element(calls, middle);
  return *middle;
}

HostProgram scaled(const HostProgram& program, double factor) {
  const auto scale = [factor](Duration& time) { time = Duration{std::llround(static_cast<double>(time.count()) * factor)}; };
  HostProgram slower = program;
  for (HostThread& thread : slower.threads) {
    for (HostCall& call : thread.calls) {
      scale(call.own);
      scale(call.call);
      for (NamedTime& within : call.within) scale(within.time);
      for (NamedTime& range : call.ranges) scale(range.time);
    }
    scale(thread.own_after);
  }
  return slower;
}

HostProgram without_host_time(const HostProgram& program) {
  HostProgram quick = scaled(program, 0);
  for (HostThread& thread : quick.threads) {
    for (HostCall& call : thread.calls) {
      if (call.latency) call.latency = Duration{0};
    }
  }
  return quick;
}

namespace {

/// Takes from the host's own time before the call all but the `named` time of calls, or what of it is in the range of that name (0: in
/// none).
void take_own(HostCall& call, Duration named, std::optional<std::uint32_t> range) {
  Duration rest = call.own - named;
  for (NamedTime& one : call.ranges) {
    rest -= one.time;
    if (range && *range != one.name) continue;
    call.own -= one.time;
    one.time = Duration{0};
  }
  if (!range || *range == 0) call.own -= rest;
}

}  // namespace

HostProgram without(const HostProgram& program, HostPart part, std::optional<std::uint32_t> name) {
  HostProgram quicker = program;
  const auto meant = [name](std::uint32_t of) { return !name || *name == of; };
  for (HostThread& thread : quicker.threads) {
    for (HostCall& call : thread.calls) {
      if (part == HostPart::kSync) {
        if (meant(call.name)) call.blocks = false;
        if (!is_sync(call.kind) || !meant(call.name)) continue;
        call.kind = HostCallKind::kEventSync;  // for no record: it waits for nothing
        call.record = kNoRecord;
        call.call = Duration{0};
        continue;
      }
      Duration named{};
      for (NamedTime& within : call.within) {
        if ((part == HostPart::kCall || part == HostPart::kOther) && meant(within.name)) {
          call.own -= within.time;
          within.time = Duration{0};
        }
        named += within.time;
      }
      if (part == HostPart::kOwn) take_own(call, named, name);
      const bool gone = part == HostPart::kCall ? !is_sync(call.kind) : part == HostPart::kLaunch && call.kind == HostCallKind::kLaunch;
      if (gone && meant(call.name)) call.call = Duration{0};
    }
    if (part == HostPart::kOwn && !name) thread.own_after = Duration{0};
  }
  return quicker;
}

}  // namespace tasktwin
