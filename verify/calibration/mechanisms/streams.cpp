#include <algorithm>

#include "models/base/random.hpp"
#include "models/cost/body_cost.hpp"
#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/fit/phases.hpp"
#include "verify/calibration/mechanisms/calibrated_mechanisms.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"

namespace tasktwin::verify {

using mechanism::HostCalls;
using mechanism::Streams;

namespace {

using namespace std::chrono_literals;

Design in_streams(int count, ProgrammaticLaunch programmatic = ProgrammaticLaunch::kOff) {
  Design design = named_design("cuda-streams");
  design.streams = count;
  design.programmatic_launch = programmatic;
  return design;
}

/// In each of two streams of a chain launches wait for the other's events; the device looks at so many queues side by side.
constexpr int kQueuesOfAChain = 2;
/// Where it looks at them in turn.
constexpr int kSomeQueues = 8;

/// The device's looks at queues have a rhythm, which kernels of one length would keep to.
TaskGraph uneven_chain() {
  Random random(1);
  TaskGraphBuilder builder;
  for (int i = 0; i < 400; ++i) {
    builder.add_task(std::to_string(i), {.cost = {.time = Duration{random.between(8'000, 40'000)}}});
    if (i > 0) builder.add_edge(task_id(static_cast<std::size_t>(i) - 1), task_id(static_cast<std::size_t>(i)));
  }
  return std::move(builder).build();
}

/// Kernels of a block a core, which read all the time, one after the other.
TaskGraph chain_of_readers(int blocks) {
  Random random(2);
  TaskGraphBuilder builder;
  const std::uint32_t traits = builder.add_traits({.blocks = blocks});
  for (int i = 0; i < 300; ++i) {
    Task reader = sized_task(Kernel::kStream, {}, 0, random.between(120'000, 400'000));
    reader.traits = traits;
    builder.add_task(std::to_string(i), reader);
    if (i > 0) builder.add_edge(task_id(static_cast<std::size_t>(i) - 1), task_id(static_cast<std::size_t>(i)));
  }
  return std::move(builder).build();
}

/// Of the memory's bandwidth, while a kernel ran, on average over kernels.
double drawn_share(const TaskGraph& graph, const Timeline& timeline, const Machine& machine) {
  double sum = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const double running = ns(timeline.tasks[i].ended - timeline.tasks[i].started);
    sum += std::min(1.0, drawn_bytes(machine, graph, task_id(i)) / machine.memory->bandwidth / std::max(1.0, running));
  }
  return sum / static_cast<double>(graph.size());
}

TaskGraph with_prologues(const TaskGraph& graph, Duration prologue) {
  TaskGraphBuilder builder;
  copy_tasks(builder, graph, [prologue](TaskId, Task&, TaskTraits& traits) { traits.prologue = prologue; });
  copy_edges(builder, graph);
  return std::move(builder).build();
}

/// How long the device takes to see an event where several queues wait for one.
void calibrate_looks(Probes& probes, const Estimate& across_two, Calibrated<Streams>& streams) {
  const int most = probes.machine().launch_limits.hardware_queues;
  if (most <= kSomeQueues) {
    streams.assume(&Streams::waiting_queue, Nanoseconds{0}, "the machine states too few hardware queues for them to be looked at in turn");
    return;
  }
  const auto gap_among = [&](std::string_view what, const TaskGraph& graph, int queues) {
    return chain_gap(probes.run(what, graph, in_streams(queues), 3).timeline);
  };
  const Estimate among_some = gap_among("kernels across some hardware queues", uneven_chain(), kSomeQueues);
  const Estimate among_all = gap_among("kernels across all hardware queues", uneven_chain(), most);
  const Estimate look = (among_all - among_some) / (most - kSomeQueues);
  streams.set(&Streams::waiting_queue, look > 0 ? look : Estimate(0),
              "ended to started along a chain of 8 to 40 us kernels across as many streams as there are hardware queues, less the same "
              "across eight, a queue that waits");
  const Estimate turns = among_some - across_two - streams.waiting_queue.count() * (kSomeQueues - kQueuesOfAChain);
  streams.set(&Streams::queue_turns, turns > 0 ? turns : Estimate(0),
              "ended to started along a chain of 8 to 40 us kernels across eight streams, less one of 30 us across two and "
              "waiting_queue_ns of the other six");
}

/// Kernels long enough that the host is ahead of the device, and few enough that the launch queue never fills.
void calibrate_gaps(Probes& probes, Calibrated<Streams>& streams) {
  const TaskGraph chain = chain_graph(400, 30us);
  streams.set(&Streams::gap, chain_gap(probes.run("kernels in one stream", chain, in_streams(1), 3).timeline),
              "ended to started along a chain of 30 us kernels in one stream");
  const Estimate across_two = chain_gap(probes.run("kernels across two streams", chain, in_streams(kQueuesOfAChain), 3).timeline);
  calibrate_looks(probes, across_two, streams);
  streams.set(&Streams::event_gap, across_two - streams.waiting_queue.count(),
              "ended to started along a chain of 30 us kernels across two streams, both of which wait, less waiting_queue_ns");
}

void calibrate_latency(Probes& probes, const HostCalls& calls, Calibrated<Streams>& streams) {
  const TaskGraph single = chain_graph(1, 0ns);
  const double call = (calls.launch + calls.first_launches / HostCalls::kFirstLaunches).count();
  std::vector<double> latencies;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const TaskTimes times = probes.run("a single launch", single, in_streams(1), 1).timeline.tasks.front();
    latencies.push_back(ns(times.started - times.dispatched) + call);
  }
  streams.set(&Streams::launch_latency, trimmed_mean(latencies), "launch call begun to started of single kernels on an idle device");
}

