#include "gpu/rerun/player.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "gpu/rerun/tape/cuda_check.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

using Clock = std::chrono::steady_clock;

/// Attributes of a launch that a node of a graph takes too; the others order streams.
bool is_of_node(CUlaunchAttributeID attribute) {
  switch (attribute) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
      return false;
    default:
      return true;
  }
}

/// The copy with the host's side in the tape's own memory.
CUDA_MEMCPY3D with_host(const Operation& operation) {
  CUDA_MEMCPY3D copy = operation.copy;
  if (operation.host_side == HostSide::kSource) {
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = operation.host->data();
  } else if (operation.host_side == HostSide::kTarget) {
    copy.dstMemoryType = CU_MEMORYTYPE_HOST;
    copy.dstHost = operation.host->data();
  }
  return copy;
}

}  // namespace

Player::Player(Tape& tape) : tape_(tape), edges_(rerun::edges_of(tape.stream_kinds(), tape.steps)) {
  priorities_.assign(tape.operations.size(), 0);
  for (const Step& step : tape.steps) {
    if (step.kind == StepKind::kOperation)
      priorities_[static_cast<std::size_t>(step.operation)] = tape.streams[static_cast<std::size_t>(step.stream)].priority;
  }
  for (Operation& operation : tape.operations) {
    std::vector<void*> places;
    places.reserve(operation.offsets.size());
    for (const std::size_t offset : operation.offsets) places.push_back(operation.arguments.data() + offset);
    parameters_.push_back(std::move(places));
    buffer_bytes_.push_back(operation.arguments.size());
    if (operation.host) operation.host->data();  // taken now, not while a schedule is timed
  }
  graph_stream_ = new_stream(CU_STREAM_NON_BLOCKING, 0);
  begin_ = new_event(CU_EVENT_DEFAULT);
}

Player::~Player() {
  for (Prepared& one : prepared_) {
    if (one.exec) cuGraphExecDestroy(one.exec);
    if (one.graph) cuGraphDestroy(one.graph);
  }
  for (CUevent event : own_events_) cuEventDestroy(event);
  for (CUstream stream : own_streams_) cuStreamDestroy(stream);
}

CUstream Player::new_stream(unsigned int flags, int priority) {
  CUstream stream = nullptr;
  check(cuStreamCreateWithPriority(&stream, flags, priority), "cuStreamCreateWithPriority");
  own_streams_.push_back(stream);
  return stream;
}

CUevent Player::new_event(unsigned int flags) {
  CUevent event = nullptr;
  check(cuEventCreate(&event, flags), "cuEventCreate");
  own_events_.push_back(event);
  return event;
}

/// The program's own, where it is still there and no thread's default stream.
CUstream Player::stream_like(const TapeStream& stream) {
  if (!stream.gone && stream.thread == 0) return stream.handle;
  return new_stream(stream.kind == StreamKind::kNonBlocking ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT, stream.priority);
}

std::size_t Player::prepare(const Schedule& schedule) {
  prepared_.emplace_back();
  Prepared& made = prepared_.back();
  try {
    switch (schedule.way) {
      case Schedule::Way::kAsCaptured:
      case Schedule::Way::kStreams:
        prepare_steps(made, schedule);
        break;
      case Schedule::Way::kChain:
        prepare_graph(made, chain(tape_.operations.size()));
        break;
      case Schedule::Way::kGraph:
        prepare_graph(made, edges_);
        break;
      case Schedule::Way::kCut:
        prepare_graph(made, cut_chain(tape_.operations.size(), schedule.number));
        break;
    }
    for (std::size_t i = 0; i < made.streams.size(); ++i) made.ends.push_back(new_event(CU_EVENT_DEFAULT));
  } catch (...) {
    if (made.exec) cuGraphExecDestroy(made.exec);
    if (made.graph) cuGraphDestroy(made.graph);
    prepared_.pop_back();
    throw;
  }
  return prepared_.size() - 1;
}

void Player::prepare_steps(Prepared& made, const Schedule& schedule) {
  made.edges = edge_count(edges_);
  if (schedule.way == Schedule::Way::kAsCaptured) {
    made.steps = tape_.steps;
    for (const TapeStream& stream : tape_.streams) made.streams.push_back(stream_like(stream));
  } else {
    if (is_chain(edges_)) throw std::invalid_argument("streams and events order all operations, one behind the other");
    made.steps = over_streams(edges_, static_cast<int>(schedule.number));
    for (std::size_t i = 0; i < schedule.number; ++i) made.streams.push_back(new_stream(CU_STREAM_NON_BLOCKING, 0));
  }
  int events = 0;
  for (const Step& step : made.steps) events = std::max(events, step.event + 1);
  for (int i = 0; i < events; ++i) made.events.push_back(new_event(CU_EVENT_DISABLE_TIMING));
}

