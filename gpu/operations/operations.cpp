#include "gpu/operations/operations.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "models/program/stream_plan.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

/// The stream of each task, by TaskId; empty for graphs, whose nodes are in none.
std::vector<std::uint32_t> streams_by_task(const TaskGraph& graph, const Design& design) {
  std::vector<std::uint32_t> by_task;
  if (!runtime_of(design).streams()) return by_task;
  const std::vector<std::uint32_t> in_order = assign_streams(graph, design);
  by_task.resize(graph.size());
  for (std::size_t i = 0; i < in_order.size(); ++i) by_task[index(graph.topological_order()[i])] = in_order[i];
  return by_task;
}

cudaMemcpyKind direction(Operation operation) { return operation == Operation::kCopyH2d ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost; }

TimePoint since(HostFunction::Clock::time_point origin, HostFunction::Clock::time_point time) {
  return TimePoint{} + std::chrono::duration_cast<Duration>(time - origin);
}

}  // namespace

Operations::Operations(const ExecutorInputs& inputs)
    : graph_(inputs.graph),
      design_(inputs.design.name),
      layout_(graph_, streams_by_task(graph_, inputs.design)),
      memory_(graph_, layout_),
      function_of_(graph_.size()),
      event_of_(graph_.size()),
      ends_(runtime_of(inputs.design).streams() ? stream_count(graph_, inputs.design) : 1) {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const Task& task = graph_[task_id(i)];
    if (task.operation == Operation::kKernel) continue;
    if (inputs.options.stamps) {
      event_of_[i] = events_.size();
      events_.emplace_back();
    }
    if (is_allocation(task.operation) && !allocator_) allocator_ = make_allocator(inputs.design, inputs.machine.memory_limits);
    if (task.operation != Operation::kHost) continue;
    function_of_[i] = functions_.size();
    functions_.push_back({.time = task.cost.time, .mark = static_cast<std::uint32_t>(i + 1)});
  }
  number_buffers();
  if (functions_.empty()) return;
  functions_done_.emplace(functions_.size(), "the host's functions");
  for (std::size_t i = 0; i < functions_.size(); ++i) functions_[i].done = functions_done_->host() + i;
}

void Operations::number_buffers() {
  std::unordered_map<std::int32_t, std::size_t> known;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const Task& task = graph_[task_id(i)];
    if (task.operation != Operation::kAlloc) continue;
    known.emplace(task.args[0], buffers_.size());
    buffers_.push_back({task_id(i)});
  }
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const Task& task = graph_[task_id(i)];
    const auto found = known.find(task.args[0]);
    const bool has = task.operation != Operation::kKernel && task.operation != Operation::kHost && found != known.end();
    buffer_of_.push_back(has ? found->second : buffers_.size());
  }
}

Operations::~Operations() {
  static_cast<void>(cudaDeviceSynchronize());
  for (const Buffer& buffer : buffers_) {
    try {
      if (buffer.memory != nullptr) allocator_->free(buffer.memory, {});
    } catch (const std::exception&) {  // an error of the device, which has been reported already
    }
  }
  static_cast<void>(cudaDeviceSynchronize());
}

void Operations::reset(RunMode mode, cudaStream_t stream) {
  for (Buffer& buffer : buffers_) {
    if (void* const memory = std::exchange(buffer.memory, nullptr)) allocator_->free(memory, {0, stream});
  }
  check(cudaDeviceSynchronize(), "freeing GPU memory");  // a pool gives back only what the host has waited for
  if (allocator_) {
    allocator_->give_back();
    // The next allocation pays for that, 200 us and 78 ns a MiB (an H200): this one, and not the run's first.
    void* memory = nullptr;
    check(cudaMalloc(&memory, 1), "GPU memory");
    check(cudaFree(memory), "freeing GPU memory");
  }
  samples_.clear();
  ended_.clear();
  if (mode == RunMode::kCheckOrder) {
    memory_.spoil_results();
    for (const HostFunction& function : functions_) *function.done = 0;
  }
  clock_.set(stream);
}

