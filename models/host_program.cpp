#include "models/host_program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tasktwin {

namespace {

constexpr std::uint32_t kNoTask = ~0u;

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

}  // namespace

std::vector<std::uint32_t> record_sources(const HostProgram& program) {
  std::vector<std::uint32_t> last(program.streams, kNoTask);
  std::vector<std::uint32_t> sources(program.records, kNoTask);
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind == HostCallKind::kRecord) sources[call.record] = last[call.stream];
    if (call.kind == HostCallKind::kLaunch && call.tasks > 0)
      last[call.stream] = static_cast<std::uint32_t>(index(call.first)) + call.tasks - 1;
  }
  return sources;
}

std::vector<HostShare> host_shares(const HostProgram& program, std::size_t tasks) {
  std::vector<HostShare> shares(tasks);
  const std::vector<CallTimes> times = call_times(program);
  Duration reached{};  // every instant before it has been counted
  Duration own{};
  for (std::size_t i = 0; i < program.order.size(); ++i) {
    const HostCall& call = program.call(program.order[i]);
    own += std::max(Duration{0}, times[i].begin - reached);
    const Duration busy = std::max(Duration{0}, times[i].end - std::max(reached, times[i].begin));
    reached = std::max(reached, times[i].end);
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) continue;
    shares[index(call.first)].own = own;
    if (!call.graph) shares[index(call.first)].launch = busy;
    own = Duration{0};
  }
  return shares;
}

std::vector<StreamLaunch> plan_program(const TaskGraph& graph, const HostProgram& program) {
  std::vector<StreamLaunch> plan(graph.size());
  std::vector<bool> node(graph.size(), false);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    plan[i].task = task_id(i);
    plan[i].stream = static_cast<std::uint32_t>(graph.traits(task_id(i)).stream);
  }
  const std::vector<std::uint32_t> sources = record_sources(program);
  std::vector<std::vector<TaskId>> pending(program.streams);  // by stream: what its next task waits for
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind == HostCallKind::kWait && call.record != kNoRecord && sources[call.record] != kNoTask)
      pending[call.stream].push_back(task_id(sources[call.record]));
    if (call.kind != HostCallKind::kLaunch) continue;
    for (std::size_t i = index(call.first), end = i + call.tasks; i < end; ++i) {
      node[i] = call.graph;
      plan[i].awaited = std::exchange(pending[plan[i].stream], {});
    }
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::vector<TaskId>& awaited = plan[i].awaited;
    for (const TaskId before : graph.predecessors(task_id(i))) {
      if ((node[i] || node[index(before)]) && plan[index(before)].stream != plan[i].stream) awaited.push_back(before);
    }
    std::ranges::sort(awaited);
    awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  }
  return plan;
}

HostProgram scaled(const HostProgram& program, double factor) {
  const auto scale = [factor](Duration& time) { time = Duration{std::llround(static_cast<double>(time.count()) * factor)}; };
  HostProgram slower = program;
  for (HostThread& thread : slower.threads) {
    for (HostCall& call : thread.calls) {
      scale(call.own);
      scale(call.call);
    }
    scale(thread.own_after);
  }
  return slower;
}

}  // namespace tasktwin
