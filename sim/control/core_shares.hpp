#pragma once

#include <cstdint>
#include <vector>

#include "sim/control/owned_cores.hpp"
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// Which dispatchers look after which cores, and the completions that those will see. Owned cores: cluster k, or core k where
/// there are no clusters, belongs to dispatcher k modulo their number; cores outside of whole clusters are dealt out one by
/// one. Shared cores: all dispatchers look after all.
struct CoreShare {
  struct Visible {
    TimePoint time;
    std::uint32_t core;
    friend auto operator<=>(const Visible&, const Visible&) = default;
  };

  OwnedCores owned;
  std::vector<std::vector<CoreId>> clusters;  ///< whole ones among them
  std::vector<std::uint32_t> dispatchers;     ///< that look after them
  Nanoseconds full_sweep{};
  std::vector<Visible> completions = {};    ///< known and not yet seen; a binary heap, the earliest first
  std::vector<std::uint32_t> visible = {};  ///< by CoreId: how many an interleaved loop could see, taken from `completions`
};

/// By core type.
using CoreCounts = std::array<std::size_t, kCoreTypeCount>;

class CoreShares {
 public:
  CoreShares(const WiringInputs& inputs, std::size_t dispatchers);

  std::size_t size() const { return shares_.size(); }
  CoreShare& operator[](std::size_t share) { return shares_[share]; }
  const CoreShare& operator[](std::size_t share) const { return shares_[share]; }
  /// Of a core.
  std::uint32_t of(std::size_t core) const { return share_of_[core]; }
  /// Of a dispatcher.
  std::uint32_t share_of_dispatcher(std::size_t dispatcher) const {
    return shares_.size() == 1 ? 0 : static_cast<std::uint32_t>(dispatcher);
  }
  /// How many cores of each type a dispatcher looks after, for `mix` the clusters; by dispatcher.
  std::vector<CoreCounts> core_counts(std::size_t dispatchers) const;

  /// Throws InputError if a task that needs several cores at once fits no dispatcher's share.
  void check_fits(const WiringInputs& inputs) const;

 private:
  std::vector<CoreShare> shares_;
  std::vector<std::uint32_t> share_of_;  ///< by CoreId
};

}  // namespace tasktwin::sim
