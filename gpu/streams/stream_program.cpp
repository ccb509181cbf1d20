#include "gpu/streams/stream_program.hpp"

#include <algorithm>

#include "models/cost/body_cost.hpp"
#include "models/design/core_shares.hpp"
#include "models/shares/task_shares.hpp"

namespace tasktwin::gpu {

namespace {

/// The levels that stream_priorities gives, as CUDA's priorities: lower is more urgent. Empty where all are the same.
std::vector<int> cuda_priorities(const ExecutorInputs& inputs) {
  if (inputs.design.stream_priorities == StreamPriorities::kNone) return {};
  int least = 0;
  int greatest = 0;
  check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "asking for the priorities");
  const int levels = inputs.machine.launch_limits.priorities;
  if (levels > least - greatest + 1) {
    throw RunError("machine '" + inputs.machine.name + "' states " + std::to_string(levels) + " launch priorities, but the GPU has " +
                   std::to_string(least - greatest + 1));
  }
  std::vector<int> priorities;
  const std::vector<Duration> durations = planned_durations(inputs.graph, inputs.machine);
  for (const std::uint8_t level : launch_levels(inputs.graph, inputs.design, durations, levels)) priorities.push_back(greatest + level);
  return priorities;
}

/// All kernels of a stream are of one share: under a partition it has one kernel only, and others are refused (why_no_sets).
StreamSet make_streams(const ExecutorInputs& inputs, const std::vector<StreamLaunch>& plan) {
  const std::uint32_t count = stream_count(inputs.graph, inputs.design);
  if (share_count(inputs.design) == 1) return {count, inputs.design.default_stream};
  std::vector<int> shares(count, 0);
  const TaskShares share_of_task(inputs.graph, inputs.design);
  for (const StreamLaunch& launch : plan) shares[launch.stream] = share_of_task.of(launch.task);
  return {inputs.design.sets.empty() ? std::make_unique<SmPartition>(inputs.design.partition)
                                     : std::make_unique<SmPartition>(std::span<const NamedCores>(inputs.design.sets)),
          shares};
}

}  // namespace

StreamProgram::StreamProgram(const ExecutorInputs& inputs, const TaskKernels& kernels, Operations* operations)
    : inputs_(inputs),
      kernels_(kernels),
      operations_(operations),
      how_(inputs.design.stream_wait),
      plan_(how_ == StreamWait::kProgram ? plan_program(inputs.graph, *inputs.program) : plan_streams(inputs.graph, inputs.design)),
      streams_(make_streams(inputs, plan_)),
      priorities_(cuda_priorities(inputs)),
      event_of_(inputs.graph.size()),
      stream_of_(inputs.graph.size()),
      launched_(inputs.graph.size()) {
  const bool by_events = how_ != StreamWait::kCallback;
  for (StreamLaunch& launch : plan_) {
    std::erase_if(launch.awaited, [&](TaskId before) { return inputs.options.ignores(before, launch.task); });
    stream_of_[index(launch.task)] = launch.stream;
    if (std::ranges::find(in_use_, launch.stream) == in_use_.end()) in_use_.push_back(launch.stream);
    if (!launch.records_event || !by_events) continue;
    event_of_[index(launch.task)] = events_.size();
    events_.emplace_back();
  }
  meeting_.resize(in_use_.size());
  if (how_ == StreamWait::kProgram) {
    replay_.emplace(*inputs.program, streams_);
  } else if (inputs.program != nullptr) {
    shares_ = host_shares(*inputs.program, inputs.graph.size());
  }
}

/// Host functions still to come would read their arguments.
StreamProgram::~StreamProgram() {
  if (board_) static_cast<void>(cudaDeviceSynchronize());
}

void StreamProgram::prepare(const StreamRun& run) {
  if (!replay_) return;
  auto& graphs = graphs_[{run.stamped, run.done != nullptr}];
  for (const auto& at : inputs_.program->order) {
    const HostCall& call = inputs_.program->call(at);
    const auto first = static_cast<std::uint32_t>(call.first);
    if (!call.graph || graphs.contains(first)) continue;
    graphs.emplace(first, captured_graph(run, call));
    check(cudaGraphUpload(graphs.at(first), streams_[call.stream]), "uploading a graph");
  }
  check(cudaDeviceSynchronize(), "uploading the graphs");
}

