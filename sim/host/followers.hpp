#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/program/stream_plan.hpp"

namespace tasktwin::sim {

/// Which launch waits for which, by place in the order of launches.
class Followers {
 public:
  Followers() = default;
  /// `pairs`: the launch that is waited for, and the one that waits.
  Followers(std::size_t launches, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs)
      : begin_(launches + 1, 0), followers_(pairs.size()) {
    for (const auto& [first, then] : pairs) ++begin_[first + 1];
    for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
    std::vector<std::uint32_t> next = begin_;
    for (const auto& [first, then] : pairs) followers_[next[first]++] = then;
  }

  std::span<const std::uint32_t> operator[](std::uint32_t launch) const {
    return std::span(followers_).subspan(begin_[launch], begin_[launch + 1] - begin_[launch]);
  }

 private:
  std::vector<std::uint32_t> begin_{0};
  std::vector<std::uint32_t> followers_;
};

/// The pairs of launches of which the second awaits the first, each by its place in the plan.
inline std::vector<std::pair<std::uint32_t, std::uint32_t>> awaited_pairs(const std::vector<StreamLaunch>& plan) {
  std::vector<std::uint32_t> position(plan.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    position[index(plan[i].task)] = i;
    for (const TaskId awaited : plan[i].awaited) pairs.emplace_back(position[index(awaited)], i);
  }
  return pairs;
}

}  // namespace tasktwin::sim