void Operations::call(const StreamRun& run, TaskId task, const PlannedStream& in) {
  if (run.done != nullptr) launch_check(run, before(task), in.stream);
  if (run.stamped && graph_[task].operation == Operation::kFree) event(task).record(in.stream);
  make_call(task, in);
  if (run.done != nullptr) launch_check(run, behind(task), in.stream);
}

void Operations::make_call(TaskId task, const PlannedStream& in) {
  const Operation operation = graph_[task].operation;
  const auto bytes = static_cast<std::size_t>(graph_[task].cost.bytes.count);
  switch (operation) {
    case Operation::kCopyH2d:
      return check(cudaMemcpyAsync(device_memory(task), memory_.host(task), bytes, direction(operation), in.stream), "copying to the GPU");
    case Operation::kCopyD2h:
      return check(cudaMemcpyAsync(memory_.host(task), device_memory(task), bytes, direction(operation), in.stream),
                   "copying from the GPU");
    case Operation::kMemset:
      return check(cudaMemsetAsync(device_memory(task), OperationMemory::memset_byte(task), bytes, in.stream), "setting GPU memory");
    case Operation::kAlloc:
      return allocate(task, in);
    case Operation::kFree:
      return free(task, in);
    case Operation::kHost:
      return check(cudaLaunchHostFunc(in.stream, HostFunction::run, &function(task)), "adding a host function");
    case Operation::kKernel:
    case Operation::kEvent:
    default:  // those between devices: gpu/peers/
      return;
  }
}

void Operations::allocate(TaskId task, const PlannedStream& in) {
  const std::int64_t bytes = graph_[task].cost.bytes.count;
  void* const memory = allocator_->allocate(bytes, in);
  if (memory == nullptr) {
    const DeviceAllocator::Usage usage = allocator_->usage();
    std::size_t left = 0;
    std::size_t all = 0;
    check(cudaMemGetInfo(&left, &all), "asking for the GPU's memory");
    throw RunError("design '" + design_ + "': out of memory: task '" + std::string(graph_.name(task)) + "' asks for " +
                   std::to_string(bytes) + " bytes; " + std::to_string(usage.used) + " bytes are in use and " +
                   std::to_string(usage.reserved) + " reserved of the device's " + std::to_string(all));
  }
  buffers_[buffer_of_[index(task)]].memory = memory;
}

void Operations::free(TaskId task, const PlannedStream& in) {
  allocator_->free(std::exchange(buffers_[buffer_of_[index(task)]].memory, nullptr), in);
}

void Operations::called(TaskId task, const PlannedStream& in, Clock::time_point now, bool captured) {
  if (is_allocation(graph_[task].operation)) samples_.push_back({now, allocator_->usage()});
  if (graph_[task].operation == Operation::kFree) return;
  captured ? event(task).record_in_graph(in.stream) : event(task).record(in.stream);
}

void Operations::record_end(const PlannedStream& stream) {
  ends_[stream.number].record(stream.stream);
  ended_.push_back(stream.number);
}

cudaGraphNode_t Operations::add_node(cudaGraph_t graph, const StreamRun& run, TaskId task, std::span<const cudaGraphNode_t> after) {
  if (run.done != nullptr) {
    const cudaGraphNode_t first = add_check_node(graph, run, before(task), after);
    const cudaGraphNode_t node = add_operation(graph, task, {&first, 1});
    return add_check_node(graph, run, behind(task), {&node, 1});
  }
  const cudaGraphNode_t node = add_operation(graph, task, after);
  if (!run.stamped) return node;
  cudaGraphNode_t stamp = nullptr;
  check(cudaGraphAddEventRecordNode(&stamp, graph, &node, 1, event(task)), "adding an event to the graph");
  return stamp;
}

