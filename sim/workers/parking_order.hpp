#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/sparse.hpp"

namespace tasktwin::sim {

/// Workers in the order in which they have parked. Leaving, from any place, takes O(log workers). Many that park first, and together,
/// take a bit each until they leave.
class ParkingOrder {
 public:
  explicit ParkingOrder(std::size_t workers = 0) : slot_of_(workers) {}

  std::size_t size() const { return size_; }
  bool contains(CoreId core) const {
    const std::uint32_t slot = slot_of_[index(core)];
    return slot == kInBlock ? index(core) - first_ < block_ : slot != kAway;
  }

  /// From `first` to before `end`. Contract: none of them is here.
  void push_back(CoreId first, CoreId end) {
    if (block_ > 0 || !later_.empty()) {
      for (std::size_t core = index(first); core < index(end); ++core) push_back(core_id(core));
      return;
    }
    first_ = index(first);
    size_ = block_ = index(end) - index(first);
    take_all(size_);
  }

  /// Contract: `core` is not here.
  void push_back(CoreId core) {
    if (block_ + later_.size() == kWord * taken_.size()) make_room();
    const std::size_t slot = block_ + later_.size();
    slot_of_[index(core)] = static_cast<std::uint32_t>(slot) + 1;
    later_.push_back(core);
    taken_[slot / kWord] |= std::uint64_t{1} << slot % kWord;
    count(slot, 1);
    ++size_;
  }

  /// The one that `before` others precede. Contract: before < size().
  CoreId at(std::size_t before) const {
    std::size_t word = 0;
    for (std::size_t step = std::bit_floor(counts_.size() - 1); step > 0; step /= 2) {
      if (word + step >= counts_.size() || counts_[word + step] > before) continue;
      word += step;
      before -= counts_[word];
    }
    std::uint64_t left = taken_[word];
    for (; before > 0; --before) left &= left - 1;
    const std::size_t slot = word * kWord + static_cast<std::size_t>(std::countr_zero(left));
    return slot < block_ ? core_id(first_ + slot) : later_[slot - block_];
  }

  /// Contract: `core` is here.
  void erase(CoreId core) {
    const std::uint32_t place = std::exchange(slot_of_[index(core)], kAway);
    const std::size_t slot = place == kInBlock ? index(core) - first_ : place - 1;
    if (slot >= block_) later_[slot - block_] = kNoCore;
    taken_[slot / kWord] &= ~(std::uint64_t{1} << slot % kWord);
    count(slot, -1);
    --size_;
  }

 private:
  static constexpr std::uint32_t kInBlock = 0;  ///< of one that is in none: it has never been here
  static constexpr std::uint32_t kAway = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kWord = 64;

  void count(std::size_t slot, int number) {
    for (std::size_t i = slot / kWord + 1; i < counts_.size(); i += i & (~i + 1)) counts_[i] += static_cast<std::uint32_t>(number);
  }

  /// The first `slots`, with room for as many again.
  void take_all(std::size_t slots) {
    taken_.assign(2 * (slots / kWord + 1), 0);
    std::fill_n(taken_.begin(), slots / kWord, ~std::uint64_t{0});
    taken_[slots / kWord] = (std::uint64_t{1} << slots % kWord) - 1;
    counts_.assign(taken_.size() + 1, 0);
    for (std::size_t i = 1; i < counts_.size(); ++i) {
      counts_[i] += static_cast<std::uint32_t>(std::popcount(taken_[i - 1]));
      if (const std::size_t above = i + (i & (~i + 1)); above < counts_.size()) counts_[above] += counts_[i];
    }
  }

  /// Closes gaps, or grows.
  void make_room() {
    std::vector<CoreId> all;
    for (std::size_t core = first_; core < first_ + block_; ++core) {
      if (std::as_const(slot_of_)[core] == kInBlock) all.push_back(core_id(core));
    }
    std::ranges::copy_if(later_, std::back_inserter(all), [](CoreId core) { return core != kNoCore; });
    block_ = 0;
    later_ = std::move(all);
    for (std::size_t i = 0; i < later_.size(); ++i) slot_of_[index(later_[i])] = static_cast<std::uint32_t>(i) + 1;
    take_all(later_.size());
  }

  std::size_t first_ = 0;              ///< of the block: those that parked together, a slot each in the order of CoreId
  std::size_t block_ = 0;              ///< so many
  std::vector<CoreId> later_;          ///< in the slots behind the block; kNoCore where one has left
  std::vector<std::uint64_t> taken_;   ///< slots, a bit each
  std::vector<std::uint32_t> counts_;  ///< of bits by word: a Fenwick tree, from 1
  Sparse<std::uint32_t> slot_of_;      ///< by CoreId: kInBlock, kAway, or a slot and one
  std::size_t size_ = 0;
};

/// By home of several workers, those that have parked there, the longest parked first.
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
