#include <map>
#include <utility>

#include "sim/host/host_parts.hpp"

namespace tasktwin::sim {

namespace {

/// By launch: the one before it in its stream, or kNoLaunch.
std::vector<std::uint32_t> previous_in_streams(const std::vector<StreamLaunch>& plan) {
  std::vector<std::uint32_t> previous(plan.size(), kNoLaunch);
  std::map<std::uint32_t, std::uint32_t> last;  // by stream
  for (std::uint32_t i = 0; i < plan.size(); ++i) {
    const auto [found, is_first] = last.try_emplace(plan[i].stream, i);
    if (!is_first) previous[i] = std::exchange(found->second, i);
  }
  return previous;
}

/// Where there are other launches than kernels, HostCalls says what their calls do to the host, and so does a wait that has blocked it.
/// The host begins a replay when the one before has ended.
class SteppedHost final : public Launcher, public EventHandler {
 public:
  SteppedHost(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Listener& listener, HostCalls& calls)
      : calendar_(inputs.calendar),
        sync_latency_(round_ns(inputs.machine.host_calls->sync_latency)),
        operations_(calls),
        parts_(inputs, plan, listener),
        previous_in_stream_(previous_in_streams(plan)) {}

  void begin() override {
    parts_.clock.wait_until(parts_.ends.last());
    parts_.ends.begin();
    next_ = 0;
    step_later();
  }

  TimePoint meet(TimePoint now) override {
    const TimePoint gate = parts_.waits.meet(now);
    if (parts_.waits.meet_on_host()) synchronised();
    return gate;
  }

  void kernel_ended(std::uint32_t launch, TimePoint now) override {
    parts_.ends.ended(launch, now);
    if (!stepping_) step(now);
  }

  void handle(EventKind /*kind*/, std::uint32_t /*subject*/, TimePoint now) override {
    stepping_ = false;
    step(now);
  }

 private:
  void step_later() {
    stepping_ = true;
    calendar_.schedule(parts_.clock.now(), EventKind::kHost, static_cast<std::uint32_t>(parts_.plan.size()), *this);
  }

  /// The host's next steps, until its own time is ahead of `now` or it waits for an end that has not come.
  void step(TimePoint now) {
    parts_.clock.wait_until(now);
    while (next_ < parts_.plan.size() || returning_ != kNoLaunch) {
      if (!advance(now)) return;
      if (parts_.clock.now() > now) return step_later();
    }
  }

  /// One step; false where the host waits for an end that has not come, or goes no further.
  bool advance(TimePoint now) {
    if (returning_ != kNoLaunch) return come_back();
    if (!prepared_) {
      prepared_ = true;
      parts_.clock.spend(parts_.calls.own_time(next_));
      return true;
    }
    if (waited_ < parts_.waits.count(next_)) return wait();
    return wait_before() && make_call(now);
  }

  /// From the call that returns when its launch has ended.
  bool come_back() {
    const TimePoint end = parts_.ends.of(returning_);
    if (!is_present(end)) return false;
    parts_.clock.wait_until(end + sync_latency_);
    returning_ = kNoLaunch;
    return true;
  }

  bool wait() {
    const TimePoint end = parts_.waits.end_of(next_, waited_);
    if (!is_present(end)) return false;
    parts_.waits.wait_for(end);
    if (parts_.waits.block()) synchronised();
    ++waited_;
    return true;
  }

  void synchronised() { parts_.clock.spend(round_ns(operations_.synchronised(parts_.clock.now()))); }

  /// What the call itself waits for first. True also where the host's time is then ahead of the step's, which is then not over.
  bool wait_before() {
    using Before = HostCalls::Before;
    const Before before = operations_.waits_before(next_);
    const std::uint32_t previous = previous_in_stream_[next_];
    if (before == Before::kNothing || next_ == 0 || (before == Before::kStream && previous == kNoLaunch)) return true;
    const TimePoint end = before == Before::kStream ? parts_.ends.of(previous) : parts_.ends.of_all(next_);
    if (!is_present(end)) return false;
    parts_.clock.wait_until(end + sync_latency_);
    return true;
  }

  bool make_call(TimePoint now) {
    if (!parts_.room.takes(next_)) return false;
    if (parts_.clock.now() > now) return true;
    if (const Duration asking = round_ns(operations_.asks(next_)); asking > Duration{0}) {
      parts_.clock.spend(asking);
      return true;
    }
    const Nanoseconds before = parts_.calls.before(next_);
    const std::optional<Nanoseconds> call = operations_.call(next_, now + round_ns(before));
    if (!call) return false;
    parts_.waits.launched(next_);
    parts_.calls.make(next_, before, *call);
    if (operations_.returns_at_end(next_)) returning_ = next_;
    ++next_;
    waited_ = 0;
    prepared_ = false;
    return true;
  }

  Calendar& calendar_;
  Duration sync_latency_;
  HostCalls& operations_;
  HostParts parts_;
  std::vector<std::uint32_t> previous_in_stream_;  ///< by launch
  std::uint32_t next_ = 0;                         ///< launch
  bool prepared_ = false;                          ///< the program's own time before it is spent
  std::size_t waited_ = 0;                         ///< calls before it that have waited
  std::uint32_t returning_ = kNoLaunch;            ///< the launch whose end the host's call waits for
  bool stepping_ = false;                          ///< a step is scheduled
};

}  // namespace

std::unique_ptr<Launcher> make_stepped_host(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener,
                                            HostCalls& calls) {
  return std::make_unique<SteppedHost>(inputs, plan, listener, calls);
}

}  // namespace tasktwin::sim
