#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "models/base/units.hpp"
#include "models/design/design.hpp"
#include "models/machine/machine.hpp"
#include "sim/control/state/owned_cores.hpp"

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
  std::vector<Visible> completions = {};      ///< known and not yet taken by a sweep; a binary heap, the earliest first

  /// Those of which every core is idle.
  std::size_t idle_clusters() const {
    return static_cast<std::size_t>(std::ranges::count_if(clusters, [this](const std::vector<CoreId>& cluster) {
      return std::ranges::all_of(cluster, [this](CoreId core) { return owned.is_at(0, static_cast<std::uint32_t>(index(core))); });
    }));
  }
  void add(const Visible& completion) {
    completions.push_back(completion);
    std::ranges::push_heap(completions, std::greater{});
  }
  /// The core of the earliest completion that can be seen at `now`; nothing if there is none.
  std::optional<std::uint32_t> take(TimePoint now) {
    if (completions.empty() || completions.front().time > now) return std::nullopt;
    const std::uint32_t core = completions.front().core;
    std::ranges::pop_heap(completions, std::greater{});
    completions.pop_back();
    return core;
  }
};

/// By core type.
using CoreCounts = std::array<std::size_t, kCoreTypeCount>;

class CoreShares {
 public:
  using Number = std::uint16_t;  ///< of a share: there are at most as many as control cores

  /// `types` by CoreId: the cores that can take tasks. Contract: they outlive this; dispatchers hand tasks out under `design`.
  CoreShares(const Machine& machine, const Design& design, std::span<const CoreType> types);

  std::size_t size() const { return shares_.size(); }
  std::span<const CoreShare> all() const { return shares_; }
  CoreShare& operator[](std::size_t share) { return shares_[share]; }
  const CoreShare& operator[](std::size_t share) const { return shares_[share]; }
  std::size_t dispatchers() const { return dispatchers_; }
  /// Of a core.
  std::uint32_t of(std::size_t core) const { return share_of_.empty() ? 0U : share_of_[core]; }
  /// Of a dispatcher.
  std::uint32_t share_of_dispatcher(std::size_t dispatcher) const {
    return shares_.size() == 1 ? 0 : static_cast<std::uint32_t>(dispatcher);
  }
  CoreShare& of_dispatcher(std::size_t dispatcher) { return shares_[share_of_dispatcher(dispatcher)]; }
  const CoreShare& of_dispatcher(std::size_t dispatcher) const { return shares_[share_of_dispatcher(dispatcher)]; }
  /// How many cores of each type a dispatcher looks after, for `mix` the clusters; by dispatcher.
  std::vector<CoreCounts> core_counts() const;

  /// The most cores of the type that one dispatcher looks after.
  std::size_t most_of_one(CoreType type) const { return most_[static_cast<std::size_t>(type)]; }

 private:
  std::size_t dispatchers_;
  std::vector<CoreShare> shares_;
  std::vector<Number> share_of_;  ///< by CoreId; empty where there is one
  CoreCounts most_{};
};

}  // namespace tasktwin::sim