/// Nodes of no bytes are not allowed: they are empty ones.
cudaGraphNode_t Operations::add_operation(cudaGraph_t graph, TaskId task, std::span<const cudaGraphNode_t> after) {
  const Operation operation = graph_[task].operation;
  const auto bytes = static_cast<std::size_t>(graph_[task].cost.bytes.count);
  cudaGraphNode_t node = nullptr;
  if (operation == Operation::kHost) {
    const cudaHostNodeParams parameters{HostFunction::run, &function(task)};
    check(cudaGraphAddHostNode(&node, graph, after.data(), after.size(), &parameters), "adding a host function to the graph");
  } else if (bytes == 0) {
    check(cudaGraphAddEmptyNode(&node, graph, after.data(), after.size()), "adding an empty copy to the graph");
  } else if (operation == Operation::kMemset) {
    cudaMemsetParams parameters{};
    parameters.dst = device_memory(task);
    parameters.value = OperationMemory::memset_byte(task);
    parameters.elementSize = 1;
    parameters.width = bytes;
    parameters.height = 1;
    check(cudaGraphAddMemsetNode(&node, graph, after.data(), after.size(), &parameters), "adding a memset to the graph");
  } else {
    const bool in = operation == Operation::kCopyH2d;
    void* const to = in ? device_memory(task) : memory_.host(task);
    const void* const from = in ? memory_.host(task) : device_memory(task);
    check(cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), to, from, bytes, direction(operation)),
          "adding a copy to the graph");
  }
  return node;
}

/// Null for a function of the host, and for what is freed or not yet allocated.
void* Operations::device_memory(TaskId task) const {
  const std::size_t buffer = buffer_of_[index(task)];
  if (buffer < buffers_.size()) return buffers_[buffer].memory;
  return is_transfer(graph_[task].operation) ? memory_.device(task) : nullptr;
}

Contents Operations::contents(TaskId task) const {
  return layout_.places[index(task)].checked ? memory_.contents(task, device_memory(task)) : Contents{};
}

OperationCheck Operations::before(TaskId task) const {
  OperationCheck check{.task = static_cast<std::uint32_t>(task)};
  const Operation operation = graph_[task].operation;
  if (operation == Operation::kCopyD2h) check.written = contents(task);
  if (operation == Operation::kCopyH2d || operation == Operation::kMemset) check.written = contents(task).spoilt();
  if (operation == Operation::kFree) check.expected = contents(buffers_[buffer_of_[index(task)]].allocated);
  return check;
}

OperationCheck Operations::behind(TaskId task) const {
  OperationCheck check{.task = static_cast<std::uint32_t>(task), .behind = true};
  const Operation operation = graph_[task].operation;
  if (operation == Operation::kAlloc) check.written = contents(task);
  if (operation == Operation::kCopyH2d || operation == Operation::kMemset) check.expected = contents(task);
  if (operation == Operation::kHost) {
    const HostFunction& function = functions_[function_of_[index(task)]];
    check.expected = {functions_done_->device() + (function.done - functions_done_->host()), 1, function.mark, 0};
  }
  return check;
}

void Operations::complete(RunResult& result, RunMode mode, const TaskKernels& kernels, Clock::time_point host_origin) const {
  for (const std::uint32_t stream : ended_)
    result.makespan = std::max(result.makespan, kernels.at(clock_.stamp(ends_[stream])).time_since_epoch());
  if (mode == RunMode::kCheckOrder) result.ordering_violations += memory_.wrong_results();
  if (mode == RunMode::kStamped) add_times(result.timeline, kernels, host_origin);
}

void Operations::add_times(Timeline& timeline, const TaskKernels& kernels, Clock::time_point host_origin) const {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const Operation operation = graph_[task_id(i)].operation;
    if (operation == Operation::kKernel) continue;
    TaskTimes& times = timeline.tasks[i];
    times.core = kNoCore;
    if (operation == Operation::kHost) {
      const HostFunction& function = functions_[function_of_[i]];
      times.started = since(host_origin, function.started);
      times.ended = since(host_origin, function.ended);
    } else {
      times.ended = kernels.at(clock_.stamp(event(task_id(i))));
      if (is_allocation(operation)) times.started = times.ended;
    }
  }
  for (const Sample& sample : samples_)
    timeline.memory.push_back({since(host_origin, sample.time), sample.usage.used, sample.usage.reserved});
}

}  // namespace tasktwin::gpu
