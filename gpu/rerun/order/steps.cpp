#include "gpu/rerun/order/steps.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>
#include <span>

namespace tasktwin::gpu::rerun {

namespace {

/// Who comes before whom, for operations that are each the next of a stream: of each, how many of every stream are done before it
/// begins (a vector clock).
class Order {
 public:
  explicit Order(std::size_t streams) : lengths_(streams, 0) {}

  bool is_before(int earlier, int later) const {
    const auto& place = places_[static_cast<std::size_t>(earlier)];
    return clocks_[static_cast<std::size_t>(later)][place.stream] > place.index;
  }

  /// `candidates` without those that others imply, in order.
  std::vector<int> needed(std::vector<int> candidates) const {
    std::ranges::sort(candidates);
    candidates.erase(std::ranges::unique(candidates).begin(), candidates.end());
    std::vector<int> kept;
    for (const int one : candidates) {
      if (std::ranges::none_of(candidates, [&](int other) { return other != one && is_before(one, other); })) kept.push_back(one);
    }
    return kept;
  }

  /// The next operation, on `stream`, after `before`.
  void add(int stream, const std::vector<int>& before) {
    const auto place = static_cast<std::size_t>(stream);
    std::vector<std::uint32_t> clock(lengths_.size(), 0);
    for (const int one : before) {
      const auto& other = clocks_[static_cast<std::size_t>(one)];
      for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
      const Place& at = places_[static_cast<std::size_t>(one)];
      clock[at.stream] = std::max(clock[at.stream], at.index + 1);
    }
    clocks_.push_back(std::move(clock));
    places_.push_back({place, lengths_[place]++});
  }

 private:
  struct Place {
    std::size_t stream;
    std::uint32_t index;
  };
  std::vector<std::uint32_t> lengths_;
  std::vector<std::vector<std::uint32_t>> clocks_;
  std::vector<Place> places_;
};

void append(std::vector<int>& to, std::span<const int> from) { to.insert(to.end(), from.begin(), from.end()); }

/// What the next operation of each stream waits for, as calls go by.
class Fronts {
 public:
  explicit Fronts(const std::vector<StreamKind>& streams) : kinds_(streams), fronts_(streams.size()), order_(streams.size()) {}

  Edges walk(const std::vector<Step>& steps) {
    for (const Step& step : steps) take(step);
    return std::move(edges_);
  }

 private:
  std::vector<int>& front(int stream) { return fronts_[static_cast<std::size_t>(stream)]; }
  bool is(int stream, StreamKind kind) const { return kinds_[static_cast<std::size_t>(stream)] == kind; }

  void take(const Step& step) {
    switch (step.kind) {
      case StepKind::kOperation: {
        if (is(step.stream, StreamKind::kLegacy)) gather_blocking(step.stream);
        std::vector<int> before = front(step.stream);
        append(before, host_);
        before = order_.needed(std::move(before));
        order_.add(step.stream, before);
        front(step.stream) = {static_cast<int>(edges_.size())};
        edges_.push_back(std::move(before));
        if (is(step.stream, StreamKind::kLegacy)) spread_legacy(step.stream);
        return;
      }
      case StepKind::kRecord:
        if (is(step.stream, StreamKind::kLegacy)) gather_blocking(step.stream);
        recorded_[step.event] = front(step.stream);
        return;
      case StepKind::kWait:
        if (const auto found = recorded_.find(step.event); found != recorded_.end()) {
          append(front(step.stream), found->second);
          front(step.stream) = order_.needed(std::move(front(step.stream)));
          if (is(step.stream, StreamKind::kLegacy)) spread_legacy(step.stream);
        }
        return;
      case StepKind::kSyncStream:
        if (is(step.stream, StreamKind::kLegacy)) gather_blocking(step.stream);
        return host_waits(front(step.stream));
      case StepKind::kSyncEvent:
        if (const auto found = recorded_.find(step.event); found != recorded_.end()) host_waits(found->second);
        return;
      case StepKind::kSyncAll:
        for (const auto& one : fronts_) host_waits(one);
        return;
    }
  }

  void gather_blocking(int legacy) {
    for (std::size_t i = 0; i < fronts_.size(); ++i) {
      if (kinds_[i] == StreamKind::kBlocking) append(front(legacy), fronts_[i]);
    }
    front(legacy) = order_.needed(std::move(front(legacy)));
  }
  void spread_legacy(int legacy) {
    for (std::size_t i = 0; i < fronts_.size(); ++i) {
      if (kinds_[i] != StreamKind::kBlocking) continue;
      append(fronts_[i], front(legacy));
      fronts_[i] = order_.needed(std::move(fronts_[i]));
    }
  }
  void host_waits(const std::vector<int>& operations) {
    append(host_, operations);
    host_ = order_.needed(std::move(host_));
  }

