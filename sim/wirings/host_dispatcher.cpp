#include "sim/control/dispatchers.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Threads of the host as the dispatchers of persistent workers: the central dispatcher's loop over mailboxes in host memory, with the
/// machine's host_control and host_mailboxes in place of its control cores' own (as_run): a core's mailbox is a hop across the bus away,
/// and so is its completion. The threads begin when they have seen that the workers are there, which these publish as they do a completion.
class HostDispatcher final : public Wiring {
 public:
  explicit HostDispatcher(const WiringInputs& inputs)
      : opened_(TimePoint{} + round_ns(inputs.machine.mailboxes.publish)), dispatchers_(inputs) {}
  void begin() override { dispatchers_.begin(opened_); }

 private:
  TimePoint opened_;
  Dispatchers dispatchers_;
};

}  // namespace

std::unique_ptr<Wiring> make_host_dispatcher(const WiringInputs& inputs) { return std::make_unique<HostDispatcher>(inputs); }

}  // namespace tasktwin::sim
