#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/design/design.hpp"

namespace tasktwin::sim {

/// The cores that a dispatcher, or several together, look after, by how many tasks they hold: a bit set a level, so that
/// those at one level are met in ascending order without looking at the others.
class OwnedCores {
 public:
  /// `types` by CoreId. Contract: they outlive this.
  OwnedCores(std::span<const CoreType> types, std::vector<std::uint32_t> cores, int depth)
      : type_of_(types),
        words_((types.size() + 63) / 64),
        levels_((static_cast<std::size_t>(depth) + 1) * words_),
        types_(kCoreTypeCount * words_),
        cores_(std::move(cores)) {
    for (const std::uint32_t core : cores_) types_[static_cast<std::size_t>(types[core]) * words_ + core / 64] |= bit(core);
    for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
      for (std::size_t word = 0; word < words_; ++word) {
        const std::uint64_t of_type = types_[type * words_ + word];
        if (of_type == 0) continue;
        levels_[word] |= of_type;
        idle_[type] += static_cast<std::size_t>(std::popcount(of_type));
      }
      if (idle_[type] > 0) present_ |= 1u << type;
    }
  }

  std::size_t count() const { return cores_.size(); }
  const std::vector<std::uint32_t>& cores() const { return cores_; }  ///< ascending
  std::uint32_t types() const { return present_; }                    ///< as bits
  std::size_t busy() const { return busy_; }                          ///< those that hold a task
  std::size_t held() const { return held_; }                          ///< tasks, by all together
  std::size_t idle(CoreType type) const { return idle_[static_cast<std::size_t>(type)]; }
  bool is_at(std::uint32_t level, std::uint32_t core) const { return (levels_[level * words_ + core / 64] & bit(core)) != 0; }

  void move(std::uint32_t core, std::uint32_t from_level, std::uint32_t to_level) {
    levels_[from_level * words_ + core / 64] &= ~bit(core);
    levels_[to_level * words_ + core / 64] |= bit(core);
    const std::size_t taken = static_cast<std::size_t>(from_level == 0) - static_cast<std::size_t>(to_level == 0);
    busy_ += taken;
    idle_[static_cast<std::size_t>(type_of_[core])] -= taken;
    held_ += std::size_t{to_level} - from_level;
  }

  bool any(std::uint32_t level, CoreType type) const {
    for (std::size_t word = 0; word < words_; ++word) {
      if (levels_[level * words_ + word] & types_[static_cast<std::size_t>(type) * words_ + word]) return true;
    }
    return false;
  }

  /// Calls visit(core) for the cores at `level` of the types whose bit is set in `types`, in their state at the call, until
  /// it returns false.
  template <class Visit>
  void for_each_while(std::uint32_t level, std::uint32_t types, Visit visit) const {
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t of_types = 0;
      for (std::size_t type = 0; type < kCoreTypeCount; ++type) {
        if (types >> type & 1) of_types |= types_[type * words_ + word];
      }
      for (std::uint64_t left = levels_[level * words_ + word] & of_types; left != 0; left &= left - 1) {
        if (!visit(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(left)))) return;
      }
    }
  }
  template <class Visit>
  void for_each(std::uint32_t level, std::uint32_t types, Visit visit) const {
    for_each_while(level, types, [&visit](std::uint32_t core) {
      visit(core);
      return true;
    });
  }

 private:
  static std::uint64_t bit(std::uint32_t core) { return std::uint64_t{1} << (core % 64); }

  std::span<const CoreType> type_of_;
  std::size_t words_;
  std::vector<std::uint64_t> levels_;
  std::vector<std::uint64_t> types_;
  std::vector<std::uint32_t> cores_;
  std::uint32_t present_ = 0;
  std::size_t busy_ = 0;
  std::size_t held_ = 0;
  std::array<std::size_t, kCoreTypeCount> idle_{};
};

}  // namespace tasktwin::sim
