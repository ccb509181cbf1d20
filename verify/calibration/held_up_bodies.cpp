// What holds up bodies that read the memory: copies beside them, and launches by warps.
#include <array>

#include <fmt/format.h>

#include "sim/simulator.hpp"
#include "verify/calibration/body_times.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/decode_probes.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/calibration/refinement.hpp"

namespace tasktwin::verify {

namespace {

/// Kernels one after the other that read the memory with most cores, and beside them, where there are, copies both ways that take longer.
TaskGraph readers_beside_copies(bool copies) {
  TaskGraphBuilder builder;
  const auto in_stream = [&builder](int stream, int count, const Task& task, int blocks) {
    for (int i = 0; i < count; ++i) {
      Task next = task;
      next.traits = builder.add_traits({.blocks = blocks, .stream = stream});
      const TaskId added = builder.add_task(fmt::format("{} of stream {}", i, stream), next);
      if (i > 0) builder.add_edge(task_id(index(added) - 1), added);
    }
  };
  in_stream(0, 4, sized_task(Kernel::kStream, {}, 0, 20 << 20), 120);
  if (copies) {
    for (const Operation way : {Operation::kCopyH2d, Operation::kCopyD2h}) {
      const Task copy{.cost = {.bytes = {48 << 20}}, .kernel = Kernel::kEmpty, .operation = way};
      in_stream(way == Operation::kCopyH2d ? 1 : 2, 3, copy, 1);
    }
  }
  return std::move(builder).build();
}

/// How much of the memory copies take up, by how much longer kernels take beside them. Contract: what both take alone has been set.
void calibrate_copy_traffic(Calibration& calibration) {
  Design streams = named_design("cuda-streams");
  streams.stream_granularity = StreamGranularity::kHinted;
  streams.streams = 3;
  const std::array graphs{readers_beside_copies(false), readers_beside_copies(true)};
  const auto kernels_in = [](const Timeline& timeline) { return ns(timeline.tasks[3].ended - timeline.tasks[1].started); };
  const auto told = [&](const Machine& now, bool copies) { return kernels_in(sim::simulate(graphs[copies], now, streams).timeline); };
  std::array<double, 2> seen{};
  for (const bool copies : {false, true}) {
    seen[copies] = kernels_in(calibration.run("readers beside copies", graphs[copies], streams, 3).timeline);
    calibration.keep_sample("copies.traffic_ratio", copies ? "readers beside copies" : "readers alone", seen[copies]);
  }
  const std::string method = "by how much longer kernels of 120 blocks take that read 20 MiB each beside copies both ways, by simulation";
  constexpr double kSome = 2;  // where the search begins
  calibration.set("copies.traffic_ratio", kSome, method);
  Unknown traffic = of_constant("copies.traffic_ratio");
  traffic.known_to = 2.0;
  const Target longer{[&](const Machine& now) { return told(now, true) * seen[false] / told(now, false); }, seen[true]};
  calibration.set("copies.traffic_ratio", fit_by_simulation(calibration.machine(), {traffic}, {longer})[0], method);
}

/// How much launches of warps hold up bodies of 30 us and more, which a warp launches in two goes: the second falls into the first's
/// bodies. Contract: what the bodies take in company has been set.
void calibrate_stalls(Calibration& calibration) {
  constexpr std::size_t kWaves = 6;
  const std::string method =
      "bodies of kernel gate_up that a warp launches in two goes, of 32 and of 8 to 32, the first less the second and less as simulated";
  calibration.set("dynamic_parallelism.stall_ns", 0, method);  // until it is measured
  calibration.set("dynamic_parallelism.stall_per_kernel_ns", 0, method);
  std::vector<Observation> stalls;
  for (const std::size_t second : {8, 16, 32}) {
    BodyProbe probe = matrix_probe(Kernel::kGateUp, 128);
    probe.width = static_cast<int>(static_cast<std::size_t>(calibration.machine().dynamic_parallelism->lanes) + second);
    probe.tasks.resize(std::min(probe.tasks.size(), kWaves * static_cast<std::size_t>(probe.width)));
    const double stall = measure_stall(calibration, probe);
    calibration.keep_sample("dynamic_parallelism.stall_ns", fmt::format("{} kernels", second), stall);
    stalls.push_back({{1.0, static_cast<double>(second - 1)}, stall});
  }
  const std::vector<Estimate> fitted = fit_constants(stalls);
  calibration.set("dynamic_parallelism.stall_ns", fitted[0], method + "; least squares, one kernel");
  calibration.set("dynamic_parallelism.stall_per_kernel_ns", fitted[1], method + "; least squares, a further one");
}

}  // namespace

void calibrate_held_up_bodies(Calibration& calibration) {
  calibrate_copy_traffic(calibration);
  calibrate_stalls(calibration);
}

}  // namespace tasktwin::verify
