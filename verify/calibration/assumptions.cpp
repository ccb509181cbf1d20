#include "verify/calibration/calibration.hpp"

namespace tasktwin::verify {

void assume_unmeasured(Calibration& calibration) {
  const auto assume = [&calibration](std::string_view constant, std::initializer_list<std::string_view> measured,
                                     std::string_view why = "") {
    double sum = 0;
    std::string names;
    for (const std::string_view name : measured) {
      sum += calibration.get(name);
      names += (names.empty() ? "" : " + ") + std::string(name);
    }
    calibration.set(constant, sum, "not measured; assumed: " + (names.empty() ? "0" : names) + std::string(why));
  };
  assume("submit_ns", {"atomic_latency_ns", "read_latency_ns"});
  assume("submit_per_predecessor_ns", {"atomic_latency_ns"});
  assume("control_hop_ns", {"counter_hop_ns"});
  assume("queue_service_ns", {}, ", because push_ns, queue_hop_ns and dispatch_ns were measured with the queue in them");
  assume("fence_round_ns", {}, ", because fences within the device end each by itself");
  assume("queue_contention_ns", {}, ", as part of locked_queue_ns");
  assume("resolve_line_ns", {}, ", because dispatchers have several lanes");
  assume("semaphore_hop_ns", {"counter_hop_ns"}, ", for want of a semaphore between SMs");
}

}  // namespace tasktwin::verify
