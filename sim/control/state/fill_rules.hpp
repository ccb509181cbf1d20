#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "models/design/design.hpp"
#include "sim/control/state/core_shares.hpp"

namespace tasktwin::sim {

/// The blocks of tasks that are known to the control cores, and how many of them have been taken for a core.
struct BlockCounts {
  std::size_t known = 0;
  std::size_t taken = 0;
  std::uint32_t left() const { return static_cast<std::uint32_t>(known - taken); }
};

/// Whether a core that already holds a task may be given another, the idle ones of its control core being served first. A cluster is not,
/// whatever the rule, while another share has an idle one.
class FillRule {
 public:
  /// Contract: `shares` outlive it.
  FillRule(int depth, std::span<const CoreShare> shares) : depth_(static_cast<std::uint32_t>(depth)), shares_(shares) {}
  virtual ~FillRule() = default;

  /// A core of `type` in that share; for `mix` a cluster.
  bool may_fill(std::uint32_t share, CoreType type) const {
    return (type != CoreType::kMix || !idle_cluster_elsewhere(share)) && lets_fill(share, type);
  }
  /// Whether the answer stays the same while one control core hands over.
  virtual bool is_steady() const { return true; }
  /// A control core of `share` begins an iteration. Returns the types, as bits, of which fewer of its cores are idle than others thought.
  virtual std::uint32_t tell_idle(std::uint32_t /*share*/) { return 0; }

  std::uint32_t depth() const { return depth_; }
  /// How many tasks a core may hold.
  std::uint32_t levels(std::uint32_t share, CoreType type) const { return may_fill(share, type) ? depth_ : 1; }

 private:
  /// Of clusters, while no other share has an idle one.
  virtual bool lets_fill(std::uint32_t share, CoreType type) const = 0;
  bool idle_cluster_elsewhere(std::uint32_t share) const;

  std::uint32_t depth_;
  std::span<const CoreShare> shares_;
};

/// Contract: `shares` and `blocks` outlive it.
std::unique_ptr<FillRule> make_fill_rule(const Design& design, std::span<const CoreShare> shares, const BlockCounts& blocks,
                                         std::size_t cores);

}  // namespace tasktwin::sim
