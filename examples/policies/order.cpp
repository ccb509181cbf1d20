// An order asked while the run goes on: the task with the longest way to the end of the graph goes first, but a task that has waited for
// longer than `patience_ns` goes before all that have not.
#include <algorithm>
#include <memory>
#include <ranges>
#include <vector>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

namespace {

class Patient final : public OnlineOrder {
 public:
  Patient(const PolicyInputs& inputs, double patience_ns) : way_(inputs.graph.size()), patience_ns_(patience_ns) {
    for (const TaskId task : inputs.graph.topological_order() | std::views::reverse) {
      for (const TaskId next : inputs.graph.successors(task)) way_[index(task)] = std::max(way_[index(task)], way_[index(next)]);
      way_[index(task)] += static_cast<double>(inputs.durations[index(task)].count());
    }
  }

  double rank(TaskId task, const OrderMoment& moment) override {
    constexpr double kBeforeAll = 1e15;
    const auto waited_ns = static_cast<double>((moment.now - moment.ready).count());
    return -way_[index(task)] - (waited_ns > patience_ns_ ? kBeforeAll : 0);
  }
  bool changes() const override { return true; }  // ranks are asked again whenever a task is taken

 private:
  std::vector<double> way_;  // to the end of the graph, by TaskId, in nanoseconds
  double patience_ns_;
};

}  // namespace

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) {
  table.add("patient", MakeOrder([](const PolicyInputs& inputs, const PolicyParameters& parameters) {
              return std::make_unique<Patient>(inputs, parameters.at("patience_ns"));
            }),
            {{"patience_ns", 20000}});
}
