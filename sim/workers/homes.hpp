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
  Homes(std::span<const CoreType> workers, std::size_t count) : has_(count) {
    for (std::size_t worker = 0; worker < workers.size(); ++worker) {
      home_.push_back(rules::home_of(static_cast<std::uint32_t>(worker), static_cast<std::uint32_t>(count)));
      has_[home_.back()] |= bit_of(workers[worker]);
    }
  }

  std::size_t count() const { return has_.size(); }
  std::size_t of(CoreId worker) const { return home_[index(worker)]; }

  /// Where a task for `type` goes that `by` pushes, or no core (kNoCore). Contract: some worker is of that type.
  std::size_t place(CoreId by, CoreType type) {
    const auto usable = [&](std::uint32_t home) { return (has_[home] & bit_of(type)) != 0; };
    const auto homes = static_cast<std::uint32_t>(count());
    if (by == kNoCore) return rules::deal(turns_[static_cast<std::size_t>(type)], homes, usable);
    return rules::first_usable(home_[index(by)], homes, usable);
  }

 private:
  std::vector<std::uint32_t> home_;  ///< by CoreId
  std::vector<std::uint32_t> has_;   ///< by home: its workers' types
  std::array<std::uint32_t, kCoreTypeCount> turns_{};
};

}  // namespace tasktwin::sim
