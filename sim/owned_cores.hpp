#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "models/design.hpp"

namespace tasktwin::sim {

/// The cores of one dispatcher by how many tasks they hold: a bit set a level, so that those at one level are met in
/// ascending order without looking at the others.
class OwnedCores {
 public:
  /// Owns the cores that are `first` modulo `stride`.
  OwnedCores(std::span<const CoreType> types, std::uint32_t first, std::uint32_t stride, int depth)
      : words_((types.size() + 63) / 64), levels_((static_cast<std::size_t>(depth) + 1) * words_), types_(kCoreTypeCount * words_) {
    for (std::uint32_t core = first; core < types.size(); core += stride) {
      levels_[core / 64] |= bit(core);
      types_[static_cast<std::size_t>(types[core]) * words_ + core / 64] |= bit(core);
      ++count_;
    }
  }

  std::size_t count() const { return count_; }

  void move(std::uint32_t core, std::uint32_t from_level, std::uint32_t to_level) {
    levels_[from_level * words_ + core / 64] &= ~bit(core);
    levels_[to_level * words_ + core / 64] |= bit(core);
  }

  bool any(std::uint32_t level, CoreType type) const {
    for (std::size_t word = 0; word < words_; ++word) {
      if (levels_[level * words_ + word] & types_[static_cast<std::size_t>(type) * words_ + word]) return true;
    }
    return false;
  }

  /// Calls visit(core) for the cores at `level` of the types whose bit is set in `types`, as they stand at the call.
  template <class Visit>
  void for_each(std::uint32_t level, std::uint32_t types, Visit visit) {
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t of_types = 0;
      for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
        if (types >> type & 1) of_types |= types_[type * words_ + word];
      }
      for (std::uint64_t left = levels_[level * words_ + word] & of_types; left != 0; left &= left - 1) {
        visit(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  static std::uint64_t bit(std::uint32_t core) { return std::uint64_t{1} << (core % 64); }

  std::size_t words_;
  std::vector<std::uint64_t> levels_;
  std::vector<std::uint64_t> types_;
  std::size_t count_ = 0;
};

}  // namespace tasktwin::sim
