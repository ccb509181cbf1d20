#pragma once

#include <optional>
#include <string>

#include "scenarios/load/scenario.hpp"
#include "sim/simulator.hpp"
#include "verify/bench/bench_provenance.hpp"
#include "verify/bench/metg/metg_benchmark.hpp"

namespace tasktwin::tests {

/// The shipped H200 with 9 multiprocessors: 8 workers where a dispatcher takes one.
inline Machine small_machine() {
  Machine machine = scenarios::load_machine("nvidia-h200");
  machine.compute_cores = {{CoreType::kSm, 9}};
  return machine;
}

/// The simulator in the GPU's place: every plain run takes what it predicts.
inline verify::BenchBackend simulated_backend() {
  return {.why_unsupported = [](const TaskGraph&, const Machine&, const Design& design) -> std::optional<std::string> {
            if (design.driver == Driver::kCudaGraph) return "driver 'cuda_graph' is not simulated";
            return std::nullopt;
          },
          .run =
              [](const TaskGraph& graph, const Machine& machine, const Design& design, const gpu::RunOptions& options) {
                gpu::Measurement measurement;
                const Duration makespan = sim::simulate(graph, machine, design).timeline.makespan();
                measurement.makespans.assign(static_cast<std::size_t>(options.repeats), makespan);
                return measurement;
              }};
}

/// The hardware's hops, made up.
inline verify::HopTimes some_hops() {
  return {{{"st.release", "ld.acquire", 560}, {"st.release", "ld.relaxed, then fence", 720}, {"red.release", "ld.acquire", 500}},
          {{"st.release", "ld.acquire", 625}, {"red.release", "ld.acquire", 650}},
          {{2, 1100}, {9, 1300}}};
}

inline verify::BenchProvenance some_provenance() {
  return {"nvidia-h200", "0123456789abcdef", {"GPU <of & tests>", "1.2", "13.0", 9}, "2026-01-02", "tasktwin run --metg --record DIR"};
}

}  // namespace tasktwin::tests
