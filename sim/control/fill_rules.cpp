#include "sim/control/fill_rules.hpp"

#include <bit>
#include <utility>
#include <vector>

namespace tasktwin::sim {

namespace {

class FillAlways final : public FillRule {
 public:
  using FillRule::FillRule;
  bool may_fill(std::uint32_t /*share*/, CoreType /*type*/) const override { return true; }
};

/// While more tasks than there are cores have not been taken.
class FillBeforeTail final : public FillRule {
 public:
  FillBeforeTail(int depth, const TaskCounts& counts, std::size_t cores) : FillRule(depth), counts_(counts), cores_(cores) {}
  bool may_fill(std::uint32_t /*share*/, CoreType /*type*/) const override { return counts_.known - counts_.taken > cores_; }
  bool is_steady() const override { return false; }

 private:
  const TaskCounts& counts_;
  std::size_t cores_;
};

/// While no other control core has told that one of its cores of that type is idle.
class FillWhenNoneIdle final : public FillRule {
 public:
  FillWhenNoneIdle(int depth, std::span<const CoreShare> shares) : FillRule(depth), shares_(shares) {
    for (std::uint32_t share = 0; share < shares.size(); ++share) {
      told_.push_back({});
      tell_idle(share);
    }
  }

  bool may_fill(std::uint32_t share, CoreType type) const override {
    for (std::size_t other = 0; other < told_.size(); ++other) {
      if (other != share && told_[other][static_cast<std::size_t>(type)] > 0) return false;
    }
    return true;
  }

  std::uint32_t tell_idle(std::uint32_t share) override {
    std::uint32_t fewer = 0;
    const OwnedCores& owned = shares_[share].owned;
    for (std::uint32_t left = owned.types(); left != 0; left &= left - 1) {
      const int type = std::countr_zero(left);
      const std::size_t idle = owned.idle(CoreType(type));
      if (idle < std::exchange(told_[share][static_cast<std::size_t>(type)], idle)) fewer |= 1u << type;
    }
    return fewer;
  }

 private:
  std::span<const CoreShare> shares_;
  std::vector<CoreCounts> told_;  ///< idle cores, by share
};

}  // namespace

std::unique_ptr<FillRule> make_fill_rule(const Design& design, std::span<const CoreShare> shares, const TaskCounts& counts,
                                         std::size_t cores) {
  const int depth = design.mailbox_depth;
  if (depth == 1 || design.fill == Fill::kAlways) return std::make_unique<FillAlways>(depth);
  if (design.fill == Fill::kNotInTail) return std::make_unique<FillBeforeTail>(depth, counts, cores);
  return std::make_unique<FillWhenNoneIdle>(depth, shares);
}

}  // namespace tasktwin::sim
