#include "models/policies/worker_gaps.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/base/random.hpp"

namespace tasktwin {

namespace {

constexpr std::uint32_t kNoWorker = std::numeric_limits<std::uint32_t>::max();

}  // namespace

WorkerGaps::WorkerGaps(std::vector<std::size_t> workers, std::int64_t shortest)
    : workers_(std::move(workers)), shortest_(shortest), gaps_(1) {
  while (leaves_ < workers_.size()) leaves_ *= 2;
  free_from_ = Zeroed<std::int64_t>(2 * leaves_);
  gaps_.front().lowest_worker = kNoWorker;
  // Leaves without a worker, and nodes that have no other leaves below them.
  for (std::size_t first = leaves_ + workers_.size(), end = 2 * leaves_; end > 1 && first < end; first = (first + 1) / 2, end /= 2) {
    for (std::size_t node = first; node < end; ++node) free_from_[node] = kForever;
  }
}

WorkerGaps::Place WorkerGaps::earliest(std::int64_t ready, std::int64_t length) const {
  if (ready + length <= 0) return {0, workers_.front()};  // before anything that begins at 0
  std::uint32_t lowest = lowest_free_at(ready);
  lowest_around(root_, ready, ready + length, lowest);
  if (lowest != kNoWorker) return {ready, workers_[lowest]};
  const std::int64_t last_gap = free_from_[1];
  const Link later = first_after(root_, ready, length);
  if (later != 0 && (gaps_[later].begin < last_gap || (gaps_[later].begin == last_gap && gaps_[later].worker < lowest_free_at(last_gap))))
    return {gaps_[later].begin, workers_[gaps_[later].worker]};
  return {last_gap, workers_[lowest_free_at(last_gap)]};
}

void WorkerGaps::take(std::size_t worker, std::int64_t begin, std::int64_t end, std::int64_t gap_begin, std::int64_t gap_end) {
  if (begin == end) return;
  const auto place = static_cast<std::uint32_t>(std::ranges::lower_bound(workers_, worker) - workers_.begin());
  if (gap_end == kForever)
    set_free_from(place, end);
  else
    remove(gap_begin, place);
  if (begin > gap_begin) add(gap_begin, begin, place);
  if (gap_end != kForever && gap_end > end) add(end, gap_end, place);
}

void WorkerGaps::set_free_from(std::uint32_t worker, std::int64_t time) {
  std::size_t node = leaves_ + worker;
  free_from_[node] = time;
  for (node /= 2; node > 0; node /= 2) free_from_[node] = std::min(free_from_[2 * node], free_from_[2 * node + 1]);
}

std::uint32_t WorkerGaps::lowest_free_at(std::int64_t ready) const {
  if (free_from_[1] > ready) return kNoWorker;
  std::size_t node = 1;
  while (node < leaves_) {
    node *= 2;
    if (free_from_[node] > ready) ++node;
  }
  return static_cast<std::uint32_t>(node - leaves_);
}

void WorkerGaps::update(Link link) {
  Gap& gap = gaps_[link];
  gap.longest = std::max({gap.end - gap.begin, gaps_[gap.left].longest, gaps_[gap.right].longest});
  gap.last_end = std::max({gap.end, gaps_[gap.left].last_end, gaps_[gap.right].last_end});
  gap.lowest_worker = std::min({gap.worker, gaps_[gap.left].lowest_worker, gaps_[gap.right].lowest_worker});
}

void WorkerGaps::split(Link link, std::int64_t begin, std::uint32_t worker, Link& before, Link& others) {
  if (link == 0) {
    before = others = 0;
    return;
  }
  Link below = 0;
  if (std::pair(gaps_[link].begin, gaps_[link].worker) < std::pair(begin, worker)) {
    split(gaps_[link].right, begin, worker, below, others);
    gaps_[link].right = below;
    before = link;
  } else {
    split(gaps_[link].left, begin, worker, before, below);
    gaps_[link].left = below;
    others = link;
  }
  update(link);
}

WorkerGaps::Link WorkerGaps::merge(Link before, Link after) {
  if (before == 0 || after == 0) return before + after;
  const bool before_is_root = gaps_[before].priority > gaps_[after].priority;
  const Link root = before_is_root ? before : after;
  if (before_is_root)
    gaps_[root].right = merge(gaps_[root].right, after);
  else
    gaps_[root].left = merge(before, gaps_[root].left);
  update(root);
  return root;
}

void WorkerGaps::add(std::int64_t begin, std::int64_t end, std::uint32_t worker) {
  if (end - begin < shortest_) return;
  if (unused_.empty()) {
    unused_.push_back(static_cast<Link>(gaps_.size()));
    gaps_.emplace_back();
  }
  const Link link = unused_.back();
  unused_.pop_back();
  gaps_[link] = {.begin = begin, .end = end, .worker = worker, .priority = static_cast<std::uint32_t>(mix(++added_))};
  update(link);
  Link before = 0;
  Link after = 0;
  split(root_, begin, worker, before, after);
  root_ = merge(merge(before, link), after);
}

/// Contract: it is there.
void WorkerGaps::remove(std::int64_t begin, std::uint32_t worker) {
  Link before = 0;
  Link rest = 0;
  Link link = 0;
  Link after = 0;
  split(root_, begin, worker, before, rest);
  split(rest, begin, worker + 1, link, after);
  root_ = merge(before, after);
  unused_.push_back(link);
}

/// The lowest worker, below `lowest`, that has a gap from `begin` or before to `end` or after.
void WorkerGaps::lowest_around(Link link, std::int64_t begin, std::int64_t end, std::uint32_t& lowest) const {
  const Gap& gap = gaps_[link];
  if (link == 0 || gap.last_end < end || gap.lowest_worker >= lowest) return;
  if (gap.begin <= begin) {
    lowest_around(gap.right, begin, end, lowest);
    if (gap.end >= end) lowest = std::min(lowest, gap.worker);
  }
  lowest_around(gap.left, begin, end, lowest);
}

/// The first gap that begins after `ready` and holds `length`; 0 for none.
WorkerGaps::Link WorkerGaps::first_after(Link link, std::int64_t ready, std::int64_t length) const {
  const Gap& gap = gaps_[link];
  if (link == 0 || gap.longest < length) return 0;
  if (gap.begin <= ready) return first_after(gap.right, ready, length);
  if (const Link earlier = first_after(gap.left, ready, length); earlier != 0) return earlier;
  return gap.end - gap.begin >= length ? link : first_after(gap.right, ready, length);
}

}  // namespace tasktwin