/// Its nodes, and the edges between them.
ExecutableGraph StreamProgram::captured_graph(const StreamRun& run, const HostCall& call) const {
  const std::size_t first = index(call.first);
  CudaGraph graph;
  std::vector<cudaGraphNode_t> nodes(call.tasks);
  for (const TaskId task : inputs_.graph.topological_order()) {
    if (index(task) < first || index(task) >= first + call.tasks) continue;
    std::vector<cudaGraphNode_t> after;
    for (const TaskId before : inputs_.graph.predecessors(task)) {
      if (index(before) >= first && index(before) < first + call.tasks) after.push_back(nodes[index(before) - first]);
    }
    nodes[index(task) - first] = operations_ != nullptr && operations_->takes(task)
                                     ? operations_->add_node(graph, run, task, after)
                                     : add_task_node(graph, run, kernels_.launch(task), after);
  }
  return ExecutableGraph(graph);
}

void StreamProgram::submit_call(const StreamRun& run, const HostCall& call) {
  if (call.tasks == 0) return;
  if (!call.graph) {
    launch(run, plan_[index(call.first)]);
    return check(cudaGetLastError(), "launching a task");  // errors are each thread's own
  }
  const auto& graphs = graphs_.at({run.stamped, run.done != nullptr});
  check(cudaGraphLaunch(graphs.at(static_cast<std::uint32_t>(call.first)), streams_[call.stream]), "launching a graph");
  const auto now = Clock::now();
  for (std::size_t i = index(call.first); run.stamped && i < index(call.first) + call.tasks; ++i) launched_[i] = now;
}

void StreamProgram::submit(const StreamRun& run) {
  if (replay_) return replay_->run([&](const HostCall& call) { submit_call(run, call); });
  if (how_ == StreamWait::kCallback) return submit_by_callbacks(run);
  for (const StreamLaunch& next : plan_) {
    if (!shares_.empty() && !capturing_) be_busy(shares_[index(next.task)].own);
    if (!next.awaited.empty()) wait_for(next);
    launch(run, next);
    if (next.records_event) check(cudaEventRecord(event(next.task), streams_[next.stream]), "recording an event");
  }
  check(cudaGetLastError(), "launching the tasks");
}

void StreamProgram::wait_for(const StreamLaunch& launch) {
  switch (how_) {
    case StreamWait::kEvents:
      for (const TaskId before : launch.awaited)
        check(cudaStreamWaitEvent(streams_[launch.stream], event(before), 0), "waiting for an event");
      return;
    case StreamWait::kDeviceSync:
      return timed([] { check(cudaDeviceSynchronize(), "waiting for the GPU"); });
    default:
      for (const TaskId before : launch.awaited) {
        timed([&] {
          if (how_ == StreamWait::kEventSync) {
            check(cudaEventSynchronize(event(before)), "waiting for an event");
          } else if (how_ == StreamWait::kStreamSync) {
            check(cudaStreamSynchronize(streams_[stream_of_[index(before)]]), "waiting for a stream");
          } else {
            ask_for(event(before));
          }
        });
      }
  }
}

void StreamProgram::ask_for(cudaEvent_t event) {
  const auto deadline = Clock::now() + inputs_.options.watchdog;
  for (;;) {
    const cudaError_t status = cudaEventQuery(event);
    if (status == cudaSuccess) return;
    if (status != cudaErrorNotReady) check(status, "asking for an event");
    if (Clock::now() > deadline)
      throw RunError("an event was not recorded within " + std::to_string(inputs_.options.watchdog.count()) +
                     " ms: a task's body does not end");
  }
}

void StreamProgram::launch(const StreamRun& run, const StreamLaunch& launch) {
  const auto begin = Clock::now();
  make_launch(run, launch);
  if (!shares_.empty() && !capturing_) be_busy_until(begin, shares_[index(launch.task)].launch.value_or(Duration{0}));
}

void StreamProgram::make_launch(const StreamRun& run, const StreamLaunch& launch) {
  if (operations_ != nullptr && operations_->takes(launch.task)) return launch_operation(run, launch);
  TaskLaunch kernel = kernels_.stream_launch(launch.task);
  kernel.programmatic = launch.programmatic;
  if (!priorities_.empty()) kernel.priority = priorities_[index(launch.task)];
  launch_task(run, kernel, streams_[launch.stream]);
  if (run.stamped) launched_[index(launch.task)] = Clock::now();
}

