// tasktwin's own policies, as policies from outside: they must give the same runs. Static orders are their tasks' places.
#include <algorithm>
#include <memory>
#include <numeric>

#include "models/policies/plug_in.hpp"
#include "models/rules/steal_size.hpp"

using namespace tasktwin;

namespace {

std::vector<double> places(TaskOrder order, const PolicyInputs& inputs) {
  const auto policy = make_task_order(order, inputs);
  std::vector<std::int64_t> keys;
  for (std::size_t i = 0; i < inputs.graph.size(); ++i) keys.push_back(policy->key(task_id(i), 0));
  std::vector<std::int64_t> levels = keys;
  std::ranges::sort(levels);
  std::vector<double> ranks;
  for (const std::int64_t key : keys) ranks.push_back(static_cast<double>(std::ranges::lower_bound(levels, key) - levels.begin()));
  return ranks;
}

class ByArrival final : public OnlineOrder {
 public:
  explicit ByArrival(double sign, bool changes) : sign_(sign), changes_(changes) {}
  double rank(TaskId, const OrderMoment& moment) override { return sign_ * static_cast<double>(moment.arrival); }
  bool changes() const override { return changes_; }

 private:
  double sign_;
  bool changes_;
};

}  // namespace

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) {
  for (const auto& entry : Words<TaskOrder>::values) {
    const TaskOrder order = entry.value;
    if (order == TaskOrder::kFifo || order == TaskOrder::kLifo) {
      for (const bool changes : {false, true}) {
        table.add(std::string(to_word(order)) + (changes ? "-again" : ""),
                  MakeOrder([order, changes](const PolicyInputs&, const PolicyParameters&) {
                    return std::make_unique<ByArrival>(order == TaskOrder::kFifo ? 1 : -1, changes);
                  }));
      }
    } else {
      table
          .add(std::string(to_word(order)),
               MakeRanks([order](const PolicyInputs& inputs, const PolicyParameters&) { return places(order, inputs); }))
          .draws = order == TaskOrder::kRandom;
    }
  }
  for (const Placement placement : {Placement::kLeastLoaded, Placement::kLocality}) {
    table
        .add(std::string(to_word(placement)),
             MakePlacement([placement](const TaskGraph& graph, std::span<const PastRun> so_far, const PolicyParameters&) {
               return make_core_policy(placement, graph, so_far);
             }))
        .like = std::string(to_word(placement));
  }
  for (const Placement placement : {Placement::kRoundRobin, Placement::kHeft}) {
    table.add(std::string(to_word(placement)), MakeSchedule([placement](const StaticInputs& inputs, const PolicyParameters&) {
                return make_frozen_schedule(placement, inputs);
              }));
  }
  for (const auto& entry : Words<Victim>::values) {
    const Victim victim = entry.value;
    table
        .add(std::string(to_word(victim)),
             MakeVictim([victim](std::uint64_t seed, const PolicyParameters&) { return make_victim_policy(victim, seed); }))
        .like = std::string(to_word(victim));
  }
  for (const Stealing stealing : {Stealing::kOne, Stealing::kHalf}) {
    table.add(std::string(to_word(stealing)), StealSizeRule([stealing](std::uint32_t there, const PolicyParameters&) {
                return rules::StealSize{stealing, 1}(there);
              }));
  }
  for (const Fill fill : {Fill::kAlways, Fill::kWhenNoCoreIdle, Fill::kNotInTail}) {
    table.add(std::string(to_word(fill)),
              FillRuleOfOwn([fill](const rules::FillView& view, const PolicyParameters&) { return rules::may_fill(fill, view); }));
  }
}
