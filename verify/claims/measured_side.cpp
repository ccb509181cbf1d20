#include "verify/claims/measured_side.hpp"

#include <utility>

#include <stdlib.h>

#include <fmt/format.h>

#include "models/error.hpp"
#include "scenarios/importers/json_file.hpp"
#include "verify/child_process.hpp"
#include "verify/claims/claim_records.hpp"
#include "verify/claims/metg_figures.hpp"
#include "verify/gpu_session.hpp"
#include "verify/graph_hash.hpp"

namespace tasktwin::verify {

namespace {

constexpr const char* kChild = "the measuring process";

/// CUDA reads it when a process first uses it. Contract: this one has not.
void set_connections(const Design& design) {
  if (design.hardware_queues > 0) ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(design.hardware_queues).c_str(), 1);
}

}  // namespace

std::string side_key(const scenarios::Scenario& scenario) {
  return fmt::format("{} {} {} {}", graph_hash(scenario.graph), scenario.machine_hash, scenario.seed,
                     design_to_json(scenario.designs.front()).dump());
}

MeasuredSide GpuSideMeasurer::measure(const scenarios::Scenario& scenario) {
  const Design& design = scenario.designs.front();
  const std::string key = side_key(scenario);
  if (const auto found = measured_.find(key); found != measured_.end()) {
    MeasuredSide known = found->second;
    known.design = design.name;
    return known;
  }
  const std::string said = in_child([&] {
    set_connections(design);
    const auto replay = scenario.replays.find(design.name);
    const gpu::RunOptions options{.repeats = repeats_,
                                  .order_checks = 1,
                                  .stamps = false,
                                  .replayed = replay == scenario.replays.end() ? nullptr : &replay->second,
                                  .seed = scenario.seed};
    const gpu::Measurement measurement = gpu::run(scenario.graph, scenario.machine, design, options);
    const MeasuredSide side{.design = design.name,
                            .axes = design_to_json(design).dump(),
                            .graph_hash = graph_hash(scenario.graph),
                            .makespans = measurement.makespans,
                            .host_call = measurement.host_call,
                            .ordering_violations = measurement.ordering_violations,
                            .residual = measurement.residual,
                            .residual_limit = measurement.residual_limit};
    return side_to_json(side).dump();
  });
  const std::string child = kChild;
  const Json json = scenarios::parse_json(child, said);
  return measured_.emplace(key, side_from({child, json})).first->second;
}

Figures GpuSideMeasurer::measure_metg(const scenarios::MetgSides& sides) {
  const std::string said = in_child([&] {
    const Figures figures = measured_metg(sides, gpu_backend());
    return Json{figures.baseline_ns, figures.contender_ns}.dump();
  });
  const std::string child = kChild;
  const Json json = scenarios::parse_json(child, said);
  return {json[0].get<double>(), json[1].get<double>()};
}

gpu::DeviceInfo device_in_child() {
  const std::string said = in_child([] {
    require_gpu();
    const gpu::DeviceInfo device = gpu::device_info();
    return Json{device.name, device.driver, device.runtime, device.multiprocessors}.dump();
  });
  const std::string child = kChild;
  const Json json = scenarios::parse_json(child, said);
  return {json[0].get<std::string>(), json[1].get<std::string>(), json[2].get<std::string>(), json[3].get<int>()};
}

}  // namespace tasktwin::verify
