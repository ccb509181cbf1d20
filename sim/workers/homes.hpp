#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/base/ids.hpp"
#include "models/graph/task_graph.hpp"
#include "models/rules/home.hpp"

namespace tasktwin::sim {

/// The homes of workers (models/rules/home.hpp): a task is of use where a worker of its type is at home.
class Homes {
 public:
  /// Contract: `workers`, by CoreId, outlive this.
  Homes(std::span<const CoreType> workers, std::size_t count)
      : workers_(workers), count_(static_cast<std::uint32_t>(count)), has_(one_each() ? 0 : count) {
    for (std::size_t worker = 0, home = 0; !one_each() && worker < workers.size(); ++worker, home = home + 1 < count ? home + 1 : 0)
      has_[home] |= bit_of(workers[worker]);
  }

  std::size_t count() const { return count_; }
  /// Whether each worker has a home of its own, with its number.
  bool one_each() const { return count_ == workers_.size(); }
  std::size_t of(CoreId worker) const {
    if (count_ == 1) return 0;
    return one_each() ? index(worker) : rules::home_of(static_cast<std::uint32_t>(worker), count_);
  }

  /// Where a task for `type` goes that `by` pushes, or no core (kNoCore). Contract: some worker is of that type.
  std::size_t place(CoreId by, CoreType type) {
    const auto usable = [&](std::uint32_t home) { return one_each() ? workers_[home] == type : (has_[home] & bit_of(type)) != 0; };
    if (by == kNoCore) return rules::deal(turns_[static_cast<std::size_t>(type)], count_, usable);
    return rules::first_usable(static_cast<std::uint32_t>(of(by)), count_, usable);
  }

 private:
  std::span<const CoreType> workers_;
  std::uint32_t count_;
  std::vector<std::uint32_t> has_;  ///< by home: its workers' types; empty where each has one of its own
  std::array<std::uint32_t, kCoreTypeCount> turns_{};
};

}  // namespace tasktwin::sim
