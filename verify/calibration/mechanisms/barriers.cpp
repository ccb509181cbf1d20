#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::Barriers;

/// By the time a layer takes, without stamps, beyond the steps of its task.
Calibrated<Barriers> calibrate_barriers(Probes& probes, const mechanism::Memory& memory, const CoreSteps& steps) {
  using namespace std::chrono_literals;
  const double around = steps.body_ns + steps.cores.hand_off.count();
  Fit<Line> layers;
  const int most = probes.machine().core_count();
  for (const int workers : {most / 4, most / 2, most}) {
    const auto time_of = [&](int count) {
      const TaskGraph columns = layered_graph({count, workers, 1, 1000ns, 1000ns, 1});
      return probes.makespan("barriers", columns, named_design("layer-barrier"), 5, workers);
    };
    const double layer = (time_of(60) - time_of(20)) / 40;
    probes.keep_sample(&Machine::barriers, &Barriers::leave, "a layer of 1 us on " + std::to_string(workers) + " cores", layer);
    layers.observe({.intercept = 1, .slope = static_cast<double>(workers)}, layer - around - memory.read_latency.count());
  }
  const Line<Estimate> barrier = layers.solve();
  const std::string method = "time a layer on a quarter, half and all of the cores, not stamped, less the steps of its task, ";
  Calibrated<Barriers> barriers(&Machine::barriers);
  barriers.set(&Barriers::leave, barrier.intercept, method + "intercept");
  barriers.set(&Barriers::arrive, barrier.slope, method + "slope");
  return barriers;
}

}  // namespace tasktwin::verify
