#include "models/checks/early_stalls.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <ranges>
#include <set>

#include "models/machine/clusters.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

constexpr std::size_t kMostStarts = 256;
constexpr std::size_t kMostLast = 16;
constexpr std::size_t kMostVisits = 4'000'000;  ///< of tasks, by all starts together

/// The cores of one type, by dispatcher.
struct CorePool {
  int cores = 0;
  int dispatchers = 1;
  int most = 0;  ///< that one dispatcher has
};

std::map<CoreType, CorePool> core_pools(const Machine& machine, const Design& design) {
  const std::vector<CoreType> cores = worker_cores(design, machine);
  const auto count = static_cast<std::size_t>(design.ownership == Ownership::kShared ? 1 : dispatcher_count(design, machine));
  std::vector<std::size_t> owner(cores.size(), count);
  const auto whole = clusters(machine.compute_cores, cores);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    for (const CoreId core : whole[k]) owner[index(core)] = k % count;
  }
  for (std::size_t next = 0; std::size_t & of : owner) {
    if (of == count) of = next++ % count;
  }
  std::map<CoreType, std::vector<int>> owned;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    owned[cores[i]].resize(count);
    ++owned[cores[i]][owner[i]];
  }
  std::map<CoreType, CorePool> made;
  for (const auto& [type, by] : owned) {
    CorePool& pool = made[type];
    for (const int cores_of_one : by) pool.cores += cores_of_one;
    pool.dispatchers = static_cast<int>(std::ranges::count_if(by, [](int one) { return one > 0; }));
    pool.most = std::ranges::max(by);
  }
  return made;
}

class EarlySearch {
 public:
  EarlySearch(const StallCase& asked, int limit) : graph_(asked.graph), design_(asked.design), limit_(limit) {
    pools_ = core_pools(asked.machine, asked.design);
    place_.resize(graph_.size());
    for (std::size_t at = 0; const TaskId task : graph_.topological_order()) place_[index(task)] = at++;
    for (const TaskId task : graph_.topological_order()) {
      if (stages(task)) (graph_.traits(task).blocks > limit_ ? bounded_ : whole_)[graph_[task].core_type].push_back(task);
    }
  }

  /// The fewest tasks of one type that stall each other, and nothing where none do.
  std::vector<TaskId> fewest() const {
    std::vector<TaskId> found;
    const auto keep = [&found](std::vector<TaskId> held) {
      if (!held.empty() && (found.empty() || held.size() < found.size())) found = std::move(held);
    };
    for (const auto& [type, bounded] : bounded_) {
      const std::size_t starts = std::min({bounded.size(), kMostStarts, kMostVisits / std::max<std::size_t>(1, graph_.size()) + 1});
      for (std::size_t i = 0; i < starts; ++i) {
        const std::vector<TaskId> side_by_side = beside(bounded, i * bounded.size() / starts);
        keep(stalled(side_by_side, {}, pools_.at(type)));
        if (!found.empty() || !whole_.contains(type)) continue;
        for (const TaskId last : whole_.at(type) | std::views::take(kMostLast))
          keep(stalled(not_joined(side_by_side, last), {last}, pools_.at(type)));
      }
    }
    return found;
  }
  int cores(CoreType type) const { return pools_.at(type).cores; }
  int widest() const {
    int most = 0;
    for (std::size_t i = 0; i < graph_.size(); ++i) most = std::max(most, graph_.traits(task_id(i)).blocks);
    return most;
  }

 private:
  /// Whether some of its blocks may be on cores before it is ready, and others missing.
  bool stages(TaskId task) const {
    const Task& what = graph_[task];
    return what.operation == Operation::kKernel && what.core_type != CoreType::kMix && graph_.traits(task).blocks > 1 &&
           graph_.in_degree(task) > 0 && !graph_.spawner(task) && pools_.contains(what.core_type);
  }

  /// Of those from `start` on, some of which none follows another, as far as a window reaches.
  std::vector<TaskId> beside(const std::vector<TaskId>& cohorts, std::size_t start) const {
    std::vector<TaskId> chosen;
    std::vector<bool> behind(graph_.size());
    for (std::size_t i = start; i < cohorts.size(); ++i) {
      const TaskId task = cohorts[i];
      if (behind[index(task)]) continue;
      if (design_.graph_build == GraphBuild::kDevice && design_.window > 0 && !chosen.empty() &&
          place_[index(task)] - place_[index(chosen.front())] >= static_cast<std::size_t>(design_.window))
        break;
      chosen.push_back(task);
      mark(task, behind, [this](TaskId from) { return graph_.successors(from); });
    }
    return chosen;
  }

  /// Those of them that neither come before the task nor after it.
  std::vector<TaskId> not_joined(const std::vector<TaskId>& cohorts, TaskId task) const {
    std::vector<bool> joined(graph_.size());
    mark(task, joined, [this](TaskId from) { return graph_.successors(from); });
    mark(task, joined, [this](TaskId from) { return graph_.predecessors(from); });
    std::vector<TaskId> left;
    for (const TaskId cohort : cohorts) {
      if (!joined[index(cohort)]) left.push_back(cohort);
    }
    return left;
  }

  /// Marks all that are reached from the task and not marked yet.
  void mark(TaskId task, std::vector<bool>& marked, auto next) const {
    std::vector<TaskId> open{task};
    while (!open.empty()) {
      const TaskId from = open.back();
      open.pop_back();
      for (const TaskId reached : next(from)) {
        if (marked[index(reached)]) continue;
        marked[index(reached)] = true;
        open.push_back(reached);
      }
    }
  }