/// The same constant for streams and graphs.
void calibrate_programmatic_launches(Probes& probes, Calibrated<Streams>& streams) {
  const TaskGraph chain = chain_graph(300, 30us);
  Design graph = named_design("cuda-graph");
  graph.programmatic_launch = ProgrammaticLaunch::kOn;
  const Estimate by_stream =
      chain_gap(probes.run("programmatic launches in a stream", chain, in_streams(1, ProgrammaticLaunch::kOn), 3).timeline);
  const Estimate by_graph = chain_gap(probes.run("programmatic launches in a graph", chain, graph, 3).timeline);
  probes.keep_sample(&Machine::streams, &Streams::programmatic_gap, "in one stream", by_stream);
  probes.keep_sample(&Machine::streams, &Streams::programmatic_gap, "in a graph", by_graph);
  streams.set(&Streams::programmatic_gap, (by_stream + by_graph) / 2,
              "ended to started along a chain of 30 us kernels launched programmatically, mean of stream and graph");
  constexpr Duration kPrologue = 60us;
  const Timeline begun = probes
                             .run("programmatic launches with a prologue", with_prologues(chain_graph(100, 10us), kPrologue),
                                  in_streams(1, ProgrammaticLaunch::kOn), 3)
                             .timeline;
  const std::size_t last = begun.tasks.size() - 1;
  const std::size_t first = begun.tasks.size() / 2;  // from where on the host is ahead
  const double apart = ns(begun.tasks[last].started - begun.tasks[first].started) / static_cast<double>(last - first);
  streams.set(&Streams::trigger_latency, std::max(0.0, apart - ns(kPrologue)),
              "started to started, less the prologue, along a chain of 10 us kernels launched programmatically with a prologue of 60 us");
}

}  // namespace

Calibrated<Streams> calibrate_streams(Probes& probes, const HostCalls& calls) {
  Calibrated<Streams> streams(&Machine::streams);
  calibrate_gaps(probes, streams);
  calibrate_latency(probes, calls, streams);
  calibrate_programmatic_launches(probes, streams);
  return streams;
}

Calibrated<Streams> calibrate_queues_behind_readers(Probes& probes, const Machine& known) {
  Calibrated<Streams> streams(&Machine::streams, *known.streams);
  const int most = known.launch_limits.hardware_queues;
  if (most <= kQueuesOfAChain || known.memory->bandwidth <= 0) return streams;
  const TaskGraph readers = chain_of_readers(known.core_count());
  const Timeline all = probes.run("readers across all hardware queues", readers, in_streams(most), 3).timeline;
  const Timeline two = probes.run("readers across two streams", readers, in_streams(kQueuesOfAChain), 3).timeline;
  const double without = (most - kQueuesOfAChain) * known.streams->waiting_queue.count() + known.streams->queue_turns.count();
  const Estimate longer = chain_gap(all) - chain_gap(two) - without;
  const double share = drawn_share(readers, all, known);
  streams.set(&Streams::loaded_queue, longer > 0 && share > 0 ? longer / ((most - kQueuesOfAChain) * share) : Estimate(0),
              "ended to started along a chain of kernels that read all the time, across all hardware queues less across two streams, less "
              "waiting_queue_ns and queue_turns_ns, a queue, by the share of the memory's bandwidth that they drew");
  return streams;
}

Calibrated<mechanism::LaunchedKernels> calibrate_around(Probes& probes, const Streams& streams, const mechanism::GraphLaunch& graphs) {
  using mechanism::LaunchedKernels;
  const gpu::PlainChainTimes plain = probes.ask("plain kernels one after the other", &CalibrationBackend::plain_chains);
  probes.keep_sample(&Machine::launched_kernels, &LaunchedKernels::around, "ended to started of plain kernels in a graph",
                     plain.graph_gap_ns);
  probes.keep_sample(&Machine::launched_kernels, &LaunchedKernels::around, "ended to started of plain kernels in one stream",
                     plain.stream_gap_ns);
  const double in_graph = graphs.gap.count() - plain.graph_gap_ns;
  const double in_stream = streams.gap.count() - plain.stream_gap_ns;
  Calibrated<LaunchedKernels> kernels(&Machine::launched_kernels);
  kernels.set(&LaunchedKernels::around, std::max(0.0, (in_graph + in_stream) / 2),
              "streams.gap_ns and graph_launch.gap_ns, less ended to started of 30 us kernels that take nothing but stamps around their "
              "bodies, mean of stream and graph");
  kernels.set(&LaunchedKernels::per_block, std::max(0.0, plain.block_ns),
              "start to start of kernels without bodies in a graph, of 8192 blocks, less that of 1024, by block");
  return kernels;
}

}  // namespace tasktwin::verify
