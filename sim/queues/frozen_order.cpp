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

  std::int64_t key(TaskId task, std::uint64_t arrival) const override {
    return places_[index(task)] >= 0 ? places_[index(task)] : static_cast<std::int64_t>(places_.size()) + others_->key(task, arrival);
  }

 private:
  std::vector<std::int64_t> places_;  ///< by TaskId, in its list; negative for one that is in none
  std::unique_ptr<TaskOrderPolicy> others_;
};

}  // namespace

std::unique_ptr<TaskOrderPolicy> make_frozen_order(const FrozenSchedule& schedule, std::size_t tasks,
                                                   std::unique_ptr<TaskOrderPolicy> others) {
  return std::make_unique<FrozenOrder>(schedule, tasks, std::move(others));
}

}  // namespace tasktwin::sim
