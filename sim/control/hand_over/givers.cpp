#include "sim/control/hand_over/givers.hpp"

#include <algorithm>
#include <vector>

#include "models/machine/clusters.hpp"

namespace tasktwin::sim {

namespace {

class OneCoreTasks final : public Giver {
 public:
  explicit OneCoreTasks(const GiverParts& parts) : parts_(parts) {}

  bool give(Round& round, std::uint32_t core, std::uint32_t /*level*/) override {
    const CoreType type = parts_.cores[core];
    for (const std::size_t shard : parts_.queues.sources(round.by, core)) {
      if (parts_.queues.empty(shard, type)) continue;
      parts_.deliveries.hand(round, core, parts_.deliveries.take(round, shard, type));
      return true;
    }
    return false;
  }

 private:
  GiverParts parts_;
};

/// A task that needs several cores at once and is first waits until as many are idle; those of its type after it wait too. One whose
/// blocks may start apart keeps its place until the last of them is handed over.
class WideTasks final : public Giver {
 public:
  WideTasks(const GiverParts& parts, Gang gang)
      : parts_(parts),
        gang_(gang),
        blocks_handed_(gang == Gang::kApart ? parts.graph.size() : 0),
        of_clusters_(has_mix_tasks(parts.graph)) {}

  bool give(Round& round, std::uint32_t core, std::uint32_t level) override {
    const CoreType type = parts_.cores[core];
    for (const std::size_t shard : parts_.queues.sources(round.by, core)) {
      if (parts_.queues.empty(shard, type)) continue;
      if ((round.blocked & bit_of(type)) != 0 || parts_.mailboxes.held(core) != level) return false;
      const TaskId task = parts_.queues.front(shard, type);
      if (parts_.graph.traits(task).blocks == 1) {
        parts_.deliveries.hand(round, core, parts_.deliveries.take(round, shard, type));
      } else if (gang_ == Gang::kApart) {
        give_block(round, core, shard, type);
      } else {
        return give_gang(round, shard, type);
      }
      return true;
    }
    return false;
  }

  /// `mix` tasks to each cluster whose cores, those that the task takes, are idle, or, where they may start apart, hold no more than that.
  void give_clusters(Round& round, std::uint32_t level) override {
    if (!of_clusters_ || (level > 0 && gang_ == Gang::kTogether)) return;
    const std::uint32_t share = parts_.shares.share_of_dispatcher(round.by);
    for (const std::vector<CoreId>& cluster : parts_.shares.of_dispatcher(round.by).clusters) {
      const std::size_t shard = *parts_.queues.sources(round.by, index(cluster.front())).begin();
      while (!round.is_full() && !parts_.queues.empty(shard, CoreType::kMix) && parts_.queues.may_take(shard, CoreType::kMix)) {
        if (level > 0 && !parts_.fill.may_fill(share, CoreType::kMix)) return;
        const std::vector<std::uint32_t> cores = cores_for(parts_.queues.front(shard, CoreType::kMix), cluster, level);
        if (cores.empty()) break;
        parts_.deliveries.count_blocks(cores.size() - 1);
        parts_.deliveries.hand(round, cores, parts_.deliveries.take(round, shard, CoreType::kMix));
      }
    }
  }

  std::vector<std::uint32_t> idle_cluster(std::uint32_t by, TaskId task) const override {
    for (const std::vector<CoreId>& cluster : parts_.shares.of_dispatcher(by).clusters) {
      std::vector<std::uint32_t> cores = cores_for(task, cluster, 0);
      if (!cores.empty()) return cores;
    }
    return {};
  }

 private:
  /// As many of each type as the `mix` task takes, the whole cluster where it does not say; empty where not as many hold at most `level`
  /// tasks.
  std::vector<std::uint32_t> cores_for(TaskId task, const std::vector<CoreId>& cluster, std::uint32_t level) const {
    const TaskTraits& traits = parts_.graph.traits(task);
    const bool whole = traits.aic + traits.aiv == 0;
    int aic = traits.aic;
    int aiv = traits.aiv;
    std::vector<std::uint32_t> cores;
    for (const CoreId id : cluster) {
      const auto core = static_cast<std::uint32_t>(index(id));
      int& wanted = parts_.cores[core] == CoreType::kAic ? aic : aiv;
      if (parts_.mailboxes.held(core) > level || parts_.mailboxes.closed(core) || (!whole && wanted == 0)) continue;
      if (!whole) --wanted;
      cores.push_back(core);
    }
    const bool enough = whole ? cores.size() == cluster.size() : aic + aiv == 0;
    return enough ? cores : std::vector<std::uint32_t>{};
  }

  void give_block(Round& round, std::uint32_t core, std::size_t shard, CoreType type) {
    const TaskId task = parts_.queues.front(shard, type);
    parts_.deliveries.claim(round, shard, type);
    if (++blocks_handed_[index(task)] == parts_.graph.traits(task).blocks) {
      parts_.deliveries.take(round, shard, type);
    } else {
      parts_.deliveries.count_blocks(1);
    }
    parts_.deliveries.hand(round, core, task);
  }

  /// A cohort that no dispatcher's share could hold is placed over the cores of all: none of them hands out tasks of its type while it
  /// is first, and the dispatcher that finds enough idle cores gets the agreement of the others.
  bool give_gang(Round& round, std::size_t shard, CoreType type) {
    const auto blocks = static_cast<std::size_t>(parts_.graph.traits(parts_.queues.front(shard, type)).blocks);
    const bool of_all = blocks > parts_.shares.most_of_one(type);
    std::vector<std::uint32_t> idle;
    const auto collect = [&](const CoreShare& share) {
      share.owned.for_each(0, bit_of(type), [&idle](std::uint32_t core) { idle.push_back(core); });
    };
    if (of_all) {
      std::ranges::for_each(parts_.shares.all(), collect);
      std::ranges::sort(idle);
    } else {
      collect(parts_.shares.of_dispatcher(round.by));
    }
    if (idle.size() < blocks) {
      round.blocked |= bit_of(type);
      return false;
    }
    if (of_all) parts_.deliveries.agree(round, parts_.shares.dispatchers() - 1);
    parts_.deliveries.count_blocks(blocks - 1);
    parts_.deliveries.hand(round, std::span(idle).first(blocks), parts_.deliveries.take(round, shard, type));
    return true;
  }

  GiverParts parts_;
  Gang gang_;
  std::vector<int> blocks_handed_;  ///< by TaskId, where blocks start apart
  bool of_clusters_;                ///< whether some task is for a cluster
};

}  // namespace

std::unique_ptr<Giver> make_giver(const GiverParts& parts, Gang gang) {
  if (parts.graph.has_wide_tasks()) return std::make_unique<WideTasks>(parts, gang);
  return std::make_unique<OneCoreTasks>(parts);
}

}  // namespace tasktwin::sim
