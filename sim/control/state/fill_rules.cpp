#include "sim/control/state/fill_rules.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/policies/own_policies.hpp"
#include "models/rules/fill.hpp"

namespace tasktwin::sim {

namespace {

class FillAlways final : public FillRule {
 public:
  using FillRule::FillRule;
  bool may_fill(std::uint32_t /*share*/, CoreType /*type*/) const override { return true; }
};

class FillBeforeTail final : public FillRule {
 public:
  FillBeforeTail(int depth, const BlockCounts& blocks, std::size_t cores)
      : FillRule(depth), blocks_(blocks), cores_(static_cast<std::uint32_t>(cores)) {}
  bool may_fill(std::uint32_t /*share*/, CoreType /*type*/) const override {
    return rules::may_fill(Fill::kNotInTail, {.idle_elsewhere = 0, .left = blocks_.left(), .cores = cores_});
  }
  bool is_steady() const override { return false; }

 private:
  const BlockCounts& blocks_;
  std::uint32_t cores_;
};

/// While no other control core has told that one of its cores of that type, or a cluster of its, is idle.
class FillWhenNoneIdle final : public FillRule {
 public:
  FillWhenNoneIdle(int depth, std::span<const CoreShare> shares) : FillRule(depth), shares_(shares) {
    for (std::uint32_t share = 0; share < shares.size(); ++share) {
      told_.push_back({});
      tell_idle(share);
    }
  }

  bool may_fill(std::uint32_t share, CoreType type) const override {
    return rules::may_fill(Fill::kWhenNoCoreIdle, {.idle_elsewhere = elsewhere(share, type), .left = 0, .cores = 0});
  }

  std::uint32_t elsewhere(std::uint32_t share, CoreType type) const {
    std::size_t idle = 0;
    for (std::size_t other = 0; other < told_.size(); ++other) {
      if (other != share) idle += told_[other][static_cast<std::size_t>(type)];
    }
    return static_cast<std::uint32_t>(idle);
  }

  std::uint32_t tell_idle(std::uint32_t share) override {
    std::uint32_t fewer = 0;
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
      const std::size_t idle = idle_of(shares_[share], CoreType(type));
      if (idle < std::exchange(told_[share][type], idle)) fewer |= 1u << type;
    }
    return fewer;
  }

 private:
  /// For `mix` clusters of which every core is idle.
  static std::size_t idle_of(const CoreShare& share, CoreType type) {
    if (type != CoreType::kMix) return share.owned.idle(type);
    return static_cast<std::size_t>(std::ranges::count_if(share.clusters, [&share](const std::vector<CoreId>& cluster) {
      return std::ranges::all_of(cluster, [&share](CoreId core) { return share.owned.is_at(0, static_cast<std::uint32_t>(index(core))); });
    }));
  }

  std::span<const CoreShare> shares_;
  std::vector<CoreCounts> told_;  ///< idle cores, by share
};

class FillByOwn final : public FillRule {
 public:
  FillByOwn(const Design& design, std::span<const CoreShare> shares, const BlockCounts& blocks, std::size_t cores)
      : FillRule(design.mailbox_depth),
        idle_(design.mailbox_depth, shares),
        rule_(make_own_fill(*design.own.fill)),
        blocks_(blocks),
        cores_(static_cast<std::uint32_t>(cores)) {}

  bool may_fill(std::uint32_t share, CoreType type) const override {
    return rule_({.idle_elsewhere = idle_.elsewhere(share, type), .left = blocks_.left(), .cores = cores_});
  }
  bool is_steady() const override { return false; }
  std::uint32_t tell_idle(std::uint32_t share) override { return idle_.tell_idle(share); }

 private:
  FillWhenNoneIdle idle_;
  std::function<bool(const rules::FillView&)> rule_;
  const BlockCounts& blocks_;
  std::uint32_t cores_;
};

}  // namespace

std::unique_ptr<FillRule> make_fill_rule(const Design& design, std::span<const CoreShare> shares, const BlockCounts& blocks,
                                         std::size_t cores) {
  const int depth = design.mailbox_depth;
  if (depth > 1 && design.own.fill) return std::make_unique<FillByOwn>(design, shares, blocks, cores);
  if (depth == 1 || design.fill == Fill::kAlways) return std::make_unique<FillAlways>(depth);
  if (design.fill == Fill::kNotInTail) return std::make_unique<FillBeforeTail>(depth, blocks, cores);
  return std::make_unique<FillWhenNoneIdle>(depth, shares);
}

}  // namespace tasktwin::sim
