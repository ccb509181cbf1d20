#pragma once

#include <cstdint>
#include <vector>

#include "models/base/zeroed.hpp"

namespace tasktwin {

/// When workers that are all alike are free: finds the first free time on any of them in O(log gaps), however many workers there are.
class WorkerGaps {
 public:
  struct Place {
    std::int64_t start = 0;
    std::size_t worker = 0;
  };

  /// `workers`, ascending, that are free from 0 on. `shortest`: of all lengths that are asked for; smaller gaps are forgotten.
  explicit WorkerGaps(std::vector<std::size_t> workers, std::int64_t shortest = 0);

  /// The earliest start at or after `ready` of `length` on any worker; of equal ones on the lowest.
  Place earliest(std::int64_t ready, std::int64_t length) const;

  /// `worker` is taken from `begin` to `end`, which lie in its gap from `gap_begin` to `gap_end`; kForever for one that does not end.
  void take(std::size_t worker, std::int64_t begin, std::int64_t end, std::int64_t gap_begin, std::int64_t gap_end);

  static constexpr std::int64_t kForever = INT64_MAX;

 private:
  using Link = std::uint32_t;

  /// Of a treap (Aragon, Seidel 1989) of the gaps that end, by begin and worker; each node knows what is below it.
  struct Gap {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t longest = 0;
    std::int64_t last_end = 0;
    std::uint32_t worker = 0;
    std::uint32_t lowest_worker = 0;
    std::uint32_t priority = 0;
    Link left = 0;  ///< 0 for none
    Link right = 0;
  };

  void add(std::int64_t begin, std::int64_t end, std::uint32_t worker);
  void remove(std::int64_t begin, std::uint32_t worker);
  void update(Link link);
  /// Gaps before (begin, worker), and the others.
  void split(Link link, std::int64_t begin, std::uint32_t worker, Link& before, Link& others);
  Link merge(Link before, Link after);
  void lowest_around(Link link, std::int64_t begin, std::int64_t end, std::uint32_t& lowest) const;
  Link first_after(Link link, std::int64_t ready, std::int64_t length) const;

  void set_free_from(std::uint32_t worker, std::int64_t time);
  std::uint32_t lowest_free_at(std::int64_t ready) const;

  std::vector<std::size_t> workers_;
  std::int64_t shortest_;
  std::size_t leaves_ = 1;
  Zeroed<std::int64_t> free_from_;  ///< a tree of minima over the workers' last gaps, the root at 1
  std::vector<Gap> gaps_;
  std::vector<Link> unused_;
  Link root_ = 0;
  std::uint64_t added_ = 0;
};

}  // namespace tasktwin