void Player::prepare_graph(Prepared& made, const Edges& edges) {
  check(cuGraphCreate(&made.graph, 0), "cuGraphCreate");
  std::vector<CUgraphNode> nodes;
  for (std::size_t i = 0; i < tape_.operations.size(); ++i) {
    std::vector<CUgraphNode> after;
    for (const int one : edges[i]) after.push_back(nodes[static_cast<std::size_t>(one)]);
    nodes.push_back(add_node(made, i, after));
  }
  made.edges = edge_count(edges);
  check(cuGraphInstantiate(&made.exec, made.graph, 0), "cuGraphInstantiate");
  check(cuGraphUpload(made.exec, graph_stream_), "cuGraphUpload");
  made.streams.push_back(graph_stream_);
}

CUgraphNode Player::add_node(Prepared& made, std::size_t operation, const std::vector<CUgraphNode>& after) {
  const Operation& one = tape_.operations[operation];
  const std::string what = describe(tape_, static_cast<int>(operation));
  CUgraphNode node = nullptr;
  switch (one.kind) {
    case Operation::Kind::kKernel:
      return add_kernel(made, operation, after);
    case Operation::Kind::kCopy: {
      const CUDA_MEMCPY3D copy = with_host(one);
      check(cuGraphAddMemcpyNode(&node, made.graph, after.data(), after.size(), &copy, tape_.context), "a node for " + what);
      return node;
    }
    case Operation::Kind::kSet:
      check(cuGraphAddMemsetNode(&node, made.graph, after.data(), after.size(), &one.set, tape_.context), "a node for " + what);
      return node;
    case Operation::Kind::kGraph:
      check(cuGraphAddChildGraphNode(&node, made.graph, after.data(), after.size(), one.graph), "a node for " + what);
      return node;
  }
  return node;
}

CUgraphNode Player::add_kernel(Prepared& made, std::size_t operation, const std::vector<CUgraphNode>& after) {
  Operation& one = tape_.operations[operation];
  const std::string what = describe(tape_, static_cast<int>(operation));
  CUDA_KERNEL_NODE_PARAMS node_params{};
  node_params.func = one.function;
  node_params.gridDimX = one.grid[0];
  node_params.gridDimY = one.grid[1];
  node_params.gridDimZ = one.grid[2];
  node_params.blockDimX = one.block[0];
  node_params.blockDimY = one.block[1];
  node_params.blockDimZ = one.block[2];
  node_params.sharedMemBytes = one.shared_bytes;
  std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, one.arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE, &buffer_bytes_[operation],
                             CU_LAUNCH_PARAM_END};
  if (one.packed) {
    node_params.extra = extra.data();
  } else {
    node_params.kernelParams = parameters_[operation].data();
  }
  CUgraphNode node = nullptr;
  check(cuGraphAddKernelNode(&node, made.graph, after.data(), after.size(), &node_params), "a node for " + what);
  bool has_priority = false;
  for (const CUlaunchAttribute& attribute : one.attributes) {
    if (!is_of_node(attribute.id)) continue;
    has_priority |= attribute.id == CU_LAUNCH_ATTRIBUTE_PRIORITY;
    if (cuGraphKernelNodeSetAttribute(node, attribute.id, &attribute.value) != CUDA_SUCCESS)
      made.remarks.push_back("attribute " + std::to_string(static_cast<int>(attribute.id)) + " of " + what + " is left out");
  }
  if (!has_priority && priorities_[operation] != 0) {
    CUlaunchAttributeValue value{};
    value.priority = priorities_[operation];
    if (cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) != CUDA_SUCCESS)
      made.remarks.push_back("the priority of " + what + " is left out");
  }
  return node;
}

RunTime Player::run(std::size_t prepared) {
  Prepared& what = prepared_[prepared];
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  const auto before = Clock::now();
  check(cuEventRecord(begin_, what.streams.front()), "cuEventRecord");
  if (what.exec) {
    check(cuGraphLaunch(what.exec, graph_stream_), "cuGraphLaunch");
  } else {
    play(what);
  }
  for (std::size_t i = 0; i < what.streams.size(); ++i) check(cuEventRecord(what.ends[i], what.streams[i]), "cuEventRecord");
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  const std::chrono::duration<double, std::micro> took = Clock::now() - before;
  RunTime time{.device_us = 0, .host_us = took.count()};
  for (CUevent end : what.ends) {
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin_, end), "cuEventElapsedTime");
    time.device_us = std::max(time.device_us, static_cast<double>(milliseconds) * 1e3);
  }
  return time;
}

