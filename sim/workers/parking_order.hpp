#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "models/base/ids.hpp"

namespace tasktwin::sim {

/// Workers in the order in which they have parked. Leaving, from any place, takes O(log workers).
class ParkingOrder {
 public:
  std::size_t size() const { return size_; }

  /// Contract: `core` is not here.
  void push_back(CoreId core) {
    if (slots_.size() + 1 >= counts_.size()) make_room();
    if (slot_of_.size() <= index(core)) slot_of_.resize(index(core) + 1);
    slot_of_[index(core)] = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(core);
    add(slots_.size() - 1, 1);
    ++size_;
  }

  /// The one that `before` others precede. Contract: before < size().
  CoreId at(std::size_t before) const {
    std::size_t slot = 0;
    for (std::size_t step = std::bit_floor(counts_.size() - 1); step > 0; step /= 2) {
      if (slot + step >= counts_.size() || counts_[slot + step] > before) continue;
      slot += step;
      before -= counts_[slot];
    }
    return slots_[slot];
  }

  /// Contract: `core` is here.
  void erase(CoreId core) {
    const std::uint32_t slot = slot_of_[index(core)];
    slots_[slot] = kNoCore;
    add(slot, -1);
    --size_;
  }

 private:
  void add(std::size_t slot, int number) {
    for (std::size_t i = slot + 1; i < counts_.size(); i += i & (~i + 1)) counts_[i] += static_cast<std::uint32_t>(number);
  }

  /// Closes gaps, or grows.
  void make_room() {
    constexpr std::size_t kFewest = 64;
    std::erase(slots_, kNoCore);
    counts_.assign(std::max(kFewest, 2 * slots_.size()) + 2, 0);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      slot_of_[index(slots_[i])] = static_cast<std::uint32_t>(i);
      ++counts_[i + 1];
    }
    for (std::size_t i = 1; i < counts_.size(); ++i) {
      if (const std::size_t above = i + (i & (~i + 1)); above < counts_.size()) counts_[above] += counts_[i];
    }
  }

  std::vector<CoreId> slots_;                ///< kNoCore where one has left
  std::vector<std::uint32_t> counts_{0, 0};  ///< of slots that are taken: a Fenwick tree, from 1
  std::vector<std::uint32_t> slot_of_;       ///< by CoreId
  std::size_t size_ = 0;
};

/// By home, the workers that have parked there, the longest parked first.
class ParkedAtHome {
 public:
  ParkedAtHome() = default;
  ParkedAtHome(std::size_t homes, std::size_t workers)
      : first_(homes, kNoCore), last_(homes, kNoCore), next_(workers, kNoCore), before_(workers, kNoCore) {}

  CoreId first(std::size_t home) const { return home < first_.size() ? first_[home] : kNoCore; }

  void push_back(std::size_t home, CoreId core) {
    before_[index(core)] = last_[home];
    next_[index(core)] = kNoCore;
    (last_[home] == kNoCore ? first_[home] : next_[index(last_[home])]) = core;
    last_[home] = core;
  }

  void erase(std::size_t home, CoreId core) {
    const CoreId before = before_[index(core)];
    const CoreId after = next_[index(core)];
    (before == kNoCore ? first_[home] : next_[index(before)]) = after;
    (after == kNoCore ? last_[home] : before_[index(after)]) = before;
  }

 private:
  std::vector<CoreId> first_;   ///< by home
  std::vector<CoreId> last_;    ///< by home
  std::vector<CoreId> next_;    ///< by CoreId
  std::vector<CoreId> before_;  ///< by CoreId
};

}  // namespace tasktwin::sim
