#include "verify/explain/replicas.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "sim/streams/launch_waits.hpp"

namespace tasktwin::verify {

namespace {

class Replicating {
 public:
  Replicating(const TaskGraph& graph, const HostProgram& program, std::uint32_t count, std::uint32_t queues)
      : graph_(graph),
        program_(program),
        count_(count),
        queues_(shared_queues(program.streams, queues)),
        places_(count, std::vector<std::uint32_t>(graph.size(), kNoPlace)) {
    for (const auto& at : program.order) {
      const HostCall& call = program.call(at);
      if (call.kind == HostCallKind::kLaunch && call.tasks > 0) used_.insert(call.stream);
    }
  }

  Replicas make() {
    begin();
    for (const auto& at : program_.order) {
      for (std::uint32_t replica = 0; replica < count_; ++replica) call(replica, at.first, program_.call(at));
    }
    for (const std::vector<std::uint32_t>& place : places_) copy_edges(builder_, graph_, place);
    copy_buffer_names(builder_, graph_);
    builder_.set_problem(graph_.problem());
    return {std::move(builder_).build(), std::move(made_)};
  }

 private:
  void begin() {
    made_ = program_;
    made_.streams = count_ * queues_ * ((program_.streams + queues_ - 1) / queues_);
    made_.records = count_ * program_.records;
    made_.threads.clear();
    made_.order.clear();
    made_.beside.clear();
    for (std::uint32_t replica = 0; replica < count_; ++replica) {
      for (const HostThread& thread : program_.threads)
        made_.threads.push_back({thread.name + suffix(replica), {}, thread.own_after, replica});
    }
  }

  /// As many of the queues as streams use.
  static std::uint32_t shared_queues(std::uint32_t streams, std::uint32_t queues) {
    return std::max(1U, queues == 0 ? streams : std::min(queues, streams));
  }
  /// Copies have their queues behind each other's, again and again.
  std::uint32_t stream_of(std::uint32_t replica, std::uint32_t stream) const {
    return (stream / queues_ * count_ + replica) * queues_ + stream % queues_;
  }

  static std::string suffix(std::uint32_t replica) { return replica == 0 ? "" : " (" + std::to_string(replica + 1) + ")"; }

  void call(std::uint32_t replica, std::uint32_t thread, HostCall call) {
    if (call.kind == HostCallKind::kLaunch && call.tasks > 0) launch(replica, call);
    call.stream = stream_of(replica, call.stream);
    if (call.record != kNoRecord) call.record += replica * program_.records;
    const std::uint32_t own_thread = replica * static_cast<std::uint32_t>(program_.threads.size()) + thread;
    if (call.kind != HostCallKind::kDeviceSync) return add(own_thread, std::move(call));
    // Of its own streams: what other processes have launched it does not wait for.
    const Duration after = std::exchange(call.call, Duration{});
    call.kind = HostCallKind::kStreamSync;
    std::size_t left = used_.size();
    if (used_.empty()) call.kind = HostCallKind::kEventSync;  // of no record, which waits for nothing
    if (used_.empty()) add(own_thread, call);
    for (const std::uint32_t stream : used_) {
      call.stream = stream_of(replica, stream);
      if (--left == 0) call.call = after;
      add(own_thread, call);
      call.own = {};
      call.within.clear();
      call.ranges.clear();
    }
  }

  void launch(std::uint32_t replica, HostCall& call) {
    const auto first = static_cast<std::uint32_t>(next_);
    for (std::size_t i = index(call.first); i < index(call.first) + call.tasks; ++i) {
      Task task = graph_[task_id(i)];
      TaskTraits traits = graph_.traits(task_id(i));
      traits.stream = static_cast<std::int32_t>(stream_of(replica, static_cast<std::uint32_t>(traits.stream)));
      task.traits = builder_.add_traits(traits);
      places_[replica][i] =
          static_cast<std::uint32_t>(index(builder_.add_task(std::string(graph_.name(task_id(i))) + suffix(replica), task)));
      if (!program_.beside.empty()) made_.beside.push_back(program_.beside[i]);
      ++next_;
    }
    call.first = task_id(first);
  }

  void add(std::uint32_t thread, HostCall call) {
    auto& calls = made_.threads[thread].calls;
    made_.order.emplace_back(thread, static_cast<std::uint32_t>(calls.size()));
    calls.push_back(std::move(call));
  }

  const TaskGraph& graph_;
  const HostProgram& program_;
  std::uint32_t count_;
  std::uint32_t queues_;                            ///< of each copy
  std::vector<std::vector<std::uint32_t>> places_;  ///< of each replica, by TaskId of the program's graph
  std::set<std::uint32_t> used_;                    ///< streams that anything is launched into
  std::size_t next_ = 0;
  TaskGraphBuilder builder_;
  HostProgram made_;
};

}  // namespace

std::uint32_t shared_queues(const Machine& machine, std::span<const Design> designs, const HostProgram& program) {
  const Design* first = nullptr;
  std::uint32_t queues = 0;
  for (const Design& design : designs) {
    if (runtime_of(design).id != RuntimeId::kHostProgram) continue;
    const auto of_design = static_cast<std::uint32_t>(sim::hardware_queues(machine.launch_limits, design));
    const std::uint32_t shared = of_design < program.streams ? of_design : 0;
    if (first != nullptr && shared != queues)
      throw InputError(
          fmt::format("--replicas: streams share hardware queues under designs '{}' and '{}' in unlike ways (hardware_queues); "
                      "--designs takes one of them",
                      first->name, design.name));
    first = &design;
    queues = shared;
  }
  return queues;
}

Replicas replicated(const TaskGraph& graph, const HostProgram& program, std::uint32_t count, std::uint32_t queues) {
  return Replicating(graph, program, count, queues).make();
}

}  // namespace tasktwin::verify
