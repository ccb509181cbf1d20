#include <map>
#include <set>
#include <utility>

#include "sim/host/followers.hpp"
#include "sim/host/host_parts.hpp"

namespace tasktwin::sim {

namespace {

/// By launch: the next one in its stream, or kNoLaunch.
std::vector<std::uint32_t> next_in_streams(const std::vector<StreamLaunch>& plan) {
  std::vector<std::uint32_t> next(plan.size(), kNoLaunch);
  std::map<std::uint32_t, std::uint32_t> after;  // by stream
  for (auto i = static_cast<std::uint32_t>(plan.size()); i-- > 0;) {
    const auto [found, is_last] = after.try_emplace(plan[i].stream, i);
    if (!is_last) next[i] = std::exchange(found->second, i);
  }
  return next;
}

/// A host function has run callback_latency after the end that it is behind. The host looks for a launch whenever it can make another, and
/// waits where there is none.
class CallbackHost final : public Launcher, public EventHandler {
 public:
  CallbackHost(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Listener& listener)
      : calendar_(inputs.calendar),
        times_(*inputs.machine.host_calls),
        parts_(inputs, plan, listener),
        followers_(plan.size(), awaited_pairs(plan)),
        next_in_stream_(next_in_streams(plan)) {}

  void begin() override {
    parts_.ends.begin();
    made_ = 0;
    outstanding_.assign(parts_.plan.size(), 0);
    for (std::uint32_t i = 0; i < parts_.plan.size(); ++i) {
      outstanding_[i] += static_cast<std::uint32_t>(parts_.plan[i].awaited.size());
      if (next_in_stream_[i] != kNoLaunch) ++outstanding_[next_in_stream_[i]];
    }
    for (std::uint32_t i = 0; i < parts_.plan.size(); ++i) {
      if (outstanding_[i] == 0) ready_.insert(i);
    }
    look_at(parts_.clock.now());
  }

  TimePoint meet(TimePoint now) override { return parts_.waits.meet(now); }

  void kernel_ended(std::uint32_t launch, TimePoint now) override {
    parts_.ends.ended(launch, now);
    if (parts_.plan[launch].records_event) calendar_.schedule(now + round_ns(times_.callback_latency), EventKind::kHost, launch, *this);
    if (std::exchange(blocked_, false)) look_at(now + round_ns(times_.sync_latency));
  }

  void handle(EventKind /*kind*/, std::uint32_t subject, TimePoint now) override {
    if (subject == parts_.plan.size()) return launch_next(now);
    for (const std::uint32_t follower : followers_[subject]) enable(follower);
    if (std::exchange(idle_, false)) look_at(now);  // after all that is known by now
  }

 private:
  void look_at(TimePoint time) { calendar_.schedule(time, EventKind::kHost, static_cast<std::uint32_t>(parts_.plan.size()), *this); }

  void enable(std::uint32_t launch) {
    if (--outstanding_[launch] == 0) ready_.insert(launch);
  }

  void launch_next(TimePoint now) {
    idle_ = ready_.empty();
    if (idle_) return;
    parts_.clock.wait_until(now);
    const std::uint32_t launch = *ready_.begin();
    blocked_ = !parts_.room.takes(launch);
    if (blocked_) return;
    ready_.erase(ready_.begin());
    parts_.clock.spend(parts_.calls.own_time(launch));
    parts_.calls.make_kernel(launch);
    if (next_in_stream_[launch] != kNoLaunch) enable(next_in_stream_[launch]);
    // After the last there is nothing to look for; the next replay, which may begin while the host is still at it, looks by itself.
    if (++made_ < parts_.plan.size()) look_at(parts_.clock.now());
  }

  Calendar& calendar_;
  const mechanism::HostCalls& times_;
  HostParts parts_;
  Followers followers_;
  std::vector<std::uint32_t> next_in_stream_;  ///< by launch
  std::vector<std::uint32_t> outstanding_;     ///< by launch: host functions still to run, and the launch before it in its stream
  std::set<std::uint32_t> ready_;              ///< launches that may be made
  std::uint32_t made_ = 0;                     ///< launches of this pass
  bool idle_ = false;
  bool blocked_ = false;  ///< the next launch finds no room in its stream
};

}  // namespace

std::unique_ptr<Launcher> make_callback_host(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan,
                                             Launcher::Listener& listener) {
  return std::make_unique<CallbackHost>(inputs, plan, listener);
}

}  // namespace tasktwin::sim
