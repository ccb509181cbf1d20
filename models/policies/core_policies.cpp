#include "models/policies/built_in.hpp"

#include <algorithm>

namespace tasktwin {

namespace {

class AnyIdle final : public CorePolicy {
 public:
  std::optional<std::size_t> choose(TaskId, std::span<const Candidate> candidates) const override {
    return candidates.empty() ? std::nullopt : std::optional<std::size_t>(0);
  }
};

class LeastLoaded final : public CorePolicy {
 public:
  std::optional<std::size_t> choose(TaskId, std::span<const Candidate> candidates) const override {
    const auto least = std::ranges::min_element(candidates, {}, [](const Candidate& candidate) {
      return std::pair{candidate.expected_load, candidate.core};
    });
    if (least == candidates.end()) return std::nullopt;
    return static_cast<std::size_t>(least - candidates.begin());
  }
};

class Locality final : public CorePolicy {
 public:
  Locality(const TaskGraph& graph, std::span<const PastRun> so_far) : graph_(graph), so_far_(so_far) {}

  std::optional<std::size_t> choose(TaskId task, std::span<const Candidate> candidates) const override {
    if (candidates.empty()) return std::nullopt;
    return graph_.input_bytes(task).empty() ? that_ran_the_last(task, candidates) : with_most_bytes(task, candidates);
  }

 private:
  std::size_t with_most_bytes(TaskId task, std::span<const Candidate> candidates) const {
    std::size_t best = 0;
    std::int64_t most = 0;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      std::int64_t bytes = 0;
      std::size_t input = 0;
      for (const TaskId predecessor : graph_.predecessors(task)) {
        const std::int64_t of_edge = graph_.input_bytes(task)[input++];
        if (so_far_[index(predecessor)].core == candidates[c].core) bytes += of_edge;
      }
      if (bytes <= most) continue;
      most = bytes;
      best = c;
    }
    return best;
  }

  std::size_t that_ran_the_last(TaskId task, std::span<const Candidate> candidates) const {
    std::size_t best = 0;
    TimePoint last = kAbsent;
    for (const TaskId predecessor : graph_.predecessors(task)) {
      const PastRun& run = so_far_[index(predecessor)];
      if (run.ended < last) continue;
      const auto ran_it = std::ranges::find(candidates, run.core, &Candidate::core);
      if (ran_it == candidates.end()) continue;
      const auto position = static_cast<std::size_t>(ran_it - candidates.begin());
      best = run.ended > last ? position : std::min(best, position);
      last = run.ended;
    }
    return best;
  }

  const TaskGraph& graph_;
  std::span<const PastRun> so_far_;
};

}  // namespace

std::unique_ptr<CorePolicy> make_any_idle(const TaskGraph&, std::span<const PastRun>) { return std::make_unique<AnyIdle>(); }

std::unique_ptr<CorePolicy> make_least_loaded(const TaskGraph&, std::span<const PastRun>) { return std::make_unique<LeastLoaded>(); }

std::unique_ptr<CorePolicy> make_locality(const TaskGraph& graph, std::span<const PastRun> so_far) {
  return std::make_unique<Locality>(graph, so_far);
}

}  // namespace tasktwin
