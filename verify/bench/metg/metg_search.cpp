#include "verify/bench/metg/metg_search.hpp"

#include <cmath>
#include <map>

namespace tasktwin::verify {

namespace {

constexpr double kShortestNs = 50;
constexpr double kLongestNs = 1e6;
constexpr double kHalf = 0.5;

/// The points at positions of a list of lengths, each measured when it is first asked for.
class Curve {
 public:
  Curve(std::span<const Duration> lengths, const std::function<double(Duration)>& granularity_ns)
      : lengths_(lengths), granularity_ns_(granularity_ns) {}

  const LengthPoint& at(std::size_t i) {
    const auto found = points_.find(i);
    if (found != points_.end()) return found->second;
    return points_.emplace(i, LengthPoint{lengths_[i], granularity_ns_(lengths_[i])}).first->second;
  }
  bool efficient(std::size_t i) { return at(i).efficiency() >= kHalf; }
  std::vector<LengthPoint> visited() const {
    std::vector<LengthPoint> points;
    for (const auto& [position, point] : points_) points.push_back(point);
    return points;
  }

 private:
  std::span<const Duration> lengths_;
  const std::function<double(Duration)>& granularity_ns_;
  std::map<std::size_t, LengthPoint> points_;
};

}  // namespace

std::vector<Duration> metg_lengths() {
  std::vector<Duration> lengths;
  for (int i = 0;; ++i) {
    const double ns = kShortestNs * std::exp2(i / 2.0);
    if (ns >= kLongestNs) break;
    lengths.push_back(Duration{std::llround(ns)});
  }
  lengths.push_back(Duration{std::llround(kLongestNs)});
  return lengths;
}

double interpolate_metg(const LengthPoint& less, const LengthPoint& more) {
  const double share = (kHalf - less.efficiency()) / (more.efficiency() - less.efficiency());
  return less.granularity_ns * std::pow(more.granularity_ns / less.granularity_ns, share);
}

MetgSearch search_metg(std::span<const Duration> lengths, const std::function<double(Duration)>& granularity_ns) {
  Curve curve(lengths, granularity_ns);
  std::size_t first = 0;  // the first length known to be efficient lies in [first, end]
  std::size_t end = lengths.size();
  while (first < end) {
    const std::size_t middle = first + (end - first) / 2;
    if (curve.efficient(middle)) {
      end = middle;
    } else {
      first = middle + 1;
    }
  }
  if (first == lengths.size()) return {MetgSearch::End::kAbove, curve.at(first - 1).granularity_ns, curve.visited()};
  // Noise can make the curve cross more than once: look one length further down.
  for (;;) {
    while (first > 0 && curve.efficient(first - 1)) --first;
    if (first < 2 || !curve.efficient(first - 2)) break;
    first -= 2;
  }
  if (first == 0) return {MetgSearch::End::kBelow, curve.at(0).granularity_ns, curve.visited()};
  const double metg = interpolate_metg(curve.at(first - 1), curve.at(first));
  return {MetgSearch::End::kFound, metg, curve.visited()};
}

}  // namespace tasktwin::verify
