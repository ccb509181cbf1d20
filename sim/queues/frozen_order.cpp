#include "sim/queues/frozen_order.hpp"

namespace tasktwin::sim {

namespace {

class FrozenOrder final : public TaskOrderPolicy {
 public:
  FrozenOrder(const FrozenSchedule& schedule, std::size_t tasks, std::unique_ptr<TaskOrderPolicy> others)
      : places_(tasks, -1), others_(std::move(others)) {
    for (const auto& list : schedule) {
      for (std::size_t i = 0; i < list.size(); ++i) places_[index(list[i])] = static_cast<std::int64_t>(i);
    }
  }

  std::int64_t key(TaskId task, std::uint64_t arrival) const override { return key_at(task, {.arrival = arrival}); }
  std::int64_t key_at(TaskId task, const OrderMoment& moment) const override {
    return places_[index(task)] >= 0 ? places_[index(task)] : static_cast<std::int64_t>(places_.size()) + others_->key_at(task, moment);
  }
  bool changes() const override { return others_->changes(); }

 private:
  std::vector<std::int64_t> places_;  ///< by TaskId, in its list; negative for one that is in none
  std::unique_ptr<TaskOrderPolicy> others_;
};

}  // namespace

std::unique_ptr<TaskOrderPolicy> order_of(const WiringInputs& inputs) {
  auto order = make_task_order(inputs.design, {inputs.graph, inputs.durations, inputs.seed});
  if (inputs.lists.empty()) return order;
  return std::make_unique<FrozenOrder>(inputs.lists, inputs.graph.size(), std::move(order));
}

}  // namespace tasktwin::sim
