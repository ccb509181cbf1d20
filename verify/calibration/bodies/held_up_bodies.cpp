// What slows bodies down that read the memory: copies at the same time.
#include <array>

#include <fmt/format.h>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "verify/calibration/bodies/simulated_steps.hpp"
#include "verify/calibration/fit/fit_by_simulation.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::Copies;

namespace {

/// Kernels one after the other that read the memory with most cores, and in parallel, if any, copies both ways that take longer.
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

}  // namespace

Calibrated<Copies> calibrate_copy_traffic(Probes& probes, const Machine& known) {
  Design streams = named_design("cuda-streams");
  streams.stream_granularity = StreamGranularity::kHinted;
  streams.streams = 3;
  const std::array graphs{readers_beside_copies(false), readers_beside_copies(true)};
  const auto kernels_in = [](const Timeline& timeline) { return ns(timeline.tasks[3].ended - timeline.tasks[1].started); };
  const auto told = [&](const Machine& now, bool copies) { return kernels_in(sim::simulate(graphs[copies], now, streams).timeline); };
  std::array<double, 2> seen{};
  for (const bool copies : {false, true}) {
    seen[copies] = kernels_in(probes.run("readers beside copies", graphs[copies], streams, 3).timeline);
    probes.keep_sample(&Machine::copies, &Copies::traffic, copies ? "readers beside copies" : "readers alone", seen[copies]);
  }
  constexpr double kSome = 2;       // where the search begins
  constexpr double kUnknown = 2.0;  // how far it may go
  Machine first = known;
  first.copies->traffic = kSome;
  const Target longer{[&](const Machine& now) { return told(now, true) * seen[false] / told(now, false); }, seen[true]};
  Calibrated<Copies> copies(&Machine::copies);
  copies.set(&Copies::traffic, fit_by_simulation(first, of_constant(&Machine::copies, &Copies::traffic, kUnknown), {longer}),
             "by how much longer kernels of 120 blocks take that read 20 MiB each beside copies both ways, by simulation");
  return copies;
}

}  // namespace tasktwin::verify
