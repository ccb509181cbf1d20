#include <algorithm>

#include <fmt/format.h>

#include "models/random.hpp"
#include "verify/calibration/calibration.hpp"
#include "verify/calibration/fit.hpp"
#include "verify/calibration/micro_graphs.hpp"
#include "verify/comparison.hpp"

namespace tasktwin::verify {

namespace {

using namespace std::chrono_literals;

constexpr int kLinks = 200;

Design one_stream() {
  Design design = named_design("cuda-streams");
  design.streams = 1;
  return design;
}

/// A kernel, then `chunks` times a copy to the device, a kernel and a copy back, then a kernel, each after the one before; without `copies`
/// the same kernels alone. Every copy and every kernel takes longer than an engine takes to look, and the times differ, so that ends do
/// not keep step with the looks.
struct EngineChain {
  TaskGraph graph;
  std::vector<std::int64_t> copied;  ///< bytes each way
};
EngineChain engine_chain(int chunks, bool copies) {
  Random random(1);
  TaskGraphBuilder builder;
  EngineChain chain;
  const auto append = [&](const Task& task) {
    const TaskId added = builder.add_task("task" + std::to_string(builder.size()), task);
    if (index(added) > 0) builder.add_edge(task_id(index(added) - 1), added);
  };
  const auto copy = [](Operation operation, std::int64_t bytes) {
    return Task{.cost = {.bytes = {bytes}}, .kernel = Kernel::kEmpty, .operation = operation};
  };
  append(spin_task(50us));
  for (int i = 0; i < chunks; ++i) {
    const std::int64_t bytes = random.between(512, 6144) << 10;
    const Duration kernel{random.between(40'000, 140'000)};
    chain.copied.push_back(bytes);
    if (copies) append(copy(Operation::kCopyH2d, bytes));
    append(spin_task(kernel));
    if (copies) append(copy(Operation::kCopyD2h, bytes));
  }
  append(spin_task(50us));
  chain.graph = std::move(builder).build();
  return chain;
}

/// kLinks + 1 kernels, each after the one before, with `between` in between.
TaskGraph kernels_with(const Task& between) {
  TaskGraphBuilder builder;
  TaskId last = builder.add_task("kernel", spin_task(30us));
  for (int i = 0; i < kLinks; ++i) {
    const TaskId middle = builder.add_task("between" + std::to_string(i), between);
    builder.add_edge(last, middle);
    last = builder.add_task("kernel" + std::to_string(i), spin_task(30us));
    builder.add_edge(middle, last);
  }
  return std::move(builder).build();
}

double makespan_ns(const gpu::Measurement& measurement) { return ns(median_duration(measurement.makespans)); }

std::string setting(const gpu::TransferTimes::Queued& one) {
  return fmt::format("{} of {} KiB, streams {}", to_word(one.operation), one.bytes / 1024, one.streams);
}

/// Bytes/ns of a slope; 0 where it is none.
double rate(double ns_per_byte) { return ns_per_byte > 0 ? 1 / ns_per_byte : 0; }

/// Constants: copy_gap, copy_setup to the device and to the host, ns a byte to the device and to the host.
std::vector<Observation> observe_copies(Calibration& calibration, const gpu::TransferTimes& times) {
  std::vector<Observation> observations;
  for (const gpu::TransferTimes::Queued& one : times.queued) {
    if (!is_copy(one.operation) || one.ns <= 0) continue;
    calibration.keep_sample("copies.setup_ns", setting(one), one.ns);
    const auto bytes = static_cast<double>(one.bytes);
    const bool in = one.operation == Operation::kCopyH2d;
    observations.push_back(
        relative({one.streams == 1 ? 1.0 : 0.0, in ? 1.0 : 0.0, in ? 0.0 : 1.0, in ? bytes : 0.0, in ? 0.0 : bytes}, one.ns));
  }
  return observations;
}

/// What copies add to a chain of kernels, less what they take themselves and with the gaps between the kernels that they take the place of.
void calibrate_engine_gap(Calibration& calibration) {
  constexpr int kChunks = 60;
  constexpr int kGaps = 3 * kChunks + 1;
  const EngineChain chain = engine_chain(kChunks, true);
  const double with = makespan_ns(calibration.run("copies and kernels in one stream", chain.graph, one_stream(), 5));
  const double alone = makespan_ns(calibration.run("kernels in one stream", engine_chain(kChunks, false).graph, one_stream(), 5));
  double copies = 0;
  for (const std::int64_t bytes : chain.copied) {
    copies += 2 * calibration.get("copies.setup_ns") + static_cast<double>(bytes) / calibration.get("links.h2d_bandwidth_gb_per_s") +
              static_cast<double>(bytes) / calibration.get("links.d2h_bandwidth_gb_per_s");
  }
  const double gaps = with - alone - copies + (kChunks + 1) * calibration.get("streams.gap_ns");
  calibration.keep_sample("copies.engine_gap_ns", "copies of 0.5 to 6 MiB and kernels of 40 to 140 us in one stream", gaps / kGaps);
  calibration.set("copies.engine_gap_ns", gaps / kGaps,
                  "copies of 0.5 to 6 MiB each way and kernels of 40 to 140 us in one stream, less the kernels alone and the copies, mean");
}

void calibrate_memsets(Calibration& calibration, const gpu::TransferTimes& times) {
  std::vector<Observation> observations;
  for (const gpu::TransferTimes::Queued& one : times.queued) {
    if (one.operation != Operation::kMemset) continue;
    calibration.keep_sample("copies.memset_setup_ns", setting(one), one.ns);
    const double held = one.ns - calibration.get("streams.gap_ns");
    if (held > 0) observations.push_back(relative({1.0, static_cast<double>(one.bytes)}, held));
  }
  const std::vector<Estimate> fitted = fit_constants(observations);
  if (fitted.empty()) return;
  calibration.set("copies.memset_setup_ns", fitted[0], "memsets of 16 KiB to 256 MiB in one stream, less stream_gap_ns, intercept");
  calibration.set("copies.memset_bandwidth_gb_per_s", rate(fitted[1]), "memsets of 16 KiB to 256 MiB in one stream, slope");
}

void calibrate_staging(Calibration& calibration, const gpu::TransferTimes& times) {
  std::vector<Observation> observations;
  for (const gpu::TransferTimes::Pageable& one : times.pageable) {
    calibration.keep_sample("links.staging_bandwidth_gb_per_s", fmt::format("{} of {} MiB", to_word(one.operation), one.bytes >> 20),
                            one.ns);
    observations.push_back(relative({1.0, static_cast<double>(one.bytes)}, one.ns));
  }
  calibration.set("links.staging_bandwidth_gb_per_s", rate(fit_constants(observations)[1]),
                  "copies of 8 to 64 MiB from and to pageable memory, slope over both directions");
}

void calibrate_host_functions(Calibration& calibration) {
  const Task function{.kernel = Kernel::kEmpty, .operation = Operation::kHost};
  const TaskGraph graph = kernels_with(function);
  const Timeline timeline = calibration.run("functions of the host", graph, one_stream(), 3).timeline;
  std::vector<double> times;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation != Operation::kHost) continue;
    const TaskId before = *graph.predecessors(task_id(i)).begin();
    times.push_back(ns(timeline.tasks[i].started - timeline.tasks[index(before)].ended));
  }
  calibration.set("copies.host_task_ns", trimmed_mean(times), "ended to started of functions of the host behind 30 us kernels");
}

}  // namespace

