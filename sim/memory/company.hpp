#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/memory_share.hpp"
#include "models/units.hpp"

namespace tasktwin::sim {

/// How a body reads what it reads.
enum class Reading : std::uint8_t {
  kInPieces,  ///< and computes between them
  kSteadily,  ///< without a break, so that it holds up all others and is held up by them whenever they began
};

/// How much the flows under way hold each other up, by when they began: MemoryLaw::contention as far as they are in step. Bodies that begin
/// together ask the memory for their pieces at the same moments and then all compute, for as long as they run: docs/model/memory.md.
class Company {
 public:
  explicit Company(const MemoryLaw& law)
      : contention_(law.contention), window_(law.in_step_window), apart_(law.contention > 0 ? std::max(0.0, 1 - law.in_step) : 1) {}

  /// Contract: called in the order of `now`; nothing of that number is under way.
  void come(std::uint32_t flow, Reading reading, TimePoint now) {
    if (apart_ >= 1) return;
    began_.push_back({now, flow, reading});
    if (reading == Reading::kSteadily) ++steady_;
  }
  void go(std::uint32_t flow) {
    if (apart_ >= 1) return;
    const auto gone = std::ranges::find(began_, flow, &Began::flow);
    if (gone->reading == Reading::kSteadily) --steady_;
    began_.erase(gone);
  }

  double contention() const {
    if (began_.empty()) return contention_;
    return contention_ * std::max(apart_, static_cast<double>(most_in_step()) / static_cast<double>(began_.size()));
  }

 private:
  struct Began {
    TimePoint at;
    std::uint32_t flow;
    Reading reading;
  };

  /// Steady ones are in step with all.
  std::size_t most_in_step() const {
    std::size_t most = 0;
    std::size_t within = 0;
    std::size_t first = 0;
    for (const Began& last : began_) {
      if (last.reading == Reading::kInPieces) ++within;
      for (; last.at - began_[first].at > window_; ++first) {
        if (began_[first].reading == Reading::kInPieces) --within;
      }
      most = std::max(most, within);
    }
    return most + steady_;
  }

  double contention_;
  Duration window_;           ///< MemoryLaw::in_step_window
  double apart_;              ///< the part of the contention that is left of those that are not in step
  std::vector<Began> began_;  ///< of those under way, in this order
  std::size_t steady_ = 0;    ///< of them
};

}  // namespace tasktwin::sim
