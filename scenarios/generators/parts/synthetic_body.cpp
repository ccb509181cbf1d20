#include "scenarios/generators/parts/synthetic_body.hpp"

#include "models/base/names.hpp"
#include "scenarios/document/file_limits.hpp"

namespace tasktwin::scenarios {

namespace {

std::string kernels_that_state(StatedCost cost) {
  std::string names;
  for (const KernelEntry& entry : kKernelEntries) {
    if (entry.states == cost) names += (names.empty() ? "'" : " or '") + std::string(entry.name) + "'";
  }
  return names;
}

}  // namespace

Task Body::task(std::int32_t layer) const {
  Task task;
  task.kernel = kernel;
  task.core_type = core_type;
  task.cost = cost;
  task.layer = layer;
  return task;
}

std::vector<std::string_view> synthetic_kernels() {
  std::vector<std::string_view> words;
  for (const KernelEntry& entry : kKernelEntries) {
    if (is_synthetic(entry.kernel)) words.push_back(entry.name);
  }
  return words;
}

std::vector<CostFault> cost_faults(Kernel kernel, const GivenCost& given) {
  const std::string word = "kernel '" + std::string(to_word(kernel)) + "'";
  const StatedCost states = kernel_entry(kernel).states;
  std::vector<CostFault> faults;
  const auto check = [&](std::string_view field, bool is_given, StatedCost owner, bool needed) {
    if (is_given && states != owner) faults.push_back({field, "goes with kernel " + kernels_that_state(owner) + ", not with " + word});
    if (!is_given && needed && states == owner) faults.push_back({field, "missing; " + word + " needs it"});
  };
  check("time_ns", given.time, StatedCost::kTime, true);
  check("sigma_ns", given.sigma, StatedCost::kTime, false);
  check("flops", given.flops, StatedCost::kFlops, true);
  check("bytes", given.bytes, StatedCost::kBytes, true);
  return faults;
}

void core_type_parameter(ParameterTable& table, CoreType& core_type) {
  table.word("core_type", "the kind of core every task needs", core_type);
}

void body_parameters(ParameterTable& table, Body& body) {
  table.word("kernel", "what every task's body does", body.kernel, synthetic_kernels());
  table.number("time_ns", "time of a spin body", body.cost.time, 0, kMaxTimeNs);
  table.number("sigma_ns", "standard deviation of time_ns", body.cost.sigma_ns, 0, kMaxSigmaNs);
  table.number("flops", "floating-point operations of an fma body", body.cost.flops.count, 0, kMaxFlops);
  table.number("bytes", "bytes that a stream body reads", body.cost.bytes.count, 0, kMaxBytes);
  core_type_parameter(table, body.core_type);
  const bool spins = body.kernel == Kernel::kSpin;
  const auto faults = cost_faults(body.kernel, {.time = spins || table.given("time_ns"),
                                                .sigma = table.given("sigma_ns"),
                                                .flops = table.given("flops"),
                                                .bytes = table.given("bytes")});
  if (!faults.empty()) throw ParameterError(faults.front().field, faults.front().message);
  if (!spins) body.cost.time = {};
}

}  // namespace tasktwin::scenarios