void calibrate_copies(Calibration& calibration) {
  const gpu::TransferTimes times = calibration.transfers();
  calibration.set("copies.call_ns", times.call_ns, "calls for pinned copies of 64 KiB into a busy stream");

  const std::vector<Estimate> fitted = fit_constants(observe_copies(calibration, times));
  const std::string method = "pinned copies of 16 KiB to 16 MiB queued in one stream and in eight, least relative squares";
  calibration.set("copies.gap_ns", fitted[0], method);
  const double setup = (fitted[1] + fitted[2]) / 2;
  calibration.set("copies.setup_ns", setup, method + ", mean of both directions");
  calibration.set("links.h2d_bandwidth_gb_per_s", rate(fitted[3]), method);
  calibration.set("links.d2h_bandwidth_gb_per_s", rate(fitted[4]), method);
  calibration.set("links.duplex_bandwidth_gb_per_s", times.duplex_bytes_per_ns, "pinned copies of 16 MiB in both directions at once");
  calibration.set("copies.latency_ns", times.first_word_ns - setup,
                  "call begun to the host seeing a copied word on an idle device, less copy_setup_ns");
  calibrate_engine_gap(calibration);
  calibrate_memsets(calibration, times);
  calibrate_staging(calibration, times);
  calibrate_host_functions(calibration);
}

}  // namespace tasktwin::verify
