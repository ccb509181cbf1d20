#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "models/checks/meetings.hpp"
#include "models/cost/collective_flows.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::sim {

/// Kernels and ranks of collectives on devices whose cores each hold one block, tried in every order in which they can come and end: what
/// the search for groups is held against, and has nothing in common with. Blocks left over go before those of kernels that come later;
/// the kernels of a group end only once all of it is there, and any other kernel's block whenever it may.
class AllOrders {
 public:
  AllOrders(const TaskGraph& graph, const Machine& machine, const Design& design)
      : before_(graph.size()), kernels_(graph.size()), devices_(static_cast<std::size_t>(machine.devices.count())) {
    cores_ = machine.compute_cores.front().count;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const Task& task = graph[task_id(i)];
      const TaskTraits& traits = graph.traits(task_id(i));
      const bool rank = is_collective(task.operation);
      kernels_[i] = {.device = static_cast<std::size_t>(std::max(0, task.device)),
                     .blocks = rank ? rank_blocks(machine, task.cost.bytes.count, design.collective_blocks) : traits.blocks,
                     .together = !rank && traits.cooperative};
      for (const TaskId before : graph.predecessors(task_id(i))) before_[i].push_back(index(before));
    }
    for (const auto& [number, group] : meeting_groups(graph)) add_group(group);
    if (graph.has_collectives()) add_collectives(graph);
    if (runtime_of(design).streams()) add_streams(graph, design);
  }

  bool some_hang() {
    State state{.placed = std::vector<int>(kernels_.size(), kAway), .lines = std::vector<std::vector<std::size_t>>(devices_)};
    return hangs(state);
  }

 private:
  static constexpr int kAway = -1;
  static constexpr int kDone = -2;
  struct Kernel {
    std::size_t device = 0;
    int blocks = 1;
    bool together = false;
    std::size_t group = 0;  ///< from 1 on
  };
  struct State {
    std::vector<int> placed = {};  ///< by task: blocks that are or have been on cores; kAway before it has come, kDone once it has ended
    std::vector<std::vector<std::size_t>> lines = {};  ///< by device: those that have come and have blocks left over
    std::vector<int> gone = {};                        ///< by task: blocks that have ended
    friend auto operator<=>(const State&, const State&) = default;
  };

  void add_group(const std::vector<TaskId>& tasks) {
    groups_.push_back(tasks);
    for (const TaskId task : tasks) kernels_[index(task)].group = groups_.size();
  }
  void add_collectives(const TaskGraph& graph) {
    std::map<std::vector<std::int32_t>, std::vector<TaskId>> latest;
    std::map<std::int64_t, std::vector<TaskId>> by_number;
    std::vector<std::int64_t> order;
    for (const TaskId task : launch_order(graph)) {
      if (!is_collective(graph[task].operation)) continue;
      if (by_number[graph[task].args[1]].empty()) order.push_back(graph[task].args[1]);
      by_number[graph[task].args[1]].push_back(task);
    }
    for (const std::int64_t number : order) {
      const std::vector<TaskId>& ranks = by_number[number];
      add_group(ranks);
      std::vector<std::int32_t> devices;
      for (const TaskId rank : ranks) devices.push_back(graph[rank].device);
      std::vector<TaskId>& before = latest[devices];
      for (std::size_t i = 0; i < before.size(); ++i) before_[index(ranks[i])].push_back(index(before[i]));
      before = ranks;
    }
  }
  void add_streams(const TaskGraph& graph, const Design& design) {
    const std::vector<std::uint32_t> stream = assign_streams(graph, design);
    std::map<std::uint32_t, std::size_t> last;
    for (std::size_t at = 0; const TaskId task : launch_order(graph)) {
      const std::uint32_t in = stream[at++];
      if (last.contains(in)) before_[index(task)].push_back(last[in]);
      last[in] = index(task);
    }
  }

  int free_cores(const State& state, std::size_t device) const {
    int free = cores_;
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      if (kernels_[i].device == device && state.placed[i] > 0) free -= state.placed[i] - state.gone[i];
    }
    return free;
  }
  void place(State& state) const {
    for (std::size_t device = 0; device < devices_; ++device) {
      std::vector<std::size_t>& line = state.lines[device];
      int free = free_cores(state, device);
      while (!line.empty()) {
        const Kernel& kernel = kernels_[line.front()];
        int& placed = state.placed[line.front()];
        const int room = std::min(free, kernel.blocks - placed);
        if (!kernel.together || room == kernel.blocks) placed += room, free -= room;
        if (placed < kernel.blocks) break;
        line.erase(line.begin());
      }
    }
  }
  bool comes(const State& state, std::size_t task) const {
    if (state.placed[task] != kAway) return false;
    for (const std::size_t before : before_[task]) {
      if (state.placed[before] != kDone) return false;
    }
    return true;
  }
  bool whole(const State& state, const std::vector<TaskId>& group) const {
    for (const TaskId task : group) {
      if (state.placed[index(task)] != kernels_[index(task)].blocks) return false;
    }
    return true;
  }

  bool hangs(State state) {
    state.gone.resize(kernels_.size());
    place(state);
    const auto [known, is_new] = seen_.emplace(state, false);
    if (!is_new) return known->second;
    bool moved = false;
    bool hung = false;
    const auto go = [&](const State& next) {
      moved = true;
      hung = hung || hangs(next);
    };
    for (std::size_t i = 0; i < kernels_.size() && !hung; ++i) {
      State next = state;
      if (comes(state, i)) {
        next.placed[i] = 0;
        next.lines[kernels_[i].device].push_back(i);
        go(next);
      } else if (kernels_[i].group == 0 && state.placed[i] > state.gone[i]) {
        if (++next.gone[i] == kernels_[i].blocks) next.placed[i] = kDone;
        go(next);
      }
    }
    for (std::size_t g = 0; g < groups_.size() && !hung; ++g) {
      if (!whole(state, groups_[g])) continue;
      State next = state;
      for (const TaskId task : groups_[g]) next.placed[index(task)] = kDone;
      go(next);
    }
    if (!moved) {
      for (const int placed : state.placed) hung = hung || placed != kDone;
    }
    return seen_[state] = hung;
  }

  std::vector<std::vector<std::size_t>> before_;
  std::vector<Kernel> kernels_;
  std::size_t devices_;
  int cores_ = 0;
  std::vector<std::vector<TaskId>> groups_;
  std::map<State, bool> seen_;
};

}  // namespace tasktwin::sim
