#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/base/sparse.hpp"

namespace tasktwin::sim {

/// For each core a ring of as many values as it may hold tasks. Those of cores that nobody has asked for take no memory.
template <class Value>
class CoreRings {
 public:
  CoreRings(std::size_t cores, int depth)
      : depth_(static_cast<std::uint32_t>(depth)), all_(is_sparse(cores) ? 0 : cores * depth_), some_(is_sparse(cores) ? cores : 0) {}

  std::uint32_t depth() const { return depth_; }
  std::uint32_t after(std::uint32_t place) const { return place + 1 == depth_ ? 0 : place + 1; }
  /// The ring of a core.
  Value* of(std::size_t core) {
    if (!all_.empty()) return &all_[core * depth_];
    std::vector<Value>& ring = some_[core];
    if (ring.empty()) ring.resize(depth_);
    return ring.data();
  }
  /// Contract: what is read has been written.
  Value& at(std::size_t core, std::uint32_t place) { return of(core)[place]; }
  const Value& at(std::size_t core, std::uint32_t place) const { return all_.empty() ? some_[core][place] : all_[core * depth_ + place]; }

 private:
  std::uint32_t depth_;
  std::vector<Value> all_;           ///< those of all cores, where there are few
  Sparse<std::vector<Value>> some_;  ///< else those of cores that are used
};

}  // namespace tasktwin::sim