  const std::vector<StreamKind>& kinds_;
  std::vector<std::vector<int>> fronts_;
  std::map<int, std::vector<int>> recorded_;
  std::vector<int> host_;  ///< what the host has waited for
  Order order_;
  Edges edges_;
};

int place_for(const std::vector<int>& before, const std::vector<int>& last, const std::vector<int>& lengths) {
  for (const int one : std::views::reverse(before)) {
    if (const auto found = std::ranges::find(last, one); found != last.end()) return static_cast<int>(found - last.begin());
  }
  return static_cast<int>(std::ranges::min_element(lengths) - lengths.begin());
}

}  // namespace

std::size_t edge_count(const Edges& edges) {
  return std::accumulate(edges.begin(), edges.end(), std::size_t{0}, [](std::size_t sum, const auto& one) { return sum + one.size(); });
}

Edges edges_of(const std::vector<StreamKind>& streams, const std::vector<Step>& steps) { return Fronts(streams).walk(steps); }

Edges reduced(const Edges& edges) {
  // Of each operation, all that come before it, a bit each: 12 MB for 10 000 operations.
  const std::size_t words = (edges.size() + 63) / 64;
  std::vector<std::uint64_t> before(edges.size() * words, 0);
  const auto row = [&](std::size_t operation) { return std::span(before).subspan(operation * words, words); };
  Edges kept(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::vector<int> direct = edges[i];
    std::ranges::sort(direct, std::greater{});
    for (const int one : direct) {
      const auto place = static_cast<std::size_t>(one);
      if ((row(i)[place / 64] >> (place % 64) & 1U) != 0) continue;  // a later one, taken before, comes after it
      kept[i].push_back(one);
      for (std::size_t word = 0; word < words; ++word) row(i)[word] |= row(place)[word];
      row(i)[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    std::ranges::reverse(kept[i]);
  }
  return kept;
}

bool is_chain(const Edges& edges) {
  for (std::size_t i = 1; i < edges.size(); ++i) {
    if (std::ranges::find(edges[i], static_cast<int>(i) - 1) == edges[i].end()) return false;
  }
  return true;
}

Edges chain(std::size_t operations) {
  Edges edges(operations);
  for (std::size_t i = 1; i < operations; ++i) edges[i] = {static_cast<int>(i) - 1};
  return edges;
}

Edges cut_chain(std::size_t operations, std::size_t every) {
  Edges edges = chain(operations);
  for (std::size_t i = every; i < operations; i += every) edges[i].clear();
  return edges;
}

std::vector<Step> over_streams(const std::vector<PlacedOperation>& placed, int count) {
  const auto streams = static_cast<std::size_t>(count);
  std::vector<int> last(streams, -1);
  Order order(streams);
  std::vector<std::vector<int>> waits;
  // Events are recorded right after the operation that they mark: where another operation followed, a later record would hold up more.
  std::vector<bool> has_waiter(placed.size(), false);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    int& tail = last[static_cast<std::size_t>(placed[i].stream)];
    std::vector<int> before = placed[i].before;
    if (tail >= 0) before.push_back(tail);
    before = order.needed(std::move(before));
    order.add(placed[i].stream, before);
    std::erase_if(before, [&](int one) { return placed[static_cast<std::size_t>(one)].stream == placed[i].stream; });
    for (const int one : before) has_waiter[static_cast<std::size_t>(one)] = true;
    waits.push_back(std::move(before));
    tail = static_cast<int>(i);
  }
  std::vector<Step> steps;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const int operation = static_cast<int>(i);
    for (const int one : waits[i]) steps.push_back({StepKind::kWait, placed[i].stream, one, -1});
    steps.push_back({StepKind::kOperation, placed[i].stream, -1, operation});
    if (has_waiter[i]) steps.push_back({StepKind::kRecord, placed[i].stream, operation, -1});
  }
  return steps;
}

std::vector<Step> over_streams(const Edges& edges, int count) {
  std::vector<int> last(static_cast<std::size_t>(count), -1);
  std::vector<int> lengths(static_cast<std::size_t>(count), 0);
  std::vector<PlacedOperation> placed;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const int stream = place_for(edges[i], last, lengths);
    placed.push_back({stream, edges[i]});
    last[static_cast<std::size_t>(stream)] = static_cast<int>(i);
    ++lengths[static_cast<std::size_t>(stream)];
  }
  return over_streams(placed, count);
}

}  // namespace tasktwin::gpu::rerun