  /// The first few of them, the widest first, that stall each other, together with `last`, one that may have all its blocks: of those one
  /// alone has a part, since the others follow it, and it gets the last of the cores.
  std::vector<TaskId> stalled(std::vector<TaskId> cohorts, const std::vector<TaskId>& last, const CorePool& pool) const {
    if (cohorts.empty()) return {};
    std::ranges::stable_sort(cohorts, std::greater{}, [this](TaskId task) { return graph_.traits(task).blocks; });
    std::vector<TaskId> chosen;
    std::set<TaskId> awaited;  // predecessors, which have cores while the tasks are handed over, one at least for each task
    std::array<int, kCoreTypeCount> awaited_of{};
    cohorts.insert(cohorts.begin(), last.begin(), last.end());
    for (const TaskId task : cohorts) {
      const auto predecessors = graph_.predecessors(task);
      const bool known = std::ranges::any_of(predecessors, [&](TaskId before) { return awaited.contains(before); });
      const TaskId before = *predecessors.begin();
      int& of_type = awaited_of[static_cast<std::size_t>(graph_[before].core_type)];
      if (!known && pools_.contains(graph_[before].core_type)) {
        const int wide = graph_.traits(before).blocks;
        if (of_type + wide > design_.mailbox_depth * pools_.at(graph_[before].core_type).cores) continue;
        of_type += wide;
        awaited.insert(before);
      }
      chosen.push_back(task);
      const int running = awaited_of[static_cast<std::size_t>(graph_[task].core_type)];
      if (chosen.size() > last.size() && keep_out(chosen, pool, pool.cores - (running + design_.mailbox_depth - 1) / design_.mailbox_depth))
        return chosen;
    }
    return {};
  }

  /// Whether they can hold some of `room` cores, each at least one, so that the idle ones, as evenly as may be among dispatchers, are too
  /// few for what is missing of any of them.
  bool keep_out(const std::vector<TaskId>& chosen, const CorePool& pool, int room) const {
    int most = 0;
    for (const TaskId task : chosen) most += most_held(task);
    for (int held = std::min(room, most); held >= static_cast<int>(chosen.size()); --held) {
      int fewer = 0;  // than each may hold, by all together, for each to miss enough
      const bool possible = std::ranges::all_of(chosen, [&](TaskId task) {
        const int blocks = graph_.traits(task).blocks;  // of more than a dispatcher's cores they go to those of all
        const int idle = pool.cores - held;
        const int most_idle = blocks > pool.most ? idle : (idle + pool.dispatchers - 1) / pool.dispatchers;
        const int holds = std::min(most_held(task), blocks - most_idle - 1);
        fewer += most_held(task) - holds;
        return holds > 0;
      });
      if (possible && most - fewer >= held) return true;
    }
    return false;
  }
  int most_held(TaskId task) const { return std::min(limit_, graph_.traits(task).blocks - 1); }

  const TaskGraph& graph_;
  const Design& design_;
  int limit_;
  std::map<CoreType, CorePool> pools_;
  std::vector<std::size_t> place_;                   ///< in the order of submission, by TaskId
  std::map<CoreType, std::vector<TaskId>> bounded_;  ///< tasks that may not have all their blocks on cores before they are ready
  std::map<CoreType, std::vector<TaskId>> whole_;    ///< others of several blocks
};

bool leaves_parts(const Design& design) {
  return runtime_of(design).dispatched() && design.early_dispatch != EarlyDispatch::kOff && design.gang != Gang::kApart &&
         design.early_bound == EarlyBound::kPerEdge && design.early_limit < kNoEarlyLimit;
}

/// Other limits, in words: the greatest below and the least above under which nothing stalls.
std::string other_limits(const StallCase& asked, int widest) {
  const auto safe = [&asked](int limit) { return EarlySearch(asked, limit).fewest().empty(); };
  int below = asked.design.early_limit - 1;
  while (below > 0 && !safe(below)) --below;
  int above = asked.design.early_limit + 1;
  while (above < widest && !safe(above)) ++above;
  return (below > 0 ? " or an early_limit of at most " + std::to_string(below) + ", or" : " or an early_limit of") + " at least " +
         std::to_string(above);
}

}  // namespace

std::optional<Stall> early_stall(const StallCase& asked) {
  if (!leaves_parts(asked.design) || !asked.graph.has_wide_tasks()) return std::nullopt;
  const EarlySearch search(asked, asked.design.early_limit);
  std::vector<TaskId> held = search.fewest();
  if (held.empty()) return std::nullopt;
  const CoreType type = asked.graph[held.front()].core_type;
  const int blocks = asked.graph.traits(held.front()).blocks;
  const int limit = asked.design.early_limit;
  Stall stall{
      .holders = held,
      .why = std::to_string(held.size()) + " tasks, " + listed(asked.graph, held) + ", may each have up to " + std::to_string(limit) +
             " blocks waiting on cores of type '" + std::string(to_word(type)) +
             "' before they are ready (early_bound 'per_edge'); "
             "together they then hold so many of the " +
             std::to_string(search.cores(type)) + " that none gets all that it still needs at once, as '" +
             std::string(asked.graph.name(held.front())) + "' of its " + std::to_string(blocks),
      .remedy = "early_bound 'sum' avoids that under any early_limit," + other_limits(asked, search.widest()) + " under 'per_edge'"};
  return stall;
}

}  // namespace tasktwin