void StreamProgram::launch_operation(const StreamRun& run, const StreamLaunch& launch) {
  const PlannedStream in{launch.stream, streams_[launch.stream]};
  operations_->call(run, launch.task, in);
  if (!run.stamped) return;
  launched_[index(launch.task)] = Clock::now();
  operations_->called(launch.task, in, launched_[index(launch.task)], capturing_);
}

void StreamProgram::finish() {
  if (operations_ == nullptr) return;
  if (replay_) {  // graphs end in the stream that they are launched into, whatever their nodes' own
    for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) operations_->record_end({stream, streams_[stream]});
    return;
  }
  std::vector<TaskId> last(streams_.size());
  for (const StreamLaunch& launch : plan_) last[launch.stream] = launch.task;
  for (const std::uint32_t stream : in_use_) {
    if (operations_->takes(last[stream])) operations_->record_end({stream, streams_[stream]});
  }
}

void StreamProgram::submit_by_callbacks(const StreamRun& run) {
  board_ = std::make_unique<CallbackBoard>(plan_);
  reports_.resize(plan_.size());
  for (std::uint32_t i = 0; i < plan_.size(); ++i) reports_[i] = {board_.get(), i};
  const auto report = [](void* told) {
    const auto* const one = static_cast<const Report*>(told);
    one->board->ran(one->launch);
  };
  auto last = Clock::now();
  for (std::size_t left = plan_.size(); left > 0;) {
    const std::optional<std::uint32_t> taken = board_->take();
    if (!taken) {
      if (Clock::now() - last <= inputs_.options.watchdog) continue;
      check(cudaGetLastError(), "launching the tasks");
      throw RunError("no host function ran for " + std::to_string(inputs_.options.watchdog.count()) + " ms: a task's body does not end");
    }
    const StreamLaunch& next = plan_[*taken];
    const auto now = Clock::now();
    if (run.stamped && left < plan_.size()) waits_.push_back({last, now});
    if (!shares_.empty()) be_busy(shares_[index(next.task)].own);
    launch(run, next);
    if (next.records_event) check(cudaLaunchHostFunc(streams_[next.stream], report, &reports_[*taken]), "adding a host function");
    board_->launched(*taken);
    last = Clock::now();
    --left;
  }
  check(cudaGetLastError(), "launching the tasks");
}

void StreamProgram::meet() {
  if (how_ != StreamWait::kEvents) return timed([] { check(cudaDeviceSynchronize(), "waiting for the GPU"); });
  const cudaStream_t first = streams_[in_use_.front()];
  for (std::size_t i = 1; i < in_use_.size(); ++i) {
    check(cudaEventRecord(meeting_[i], streams_[in_use_[i]]), "recording an event");
    check(cudaStreamWaitEvent(first, meeting_[i], 0), "waiting for an event");
  }
  if (in_use_.size() == 1) return;
  check(cudaEventRecord(meeting_.front(), first), "recording an event");
  for (std::size_t i = 1; i < in_use_.size(); ++i)
    check(cudaStreamWaitEvent(streams_[in_use_[i]], meeting_.front(), 0), "waiting for an event");
}

/// Every stream in use is brought into the capture that the first begins, and back.
cudaGraph_t StreamProgram::capture(const StreamRun& run) {
  const cudaStream_t first = streams_[in_use_.front()];
  check(cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal), "beginning the capture");
  cudaGraph_t graph = nullptr;
  capturing_ = true;
  try {
    check(cudaEventRecord(meeting_.front(), first), "recording an event");
    for (std::size_t i = 1; i < in_use_.size(); ++i)
      check(cudaStreamWaitEvent(streams_[in_use_[i]], meeting_.front(), 0), "waiting for an event");
    submit(run);
    for (std::size_t i = 1; i < in_use_.size(); ++i) {
      check(cudaEventRecord(meeting_[i], streams_[in_use_[i]]), "recording an event");
      check(cudaStreamWaitEvent(first, meeting_[i], 0), "waiting for an event");
    }
    capturing_ = false;
  } catch (...) {
    capturing_ = false;
    static_cast<void>(cudaStreamEndCapture(first, &graph));
    if (graph) static_cast<void>(cudaGraphDestroy(graph));
    throw;
  }
  check(cudaStreamEndCapture(first, &graph), "ending the capture");
  return graph;
}

template <class Call>
void StreamProgram::timed(Call call) {
  const auto begin = Clock::now();
  call();
  waits_.push_back({begin, Clock::now()});
}

}  // namespace tasktwin::gpu
