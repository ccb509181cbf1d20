#include "sim/control/hand_over/core_choice.hpp"

#include <bit>
#include <optional>
#include <utility>
#include <vector>

namespace tasktwin::sim {

namespace {

class ByLevel : public CoreChoice {
 public:
  explicit ByLevel(const ChoiceParts& parts) : parts_(parts) {}

  void hand_out(Round& round, bool /*ahead*/) override {
    for (std::uint32_t level = 1; level < parts_.fill.depth() && mix_goes_first(round.by); ++level)
      parts_.giver.give_clusters(round, level);
    if (mix_goes_first(round.by)) return;
    for (std::uint32_t level = 0; level < parts_.fill.depth() && !round.is_full(); ++level) {
      if (level > 0) parts_.giver.give_clusters(round, level);
      hand_out_at(level, round);
    }
  }

 protected:
  ChoiceParts parts_;

 private:
  bool mix_goes_first(std::uint32_t by) const {
    const std::vector<std::uint32_t>& cores = parts_.shares.of_dispatcher(by).owned.cores();
    return !cores.empty() && parts_.queues.mix_goes_first(by, cores.front());
  }
  bool is_drained(CoreType type) const { return parts_.queues.single() && parts_.queues.empty(0, type); }

  void hand_out_at(std::uint32_t level, Round& round) {
    const OwnedCores& owned = parts_.shares.of_dispatcher(round.by).owned;
    const std::uint32_t share = parts_.shares.share_of_dispatcher(round.by);
    std::uint32_t types = owned.types();
    for (std::uint32_t left = types; left != 0; left &= left - 1) {
      const auto type = CoreType(std::countr_zero(left));
      if (is_drained(type) || (level > 0 && !parts_.fill.may_fill(share, type))) types &= ~bit_of(type);
    }
    if (types == 0) return;
    owned.for_each_while(level, types, [&](std::uint32_t core) {
      const CoreType type = parts_.cores[core];
      if ((types & bit_of(type)) == 0) return true;
      if (level == 0 || parts_.fill.is_steady() || parts_.fill.may_fill(share, type)) parts_.giver.give(round, core, level);
      if (is_drained(type)) types &= ~bit_of(type);
      return types != 0 && !round.is_full();
    });
  }
};

class InRuns final : public ByLevel {
 public:
  using ByLevel::ByLevel;

  void hand_out(Round& round, bool ahead) override {
    if (!ahead || !fill_up(round)) ByLevel::hand_out(round, ahead);
  }

 private:
  std::size_t room(std::uint32_t core) const { return parts_.fill.depth() - parts_.mailboxes.held(core); }

  /// Returns whether there was enough.
  bool fill_up(Round& round) {
    const OwnedCores& owned = parts_.shares.of_dispatcher(round.by).owned;
    const std::vector<std::uint32_t>& cores = owned.cores();
    const CoreType type = parts_.cores.front();
    const std::size_t all = parts_.fill.depth() * cores.size() - owned.held();
    if (!parts_.fill.is_steady() || parts_.queues.size(0, type) < all || static_cast<std::int64_t>(all) > round.limit) return false;
    std::vector<std::vector<TaskId>> runs;
    for (const std::uint32_t core : cores) {
      std::vector<TaskId>& run = runs.emplace_back();
      while (run.size() < room(core)) run.push_back(parts_.deliveries.take(round, 0, type));
    }
    for (std::size_t nth = 0; nth < parts_.fill.depth(); ++nth) {
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (nth < runs[i].size()) parts_.deliveries.hand(round, cores[i], runs[i][nth]);
      }
    }
    return true;
  }
};

/// The first task of all goes to the first core that has room for it; where none has, those after it wait.
class InOrder final : public CoreChoice {
 public:
  explicit InOrder(const ChoiceParts& parts) : parts_(parts) {}

  void hand_out(Round& round, bool /*ahead*/) override {
    while (!round.is_full() && hand_head(round)) {
    }
  }

 private:
  bool hand_head(Round& round) {
    const std::int64_t before = round.handed;
    for (std::uint32_t level = 0; level < parts_.fill.depth(); ++level) {
      parts_.giver.give_clusters(round, level);
      if (round.handed > before) return true;
    }
    const OwnedCores& owned = parts_.shares.of_dispatcher(round.by).owned;
    const std::uint32_t share = parts_.shares.share_of_dispatcher(round.by);
    for (std::uint32_t left = owned.types(); left != 0; left &= left - 1) {
      const auto type = CoreType(std::countr_zero(left));
      for (std::uint32_t level = 0; level < parts_.fill.levels(share, type); ++level) {
        std::optional<std::uint32_t> core;
        owned.for_each_while(level, bit_of(type), [&](std::uint32_t id) {
          core = id;
          return false;
        });
        if (!core) continue;
        const std::size_t shard = *parts_.queues.sources(round.by, *core).begin();
        if (parts_.queues.empty(shard, type) || !parts_.queues.may_take(shard, type)) break;
        if (parts_.giver.give(round, *core, level)) return true;
      }
    }
    return false;
  }

  ChoiceParts parts_;
};

class ByPolicy final : public CoreChoice {
 public:
  ByPolicy(const ChoiceParts& parts, std::unique_ptr<CorePolicy> policy) : parts_(parts), policy_(std::move(policy)) {}

  void hand_out(Round& round, bool /*ahead*/) override {
    for (std::uint32_t level = 1; level < parts_.fill.depth(); ++level) parts_.giver.give_clusters(round, level);
    for (std::uint32_t left = parts_.shares.of_dispatcher(round.by).owned.types(); left != 0; left &= left - 1) {
      const auto type = CoreType(std::countr_zero(left));
      while (!round.is_full() && hand_next(type, round)) {
      }
    }
  }

 private:
  bool hand_next(CoreType type, Round& round) {
    find_candidates(type, round);
    if (candidates_.empty()) return false;
    const std::size_t shard = *parts_.queues.sources(round.by, index(candidates_.front().core)).begin();
    if (parts_.queues.empty(shard, type)) return false;
    const auto chosen = policy_->choose(parts_.queues.front(shard, type), candidates_);
    const auto core = static_cast<std::uint32_t>(index(candidates_[chosen.value_or(0)].core));
    return parts_.giver.give(round, core, parts_.mailboxes.held(core));
  }

  void find_candidates(CoreType type, const Round& round) {
    const OwnedCores& owned = parts_.shares.of_dispatcher(round.by).owned;
    const std::uint32_t levels = parts_.fill.levels(parts_.shares.share_of_dispatcher(round.by), type);
    candidates_.clear();
    for (std::uint32_t level = 0; level < levels; ++level) {
      owned.for_each(level, bit_of(type), [this](std::uint32_t core) {
        const CoreLoad& load = parts_.mailboxes.loads()[core];
        candidates_.push_back({CoreId{core}, load.held, load.expected});
      });
    }
  }

  ChoiceParts parts_;
  std::unique_ptr<CorePolicy> policy_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::unique_ptr<CoreChoice> make_choice_by_level(const ChoiceParts& parts) { return std::make_unique<ByLevel>(parts); }

std::unique_ptr<CoreChoice> make_choice_in_order(const ChoiceParts& parts) { return std::make_unique<InOrder>(parts); }

std::unique_ptr<CoreChoice> make_choice_in_runs(const ChoiceParts& parts) { return std::make_unique<InRuns>(parts); }

std::unique_ptr<CoreChoice> make_choice_by_policy(const ChoiceParts& parts, std::unique_ptr<CorePolicy> policy) {
  return std::make_unique<ByPolicy>(parts, std::move(policy));
}

}  // namespace tasktwin::sim
