#include "sim/host/launcher.hpp"

#include "sim/host/host_parts.hpp"

namespace tasktwin::sim {

std::unique_ptr<Launcher> make_launcher(const WiringInputs& inputs, const std::vector<StreamLaunch>& plan, Launcher::Listener& listener,
                                        HostCalls* calls) {
  if (calls != nullptr) return make_stepped_host(inputs, plan, listener, *calls);
  if (inputs.design.stream_wait == StreamWait::kCallback) return make_callback_host(inputs, plan, listener);
  return make_serial_host(inputs, plan, listener);
}

}  // namespace tasktwin::sim