void Player::play(const Prepared& what) {
  for (const Step& step : what.steps) {
    auto* const stream = step.stream >= 0 ? what.streams[static_cast<std::size_t>(step.stream)] : nullptr;
    auto* const event = step.event >= 0 ? what.events[static_cast<std::size_t>(step.event)] : nullptr;
    switch (step.kind) {
      case StepKind::kOperation:
        give(static_cast<std::size_t>(step.operation), stream);
        break;
      case StepKind::kRecord:
        check(cuEventRecord(event, stream), "cuEventRecord");
        break;
      case StepKind::kWait:
        check(cuStreamWaitEvent(stream, event, 0), "cuStreamWaitEvent");
        break;
      case StepKind::kSyncStream:
        check(cuStreamSynchronize(stream), "cuStreamSynchronize");
        break;
      case StepKind::kSyncEvent:
        check(cuEventSynchronize(event), "cuEventSynchronize");
        break;
      case StepKind::kSyncAll:
        check(cuCtxSynchronize(), "cuCtxSynchronize");
        break;
    }
  }
}

void Player::give(std::size_t operation, CUstream stream) {
  Operation& one = tape_.operations[operation];
  switch (one.kind) {
    case Operation::Kind::kKernel: {
      CUlaunchConfig config{};
      config.gridDimX = one.grid[0];
      config.gridDimY = one.grid[1];
      config.gridDimZ = one.grid[2];
      config.blockDimX = one.block[0];
      config.blockDimY = one.block[1];
      config.blockDimZ = one.block[2];
      config.sharedMemBytes = one.shared_bytes;
      config.hStream = stream;
      config.attrs = one.attributes.data();
      config.numAttrs = static_cast<unsigned int>(one.attributes.size());
      std::array<void*, 5> extra{CU_LAUNCH_PARAM_BUFFER_POINTER, one.arguments.data(), CU_LAUNCH_PARAM_BUFFER_SIZE,
                                 &buffer_bytes_[operation], CU_LAUNCH_PARAM_END};
      const CUresult result = one.packed ? cuLaunchKernelEx(&config, one.function, nullptr, extra.data())
                                         : cuLaunchKernelEx(&config, one.function, parameters_[operation].data(), nullptr);
      return check(result, one.name);
    }
    case Operation::Kind::kCopy: {
      const CUDA_MEMCPY3D copy = with_host(one);
      if (!one.flat) return check(cuMemcpy3DAsync(&copy, stream), "cuMemcpy3DAsync");
      const auto at = [](CUmemorytype type, const void* host, CUdeviceptr device) {
        return type == CU_MEMORYTYPE_HOST ? reinterpret_cast<CUdeviceptr>(host) : device;
      };
      return check(cuMemcpyAsync(at(copy.dstMemoryType, copy.dstHost, copy.dstDevice) + copy.dstXInBytes,
                                 at(copy.srcMemoryType, copy.srcHost, copy.srcDevice) + copy.srcXInBytes, copy.WidthInBytes, stream),
                   "cuMemcpyAsync");
    }
    case Operation::Kind::kSet:
      return give_set(one.set, stream);
    case Operation::Kind::kGraph:
      return check(cuGraphLaunch(one.exec, stream), "cuGraphLaunch");
  }
}

void Player::give_set(const CUDA_MEMSET_NODE_PARAMS& set, CUstream stream) {
  const auto give = [&]() -> CUresult {
    const auto byte = static_cast<unsigned char>(set.value);
    const auto half = static_cast<unsigned short>(set.value);
    if (set.height == 1) {
      if (set.elementSize == 1) return cuMemsetD8Async(set.dst, byte, set.width, stream);
      if (set.elementSize == 2) return cuMemsetD16Async(set.dst, half, set.width, stream);
      return cuMemsetD32Async(set.dst, set.value, set.width, stream);
    }
    if (set.elementSize == 1) return cuMemsetD2D8Async(set.dst, set.pitch, byte, set.width, set.height, stream);
    if (set.elementSize == 2) return cuMemsetD2D16Async(set.dst, set.pitch, half, set.width, set.height, stream);
    return cuMemsetD2D32Async(set.dst, set.pitch, set.value, set.width, set.height, stream);
  };
  check(give(), "cuMemsetAsync");
}

}  // namespace tasktwin::gpu::rerun
