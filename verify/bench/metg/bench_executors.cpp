#include "verify/bench/metg/bench_executors.hpp"

#include "models/runtimes/runtimes.hpp"

#include <algorithm>
#include <limits>

namespace tasktwin::verify {

namespace {

std::string value(const AxisField& field, const Design& design) {
  return field.is_word() ? std::string(field.word(design)) : std::to_string(design.*field.number);
}

}  // namespace

std::span<const BenchExecutor> bench_executors() {
  static const std::vector<BenchExecutor> executors = [] {
    std::vector<BenchExecutor> all;
    for (const Runtime* const runtime : runtimes()) {
      if (runtime->tune != nullptr) all.push_back({named_design(runtime->named.front().name), runtime->of_host()});
    }
    return all;
  }();
  return executors;
}

Design bench_design(const BenchExecutor& executor, int workers, bool independent) {
  Design design = executor.base;
  runtime_of(design).tune(design, workers, independent);
  return design;
}

std::string tuned_axes(const BenchExecutor& executor, const Design& design) {
  std::string text;
  for (const AxisField& field : axis_fields()) {
    if (value(field, design) == value(field, executor.base)) continue;
    text += (text.empty() ? "" : ", ") + std::string(field.name) + " " + value(field, design);
  }
  return text;
}

int bench_workers(const Machine& machine) {
  auto fewest = std::numeric_limits<std::size_t>::max();
  for (const BenchExecutor& executor : bench_executors()) fewest = std::min(fewest, worker_cores(executor.base, machine).size());
  return static_cast<int>(fewest);
}

Machine machine_with_workers(Machine machine, const Design& design, int workers) {
  const int surplus = static_cast<int>(worker_cores(design, machine).size()) - workers;
  std::ranges::max_element(machine.compute_cores, {}, &CoreGroup::count)->count -= surplus;
  return machine;
}

}  // namespace tasktwin::verify
