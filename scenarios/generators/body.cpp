#include "scenarios/generators/body.hpp"

#include "models/names.hpp"

namespace tasktwin::scenarios {

Task Body::task(std::int32_t layer) const {
  Task task;
  task.kernel = kernel;
  task.core_type = core_type;
  task.cost = cost;
  task.layer = layer;
  return task;
}

std::vector<std::string_view> synthetic_kernels() {
  return {to_word(Kernel::kSpin), to_word(Kernel::kFma), to_word(Kernel::kStream), to_word(Kernel::kEmpty)};
}

std::vector<Parameter> with_body(std::vector<Parameter> own) {
  constexpr auto core_types = all_words<CoreType>();
  own.push_back({.name = "kernel", .meaning = "what every task's body does", .words = synthetic_kernels(), .word = to_word(Kernel::kSpin)});
  own.push_back({.name = "time_ns", .meaning = "time of a spin body", .min = 0, .max = kMaxTimeNs, .value = 1000});
  own.push_back({.name = "sigma_ns", .meaning = "standard deviation of time_ns", .min = 0, .max = 1'000'000'000});
  own.push_back({.name = "flops", .meaning = "floating-point operations of an fma body", .min = 0, .max = kMaxFlops});
  own.push_back({.name = "bytes", .meaning = "bytes that a stream body reads", .min = 0, .max = kMaxBytes});
  own.push_back({.name = "core_type",
                 .meaning = "the kind of core every task needs",
                 .words = {core_types.begin(), core_types.end()},
                 .word = to_word(CoreType::kSm)});
  return own;
}

std::vector<CostFault> cost_faults(Kernel kernel, const GivenCost& given) {
  const std::string word = "kernel '" + std::string(to_word(kernel)) + "'";
  std::vector<CostFault> faults;
  const auto check = [&](std::string_view field, bool is_given, Kernel owner, bool needed) {
    if (is_given && kernel != owner) faults.push_back({field, "goes with kernel '" + std::string(to_word(owner)) + "', not with " + word});
    if (!is_given && needed && kernel == owner) faults.push_back({field, "missing; " + word + " needs it"});
  };
  check("time_ns", given.time, Kernel::kSpin, true);
  check("sigma_ns", given.sigma, Kernel::kSpin, false);
  check("flops", given.flops, Kernel::kFma, true);
  check("bytes", given.bytes, Kernel::kStream, true);
  return faults;
}

Body body_from(const ParameterValues& values) {
  Body body;
  body.kernel = *from_word<Kernel>(values.word("kernel"));
  body.core_type = *from_word<CoreType>(values.word("core_type"));
  const bool spins = body.kernel == Kernel::kSpin;
  const GivenCost given{.time = spins || values.given("time_ns"),
                        .sigma = values.given("sigma_ns"),
                        .flops = values.given("flops"),
                        .bytes = values.given("bytes")};
  const auto faults = cost_faults(body.kernel, given);
  if (!faults.empty()) throw ParameterError(faults.front().field, faults.front().message);
  body.cost = {.time = Duration{spins ? values.whole("time_ns") : 0},
               .flops = {values.whole("flops")},
               .bytes = {values.whole("bytes")},
               .sigma_ns = static_cast<std::uint32_t>(values.whole("sigma_ns"))};
  return body;
}

}  // namespace tasktwin::scenarios
