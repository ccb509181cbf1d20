#include "models/program/program_edits.hpp"

#include <algorithm>
#include <utility>

namespace tasktwin {

namespace {

constexpr std::uint32_t kGone = ~0u;

/// By TaskId of the old graph, its place in the new one.
std::vector<std::uint32_t> places(std::size_t tasks, const EditedGraph& edited) {
  std::vector<std::uint32_t> place(tasks, kGone);
  for (std::uint32_t i = 0; i < edited.from.size(); ++i) {
    // What was fused is launched with the first of it.
    if (!edited.from[i].empty()) place[index(edited.from[i].front())] = i;
  }
  return place;
}

class Editing {
 public:
  Editing(const HostProgram& program, const TaskGraph& graph, const EditedGraph& edited)
      : program_(program),
        edited_(edited),
        place_(places(graph.size(), edited)),
        launch_(median_call(program, HostCallKind::kLaunch, {})) {}

  HostProgram edit() {
    made_ = program_;
    for (HostThread& thread : made_.threads) thread.calls.clear();
    made_.order.clear();
    saved_.resize(program_.threads.size());
    for (const auto& at : program_.order) take(at.first, program_.call(at));
    while (next_ < edited_.from.size()) launch_new(program_.order.empty() ? 0 : program_.order.back().first);
    for (std::size_t t = 0; t < made_.threads.size(); ++t) made_.threads[t].own_after += saved_[t];
    if (!program_.beside.empty()) {
      made_.beside.assign(edited_.from.size(), 0);
      for (std::size_t i = 0; i < edited_.from.size(); ++i) {
        if (edited_.from[i].size() == 1) made_.beside[i] = program_.beside[index(edited_.from[i].front())];
      }
    }
    for (std::size_t i = 0; i < edited_.graph.size(); ++i)
      made_.streams = std::max(made_.streams, static_cast<std::uint32_t>(edited_.graph.traits(task_id(i)).stream) + 1);
    return std::move(made_);
  }

 private:
  void add(std::uint32_t thread, HostCall call) {
    call.own += std::exchange(saved_[thread], Duration{});
    auto& calls = made_.threads[thread].calls;
    made_.order.emplace_back(thread, static_cast<std::uint32_t>(calls.size()));
    calls.push_back(call);
  }

  void take(std::uint32_t thread, HostCall call) {
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) {
      add(thread, call);
      return;
    }
    std::uint32_t end = next_;
    for (std::size_t i = index(call.first); i < index(call.first) + call.tasks; ++i) {
      if (place_[i] != kGone) end = std::max(end, place_[i] + 1);
    }
    if (end == next_) {  // all of it is gone
      saved_[thread] += call.own;
      return;
    }
    if (!call.graph) {
      while (next_ + 1 < end) launch_new(thread);
    }
    call.first = task_id(next_);
    call.tasks = end - next_;
    if (!call.graph) call.stream = static_cast<std::uint32_t>(edited_.graph.traits(call.first).stream);
    next_ = end;
    add(thread, call);
  }

  /// The next task, which no call of the old program launches.
  void launch_new(std::uint32_t thread) {
    const TaskId task = task_id(next_++);
    add(thread, {.kind = HostCallKind::kLaunch,
                 .call = launch_,
                 .stream = static_cast<std::uint32_t>(edited_.graph.traits(task).stream),
                 .first = task,
                 .tasks = 1});
  }

  const HostProgram& program_;
  const EditedGraph& edited_;
  std::vector<std::uint32_t> place_;
  Duration launch_;
  HostProgram made_;
  std::vector<Duration> saved_;  ///< by thread: own time before calls that are gone
  std::uint32_t next_ = 0;       ///< the first task of the new graph that is not launched yet
};

}  // namespace

HostProgram edited_program(const HostProgram& program, const TaskGraph& graph, const EditedGraph& edited) {
  return Editing(program, graph, edited).edit();
}

GraphLaunches graph_launches(const HostProgram& program) {
  GraphLaunches graphs;
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind != HostCallKind::kLaunch || !call.graph) continue;
    ++graphs.launches;
    graphs.tasks += call.tasks;
  }
  return graphs;
}

}  // namespace tasktwin
