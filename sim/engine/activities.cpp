#include "sim/engine/activities.hpp"

#include <simgrid/s4u/Engine.hpp>

namespace tasktwin::sim {

Activities::Activities() {
  simgrid::s4u::Activity::on_completion_cb([this](const simgrid::s4u::Activity& activity) { ended(activity); });
}

void Activities::start(const simgrid::s4u::ActivityPtr& activity, Owner& owner, std::uint32_t id) {
  if (simgrid::s4u::Engine::get_clock() > done_date_) done_.clear();
  running_.emplace(activity.get(), Running{activity, &owner, id});
  activity->start();
}

void Activities::cancel(const simgrid::s4u::ActivityPtr& activity) {
  const auto found = running_.find(activity.get());
  found->second.owner = nullptr;
  activity->cancel();
}

void Activities::cancel_all() {
  std::vector<simgrid::s4u::ActivityPtr> under_way;
  for (const auto& [activity, running] : running_) under_way.push_back(running.activity);
  for (const simgrid::s4u::ActivityPtr& activity : under_way) cancel(activity);
}

void Activities::forget(const Owner& owner) {
  for (auto& [activity, running] : running_) {
    if (running.owner == &owner) running.owner = nullptr;
  }
}

void Activities::ended(const simgrid::s4u::Activity& activity) {
  const auto found = running_.find(&activity);
  if (found == running_.end()) return;
  const Running running = std::move(found->second);
  running_.erase(found);
  if (simgrid::s4u::Engine::get_clock() > done_date_) done_.clear();
  done_date_ = simgrid::s4u::Engine::get_clock();
  done_.push_back(running.activity);
  if (running.owner != nullptr) running.owner->activity_ended(running.id, simgrid::s4u::Engine::get_clock());
}

}  // namespace tasktwin::sim
