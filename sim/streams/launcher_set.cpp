#include "sim/streams/launcher_set.hpp"

#include <utility>

namespace tasktwin::sim {

/// A thread knows its launches by numbers of its own, and its streams from 0 on.
class LauncherSet::Thread final : private Launcher::Listener, private HostCalls {
 public:
  Thread(const WiringInputs& inputs, std::vector<std::uint32_t> launches, const std::vector<StreamLaunch>& plan,
         Launcher::Listener& listener, HostCalls* calls)
      : launches_(std::move(launches)),
        plan_(own_plan(plan, launches_, stream_count(inputs.graph, inputs.design))),
        listener_(listener),
        calls_(calls),
        launcher_(make_launcher(inputs, plan_, *this, calls ? this : nullptr)) {}

  Launcher& launcher() { return *launcher_; }

 private:
  static std::vector<StreamLaunch> own_plan(const std::vector<StreamLaunch>& plan, const std::vector<std::uint32_t>& launches,
                                            std::uint32_t streams) {
    std::vector<StreamLaunch> own;
    own.reserve(launches.size());
    for (const std::uint32_t launch : launches) own.push_back(plan[launch]), own.back().stream %= streams;
    return own;
  }

  void launched(std::uint32_t launch, TimePoint begin, TimePoint end) override { listener_.launched(launches_[launch], begin, end); }

  Before waits_before(std::uint32_t launch) override { return calls_->waits_before(launches_[launch]); }
  Nanoseconds asks(std::uint32_t launch) override { return calls_->asks(launches_[launch]); }
  std::optional<Nanoseconds> call(std::uint32_t launch, TimePoint now) override { return calls_->call(launches_[launch], now); }
  bool returns_at_end(std::uint32_t launch) const override { return calls_->returns_at_end(launches_[launch]); }
  Nanoseconds synchronised(TimePoint now) override { return calls_->synchronised(now); }

  std::vector<std::uint32_t> launches_;  ///< by its own numbers: in the plan
  std::vector<StreamLaunch> plan_;
  Launcher::Listener& listener_;
  HostCalls* calls_;
  std::unique_ptr<Launcher> launcher_;
};

LauncherSet::LauncherSet(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener,
                         HostCalls* calls) {
  if (inputs.design.launching == Launching::kOneThread || inputs.graph.devices() == 1) {
    only_ = make_launcher(inputs, plan, listener, calls);
    return;
  }
  std::vector<std::vector<std::uint32_t>> launches(static_cast<std::size_t>(inputs.graph.devices()));
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    std::vector<std::uint32_t>& own = launches[static_cast<std::size_t>(plan[i].device)];
    thread_of_.push_back(static_cast<std::uint32_t>(plan[i].device));
    own_number_.push_back(static_cast<std::uint32_t>(own.size()));
    own.push_back(i);
  }
  for (std::vector<std::uint32_t>& own : launches)
    threads_.push_back(std::make_unique<Thread>(inputs, std::move(own), plan, listener, calls));
}

LauncherSet::~LauncherSet() = default;

void LauncherSet::begin() {
  if (only_) return only_->begin();
  for (const std::unique_ptr<Thread>& thread : threads_) thread->launcher().begin();
}

void LauncherSet::kernel_ended(std::uint32_t launch, TimePoint now) {
  if (only_) return only_->kernel_ended(launch, now);
  threads_[thread_of_[launch]]->launcher().kernel_ended(own_number_[launch], now);
}

}  // namespace tasktwin::sim
