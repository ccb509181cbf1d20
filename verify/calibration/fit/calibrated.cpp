#include "verify/calibration/fit/calibrated.hpp"

#include <algorithm>
#include <cmath>

namespace tasktwin::verify {

namespace {

void note(Machine& machine, const std::string& key, Provenance provenance) {
  if (provenance.source == Source::kMeasured) provenance.date = machine.measured.date;
  machine.provenance[key] = std::move(provenance);
}

}  // namespace

double tidy(double value) { return std::round(std::max(0.0, value) * 1000) / 1000; }

void FoundConstant::into(Machine& machine) const {
  constant->set(machine, value);
  machine.unstated.erase(constant->key);
  note(machine, constant->key, provenance);
}

FoundConstant measured(const ConstantField& constant, const Estimate& estimate, std::string method) {
  FoundConstant found{&constant, tidy(estimate), {.source = Source::kMeasured, .text = std::move(method)}};
  if (estimate.interval && estimate.value > 0)
    found.provenance.interval = Interval{tidy(estimate.interval->low), tidy(estimate.interval->high)};
  return found;
}

CalibratedKernel::CalibratedKernel(Kernel of, const KernelCost& measured, std::string how) : kernel(of), method(std::move(how)) {
  for (const KernelField& field : kernel_fields()) field.set(cost, tidy(field.get(measured)));
  cost.traffic = std::max(0.1, cost.traffic);
  for (const KernelCost::Point& point : measured.arithmetic)
    cost.arithmetic.push_back({point.flops, tidy(point.ns), tidy(point.uncached_ns)});
}

void CalibratedKernel::into(Machine& machine) const {
  machine.kernels[static_cast<std::size_t>(kernel)] = cost;
  note(machine, "kernels." + std::string(to_word(kernel)), {.source = Source::kMeasured, .text = method});
}

std::string method_of(const Machine& machine, Kernel kernel) {
  const auto source = machine.provenance.find("kernels." + std::string(to_word(kernel)));
  return source == machine.provenance.end() ? std::string() : source->second.text;
}

}  // namespace tasktwin::verify
