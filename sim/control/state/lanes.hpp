#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tasktwin::sim {

/// How many items (polls, completions, successors, hand-overs) a control core works on at a time: one on an Ascend control core and in a
/// thread of the host, as many as a warp has lanes on a GPU.
class Lanes {
 public:
  explicit Lanes(int count) : count_(std::max(1, count)) {}

  std::size_t count() const { return static_cast<std::size_t>(count_); }
  /// For that many items, one a lane in each.
  std::int64_t rounds(std::int64_t items) const { return (items + count_ - 1) / count_; }
  std::int64_t rounds(std::size_t items) const { return rounds(static_cast<std::int64_t>(items)); }

 private:
  std::int64_t count_;
};

}  // namespace tasktwin::sim
