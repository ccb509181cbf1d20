#include "verify/compare/measurement.hpp"

#include <cmath>

#include "verify/predict/remarks.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

namespace {

Json to_numbers(const std::vector<Duration>& durations) {
  Json numbers = Json::array();
  for (const Duration duration : durations) numbers.push_back(to_ns(duration));
  return numbers;
}

}  // namespace

bool is_right(const RecordedCase& measured) {
  return measured.ordering_violations == 0 &&
         (!measured.residual || (std::isfinite(*measured.residual) && *measured.residual <= measured.residual_limit));
}

Json measurements_to_json(const scenarios::Scenario& scenario, const gpu::DeviceInfo& device, const std::string& policy) {
  Json result;
  add_provenance(result, scenario, scenario.seed);
  if (!policy.empty()) result["policy"] = policy;
  result.update(Json{{"device", device.name}, {"driver", device.driver}, {"runtime", device.runtime}, {"designs", Json::array()}});
  return result;
}

Json measurement_to_json(const scenarios::Scenario& scenario, const Design& design, const RecordedCase& measured) {
  return {{"design", measured.design},
          {"makespan_ns", to_ns(median_duration(measured.makespans))},
          {"makespans_ns", to_numbers(measured.makespans)},
          {"stamped_makespan_ns", to_ns(median_duration(measured.stamped_makespans))},
          {"stamped_makespans_ns", to_numbers(measured.stamped_makespans)},
          {"ordering_violations", measured.ordering_violations},
          {"residual", optional_number(measured.residual)},
          {"residual_limit", measured.residual_limit},
          {"right", is_right(measured)},
          {"resolved_design", design_to_json(design)},
          {"remarks", remarks(scenario, design)}};
}

Json calibrated_to_json(const Machine& machine, const std::string& output, const std::string& samples) {
  Json constants;
  for (const ConstantField* const field : constants_of(machine)) constants[field->key] = field->get(machine);
  return {{"machine", machine.name}, {"output", output}, {"samples", samples}, {"constants", constants}, {"version", version()}};
}

Json kernel_costs_to_json(const scenarios::KernelCosts& costs, const std::string& output) {
  Json kernels = Json::array();
  for (const scenarios::MeasuredKernel& kernel : costs.kernels) {
    Json one{{"kernel", kernel.kernel}, {"arithmetic", Json::array()}};
    for (const KernelField& field : kernel_fields()) one["costs"][std::string(field.name)] = field.get(kernel.cost);
    for (const KernelCost::Point& point : kernel.cost.arithmetic) one["arithmetic"].push_back({{"flops", point.flops}, {"ns", point.ns}});
    kernels.push_back(std::move(one));
  }
  return {{"scenario", costs.scenario}, {"machine", costs.machine}, {"device", costs.device}, {"date", costs.date},
          {"output", output},           {"kernels", kernels},       {"version", version()}};
}

}  // namespace tasktwin::verify
