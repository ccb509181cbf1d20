#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/design/design.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin::verify {

/// An executor of the benchmark: the named design of a runtime that says how it is tuned for tiny tasks (Runtime::tune).
struct BenchExecutor {
  Design base;                 ///< its name is the executor's
  bool host_launched = false;  ///< the host, or a graph, launches a kernel a task: it gets smaller graphs
};

std::span<const BenchExecutor> bench_executors();

/// The design of `executor`, tuned; for a pattern of `independent` tasks, or for one whose tasks wait for each other, where what
/// one worker has taken ahead is lost to an idle one.
Design bench_design(const BenchExecutor& executor, int workers, bool independent);

/// The axes in which `design` differs from the executor's base: "mailbox_depth 8, claim fixed, claim_size 8"; may be empty.
std::string tuned_axes(const BenchExecutor& executor, const Design& design);

/// The workers that every executor has on `machine`: what the neediest in control cores leaves.
int bench_workers(const Machine& machine);

/// `machine` with as many compute cores as leave exactly `workers` under `design`, so that all executors run the same graphs.
/// Contract: it has enough of them.
Machine machine_with_workers(Machine machine, const Design& design, int workers);

}  // namespace tasktwin::verify
