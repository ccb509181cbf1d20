// A placement asked while the run goes on: of the cores with room the one that ran a predecessor of the task, unless it holds more than
// `most` tasks; else the one that holds the fewest.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

namespace {

class NearInputs final : public CorePolicy {
 public:
  NearInputs(const TaskGraph& graph, std::span<const PastRun> so_far, double most) : graph_(graph), so_far_(so_far), most_(most) {}

  std::optional<std::size_t> choose(TaskId task, std::span<const Candidate> candidates) const override {
    std::size_t fewest = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (candidates[i].held < most_ && ran_input(task, candidates[i].core)) return i;
      if (candidates[i].held < candidates[fewest].held) fewest = i;
    }
    return fewest;
  }

 private:
  bool ran_input(TaskId task, CoreId core) const {
    return std::ranges::any_of(graph_.predecessors(task), [&](TaskId input) { return so_far_[index(input)].core == core; });
  }

  const TaskGraph& graph_;
  std::span<const PastRun> so_far_;
  double most_;
};

}  // namespace

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) {
  table.add("near-inputs", MakePlacement([](const TaskGraph& graph, std::span<const PastRun> so_far, const PolicyParameters& parameters) {
              return std::make_unique<NearInputs>(graph, so_far, parameters.at("most"));
            }),
            {{"most", 2}});
}
