#include "sim/host/host_parts.hpp"

namespace tasktwin::sim {

namespace {

class SerialHost final : public Launcher {
 public:
  SerialHost(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Listener& listener) : parts_(inputs, plan, listener) {}

  void begin() override {
    parts_.ends.begin();
    come_to(0);
    go_on();
  }

  TimePoint meet(TimePoint now) override { return parts_.waits.meet(now); }

  void kernel_ended(std::uint32_t launch, TimePoint now) override {
    parts_.ends.ended(launch, now);
    go_on();
  }

 private:
  void come_to(std::uint32_t launch) {
    next_ = launch;
    waited_ = 0;
    if (launch < parts_.plan.size()) parts_.clock.spend(parts_.calls.own_time(launch));
  }

  /// As far as the host gets without an end that has not come.
  void go_on() {
    while (next_ < parts_.plan.size()) {
      for (; waited_ < parts_.waits.count(next_); ++waited_) {
        const TimePoint end = parts_.waits.end_of(next_, waited_);
        if (!is_present(end)) return;
        parts_.waits.wait_for(end);
      }
      if (!parts_.room.takes(next_)) return;
      parts_.waits.launched(next_);
      parts_.calls.make_kernel(next_);
      come_to(next_ + 1);
    }
  }

  HostParts parts_;
  std::uint32_t next_ = 0;  ///< launch
  std::size_t waited_ = 0;  ///< calls before it that have waited
};

}  // namespace

std::unique_ptr<Launcher> make_serial_host(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan,
                                           Launcher::Listener& listener) {
  return std::make_unique<SerialHost>(inputs, plan, listener);
}

}  // namespace tasktwin::sim
