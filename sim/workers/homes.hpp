#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "models/ids.hpp"
#include "models/task_graph.hpp"

namespace tasktwin::sim {

/// Which of several ready queues each worker pushes to and takes from: worker w's is queue w modulo their number.
class Homes {
 public:
  Homes(std::span<const CoreType> workers, std::size_t count) : has_(count) {
    for (std::size_t worker = 0; worker < workers.size(); ++worker) {
      home_.push_back(worker % count);
      has_[home_.back()] |= bit(workers[worker]);
    }
  }

  std::size_t count() const { return has_.size(); }
  std::size_t of(CoreId worker) const { return home_[index(worker)]; }

  /// Where a task for `type` goes: to the home of `by`, or to the next one after it whose workers are of that type; dealt out
  /// in turn among those where nobody in particular pushes (kNoCore). Contract: some worker is of that type.
  std::size_t place(CoreId by, CoreType type) {
    std::size_t& turn = next_[static_cast<std::size_t>(type)];
    std::size_t home = by == kNoCore ? turn : of(by);
    while ((has_[home] & bit(type)) == 0) home = after(home);
    if (by == kNoCore) turn = after(home);
    return home;
  }

 private:
  static constexpr std::uint32_t bit(CoreType type) { return 1u << static_cast<unsigned>(type); }

  std::size_t after(std::size_t home) const { return home + 1 < has_.size() ? home + 1 : 0; }

  std::vector<std::size_t> home_;   ///< by CoreId
  std::vector<std::uint32_t> has_;  ///< by home: its workers' types
  std::array<std::size_t, kCoreTypeCount> next_{};
};

}  // namespace tasktwin::sim
