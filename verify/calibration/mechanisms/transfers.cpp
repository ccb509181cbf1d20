#include <algorithm>

#include <fmt/format.h>

#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::Copies;
using mechanism::Links;

namespace {

using namespace std::chrono_literals;

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

std::string setting(const gpu::TransferTimes::Queued& one) {
  return fmt::format("{} of {} KiB, streams {}", to_word(one.operation), one.bytes / 1024, one.streams);
}

/// Bytes/ns of a slope; 0 where it is none.
double rate(double ns_per_byte) { return ns_per_byte > 0 ? 1 / ns_per_byte : 0; }

/// A copy that is queued after others.
template <class T>
struct CopySteps {
  T gap{};  ///< after another of its stream
  T setup_in{};
  T setup_out{};
  T byte_in{};
  T byte_out{};
  auto all() { return std::array{&gap, &setup_in, &setup_out, &byte_in, &byte_out}; }
};

CopySteps<Estimate> fit_copies(Probes& probes, const gpu::TransferTimes& times) {
  Fit<CopySteps> copies;
  for (const gpu::TransferTimes::Queued& one : times.queued) {
    if (!is_copy(one.operation) || one.ns <= 0) continue;
    probes.keep_sample(&Machine::copies, &Copies::setup, setting(one), one.ns);
    const double gap = one.streams == 1 ? 1 : 0;
    const auto bytes = static_cast<double>(one.bytes);
    copies.observe_relative(one.operation == Operation::kCopyH2d ? CopySteps<double>{.gap = gap, .setup_in = 1, .byte_in = bytes}
                                                                 : CopySteps<double>{.gap = gap, .setup_out = 1, .byte_out = bytes},
                            one.ns);
  }
  return copies.solve();
}

void calibrate_pinned(Probes& probes, const gpu::TransferTimes& times, Transfers& found) {
  const CopySteps<Estimate> fitted = fit_copies(probes, times);
  const std::string method = "pinned copies of 16 KiB to 16 MiB queued in one stream and in eight, least relative squares";
  const double setup = (fitted.setup_in + fitted.setup_out) / 2;
  found.copies.set(&Copies::call, times.call_ns, "calls for pinned copies of 64 KiB into a busy stream");
  found.copies.set(&Copies::gap, fitted.gap, method);
  found.copies.set(&Copies::setup, setup, method + ", mean of both directions");
  found.links.set(&Links::h2d_bandwidth, rate(fitted.byte_in), method);
  found.links.set(&Links::d2h_bandwidth, rate(fitted.byte_out), method);
  found.links.set(&Links::duplex_bandwidth, std::min(times.duplex_bytes_per_ns, rate(fitted.byte_in) + rate(fitted.byte_out)),
                  "pinned copies of 16 MiB in both directions at once, at most the sum of both");
  found.copies.set(&Copies::latency, times.first_word_ns - setup,
                   "call begun to the host seeing a copied word on an idle device, less copy_setup_ns");
}

/// What copies add to a chain of kernels, less what they take themselves and with the gaps between the kernels that they take the place of.
void calibrate_engine_gap(Probes& probes, const mechanism::Streams& streams, Transfers& found) {
  constexpr int kChunks = 60;
  constexpr int kGaps = 3 * kChunks + 1;
  const EngineChain chain = engine_chain(kChunks, true);
  const auto makespan = [&probes](const char* what, const TaskGraph& graph) { return probes.makespan(what, graph, one_stream(), 5); };
  const double with = makespan("copies and kernels in one stream", chain.graph);
  const double alone = makespan("kernels in one stream", engine_chain(kChunks, false).graph);
  double copies = 0;
  for (const std::int64_t bytes : chain.copied) {
    copies += 2 * found.copies.setup.count() + static_cast<double>(bytes) / found.links.h2d_bandwidth +
              static_cast<double>(bytes) / found.links.d2h_bandwidth;
  }
  const double gaps = with - alone - copies + (kChunks + 1) * streams.gap.count();
  probes.keep_sample(&Machine::copies, &Copies::engine_gap, "copies of 0.5 to 6 MiB and kernels of 40 to 140 us in one stream",
                     gaps / kGaps);
  found.copies.set(
      &Copies::engine_gap, gaps / kGaps,
      "copies of 0.5 to 6 MiB each way and kernels of 40 to 140 us in one stream, less the kernels alone and the copies, mean");
}

void calibrate_memsets(Probes& probes, const gpu::TransferTimes& times, Calibrated<Copies>& copies) {
  Fit<Line> memsets;
  for (const gpu::TransferTimes::Queued& one : times.queued) {
    if (one.operation != Operation::kMemset) continue;
    probes.keep_sample(&Machine::copies, &Copies::memset_bandwidth, setting(one), one.ns);
    memsets.observe_relative({.intercept = 1, .slope = static_cast<double>(one.bytes)}, one.ns);
  }
  copies.set(&Copies::memset_bandwidth, rate(memsets.solve().slope), "memsets of 16 KiB to 256 MiB in one stream, slope");
}

void calibrate_staging(Probes& probes, const gpu::TransferTimes& times, Calibrated<Links>& links) {
  Fit<Line> pageable;
  for (const gpu::TransferTimes::Pageable& one : times.pageable) {
    probes.keep_sample(&Machine::links, &Links::staging_bandwidth, fmt::format("{} of {} MiB", to_word(one.operation), one.bytes >> 20),
                       one.ns);
    pageable.observe_relative({.intercept = 1, .slope = static_cast<double>(one.bytes)}, one.ns);
  }
  links.set(&Links::staging_bandwidth, rate(pageable.solve().slope),
            "copies of 8 to 64 MiB from and to pageable memory, slope over both directions");
}

}  // namespace

Transfers calibrate_transfers(Probes& probes, const mechanism::Streams& streams) {
  Transfers found;
  const gpu::TransferTimes times = probes.ask("copies and memsets", &CalibrationBackend::transfers);
  calibrate_pinned(probes, times, found);
  calibrate_engine_gap(probes, streams, found);
  calibrate_memsets(probes, times, found.copies);
  calibrate_staging(probes, times, found.links);
  return found;
}

}  // namespace tasktwin::verify
