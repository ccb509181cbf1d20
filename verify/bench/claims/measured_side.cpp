#include "verify/bench/claims/measured_side.hpp"

#include <utility>

#include <fmt/format.h>

#include "gpu/device/hardware_queues.hpp"
#include "models/base/child_process.hpp"
#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/bench/claims/claim_records.hpp"
#include "verify/bench/claims/metg_figures.hpp"
#include "verify/predict/graph_hash.hpp"

namespace tasktwin::verify {

namespace {

constexpr const char* kChild = "the measuring process";

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
    gpu::ask_for_hardware_queues(design.hardware_queues);
    const gpu::RunOptions options{
        .repeats = repeats_, .order_checks = 1, .stamps = false, .replayed = scenario.replayed(design), .seed = scenario.seed};
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

}  // namespace tasktwin::verify
