#include "sim/control/state/fill_rules.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "models/policies/own_policies.hpp"
#include "models/rules/fill.hpp"

namespace tasktwin::sim {

namespace {

class FillAlways final : public FillRule {
 public:
  using FillRule::FillRule;

 private:
  bool lets_fill(std::uint32_t /*share*/, CoreType /*type*/) const override { return true; }
};

class FillBeforeTail final : public FillRule {
 public:
  FillBeforeTail(int depth, std::span<const CoreShare> shares, const BlockCounts& blocks, std::size_t cores)
      : FillRule(depth, shares), blocks_(blocks), cores_(static_cast<std::uint32_t>(cores)) {}
  bool is_steady() const override { return false; }

 private:
  bool lets_fill(std::uint32_t /*share*/, CoreType /*type*/) const override {
    return rules::may_fill(Fill::kNotInTail, {.idle_elsewhere = 0, .left = blocks_.left(), .cores = cores_});
  }

  const BlockCounts& blocks_;
  std::uint32_t cores_;
};

/// How many idle cores of each type the control cores have told each other of.
class ToldIdle {
 public:
  explicit ToldIdle(std::span<const CoreShare> shares) : shares_(shares), told_(shares.size()) {
    for (std::uint32_t share = 0; share < shares.size(); ++share) tell(share);
  }

  std::uint32_t elsewhere(std::uint32_t share, CoreType type) const {
    std::size_t idle = 0;
    for (std::size_t other = 0; other < told_.size(); ++other) {
      if (other != share) idle += told_[other][static_cast<std::size_t>(type)];
    }
    return static_cast<std::uint32_t>(idle);
  }

  std::uint32_t tell(std::uint32_t share) {
    std::uint32_t fewer = 0;
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
      const std::size_t idle = shares_[share].owned.idle(CoreType(type));
      if (idle < std::exchange(told_[share][type], idle)) fewer |= 1u << type;
    }
    return fewer;
  }

 private:
  std::span<const CoreShare> shares_;
  std::vector<CoreCounts> told_;  ///< by share
};

class FillWhenNoneIdle final : public FillRule {
 public:
  FillWhenNoneIdle(int depth, std::span<const CoreShare> shares) : FillRule(depth, shares), idle_(shares) {}
  std::uint32_t tell_idle(std::uint32_t share) override { return idle_.tell(share); }

 private:
  bool lets_fill(std::uint32_t share, CoreType type) const override {
    return rules::may_fill(Fill::kWhenNoCoreIdle, {.idle_elsewhere = idle_.elsewhere(share, type), .left = 0, .cores = 0});
  }

  ToldIdle idle_;
};

class FillByOwn final : public FillRule {
 public:
  FillByOwn(const Design& design, std::span<const CoreShare> shares, const BlockCounts& blocks, std::size_t cores)
      : FillRule(design.mailbox_depth, shares),
        idle_(shares),
        rule_(make_own_fill(*design.own.fill)),
        blocks_(blocks),
        cores_(static_cast<std::uint32_t>(cores)) {}
  bool is_steady() const override { return false; }
  std::uint32_t tell_idle(std::uint32_t share) override { return idle_.tell(share); }

 private:
  bool lets_fill(std::uint32_t share, CoreType type) const override {
    return rule_({.idle_elsewhere = idle_.elsewhere(share, type), .left = blocks_.left(), .cores = cores_});
  }

  ToldIdle idle_;
  std::function<bool(const rules::FillView&)> rule_;
  const BlockCounts& blocks_;
  std::uint32_t cores_;
};

}  // namespace

bool FillRule::idle_cluster_elsewhere(std::uint32_t share) const {
  for (std::uint32_t other = 0; other < shares_.size(); ++other) {
    if (other != share && shares_[other].idle_clusters() > 0) return true;
  }
  return false;
}

std::unique_ptr<FillRule> make_fill_rule(const Design& design, std::span<const CoreShare> shares, const BlockCounts& blocks,
                                         std::size_t cores) {
  const int depth = design.mailbox_depth;
  if (depth > 1 && design.own.fill) return std::make_unique<FillByOwn>(design, shares, blocks, cores);
  if (depth == 1 || design.fill == Fill::kAlways) return std::make_unique<FillAlways>(depth, shares);
  if (design.fill == Fill::kNotInTail) return std::make_unique<FillBeforeTail>(depth, shares, blocks, cores);
  return std::make_unique<FillWhenNoneIdle>(depth, shares);
}

}  // namespace tasktwin::sim
