#include "gpu/rerun/player.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <stdexcept>
#include <utility>

#include "gpu/rerun/operation_times.hpp"
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

/// Throws std::invalid_argument where the plan is not of this iteration.
void check_plan(const Tape& tape, const Plan& plan) {
  if (plan.operations.size() != tape.operations.size()) {
    throw std::invalid_argument("the plan has " + std::to_string(plan.operations.size()) + " operations, the iteration " +
                                std::to_string(tape.operations.size()));
  }
  for (const PlannedOperation& one : plan.operations) {
    const Operation& operation = tape.operations[static_cast<std::size_t>(one.operation)];
    std::uint64_t blocks = 1;
    for (const unsigned int count : operation.grid) blocks *= count;
    const bool same = one.kind == word_of(operation.kind) && (operation.kind != Operation::Kind::kKernel || one.blocks <= blocks);
    if (same) continue;
    throw std::invalid_argument("operation " + std::to_string(one.operation) + " of the plan is a " + one.kind +
                                (one.blocks > 0 ? " of at least " + std::to_string(one.blocks) + " blocks" : "") +
                                ", in the iteration it is " + describe(tape, one.operation));
  }
}

}  // namespace

Player::Player(Tape& tape, const std::optional<Plan>& needed, const std::vector<Plan>& plans)
    : tape_(tape), needed_(needed), plans_(plans), edges_(rerun::edges_of(tape.stream_kinds(), tape.steps)) {
  priorities_.assign(tape.operations.size(), 0);
  before_in_stream_.assign(tape.operations.size(), -1);
  std::vector<int> last(tape.streams.size(), -1);
  for (const Step& step : tape.steps) {
    if (step.kind != StepKind::kOperation) continue;
    const auto stream = static_cast<std::size_t>(step.stream);
    priorities_[static_cast<std::size_t>(step.operation)] = tape.streams[stream].priority;
    before_in_stream_[static_cast<std::size_t>(step.operation)] = std::exchange(last[stream], step.operation);
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
        prepare_captured(made);
        break;
      case Schedule::Way::kStreams: {
        if (needed_) check_plan(tape_, *needed_);
        const Edges edges = needed_ ? needed_->edges() : edges_;
        if (is_chain(edges)) {
          throw std::invalid_argument(needed_ ? "what the operations need orders all of them, one behind the other"
                                              : "streams and events order all operations, one behind the other");
        }
        made.edges = edge_count(edges);
        prepare_streams(made, over_streams(edges, static_cast<int>(schedule.number)), schedule.number);
        break;
      }
      case Schedule::Way::kChain:
        prepare_graph(made, chain(tape_.operations.size()));
        break;
      case Schedule::Way::kProgrammatic:
        made.programmatic = true;
        prepare_graph(made, edges_);
        break;
      case Schedule::Way::kGraph:
        prepare_graph(made, edges_);
        break;
      case Schedule::Way::kDependences:
        if (!needed_) throw std::invalid_argument("what the operations need is not known");
        prepare_plan(made, *needed_);
        break;
      case Schedule::Way::kPlan:
        if (schedule.number > plans_.size()) throw std::invalid_argument("there is no such plan");
        prepare_plan(made, plans_[schedule.number - 1]);
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

void Player::prepare_captured(Prepared& made) {
  made.edges = edge_count(edges_);
  for (const TapeStream& stream : tape_.streams) made.streams.push_back(stream_like(stream));
  prepare_events(made, tape_.steps);
}

void Player::prepare_streams(Prepared& made, std::vector<Step> steps, std::size_t streams) {
  for (std::size_t i = 0; i < streams; ++i) made.streams.push_back(new_stream(CU_STREAM_NON_BLOCKING, 0));
  prepare_events(made, std::move(steps));
}

void Player::prepare_events(Prepared& made, std::vector<Step> steps) {
  int events = 0;
  for (const Step& step : steps) events = std::max(events, step.event + 1);
  for (int i = 0; i < events; ++i) made.events.push_back(new_event(CU_EVENT_DISABLE_TIMING));
  made.steps = std::move(steps);
}

void Player::prepare_plan(Prepared& made, const Plan& plan) {
  check_plan(tape_, plan);
  made.priorities.resize(tape_.operations.size());
  for (const PlannedOperation& one : plan.operations) made.priorities[static_cast<std::size_t>(one.operation)] = one.priority;
  if (plan.graph) return prepare_graph(made, plan.edges(), &plan);
  made.edges = edge_count(plan.edges());
  prepare_streams(made, steps_of(plan), plan.streams());
}

void Player::prepare_graph(Prepared& made, const Edges& edges, const Plan* plan) {
  check(cuGraphCreate(&made.graph, 0), "cuGraphCreate");
  std::vector<CUgraphNode> nodes(tape_.operations.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::size_t operation = plan ? static_cast<std::size_t>(plan->operations[i].operation) : i;
    const int beside = made.programmatic ? runs_beside(operation) : -1;
    std::vector<CUgraphNode> after;
    for (const int one : edges[operation]) {
      if (one != beside) after.push_back(nodes[static_cast<std::size_t>(one)]);
    }
    nodes[operation] = add_node(made, operation, after);
  }
  if (made.programmatic) add_programmatic_edges(made, nodes);
  made.edges = edge_count(edges);
  made.nodes = std::move(nodes);
  check(cuGraphInstantiate(&made.exec, made.graph, 0), "cuGraphInstantiate");
  check(cuGraphUpload(made.exec, graph_stream_), "cuGraphUpload");
  made.streams.push_back(graph_stream_);
}

int Player::runs_beside(std::size_t operation) const {
  const int before = before_in_stream_[operation];
  if (before < 0 || tape_.operations[static_cast<std::size_t>(before)].kind != Operation::Kind::kKernel) return -1;
  if (std::ranges::find(edges_[operation], before) == edges_[operation].end()) return -1;
  const auto programmatic = [](const CUlaunchAttribute& one) {
    return one.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION && one.value.programmaticStreamSerializationAllowed != 0;
  };
  return std::ranges::any_of(tape_.operations[operation].attributes, programmatic) ? before : -1;
}

void Player::add_programmatic_edges(Prepared& made, const std::vector<CUgraphNode>& nodes) {
  bool any = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const int before = runs_beside(i);
    if (before < 0) continue;
    any = true;
    CUgraphEdgeData edge{};
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    check(cuGraphAddDependencies(made.graph, &nodes[static_cast<std::size_t>(before)], &nodes[i], &edge, 1),
          "a programmatic edge to " + describe(tape_, static_cast<int>(i)));
  }
  if (!any) throw std::invalid_argument("no kernel is launched so that it may begin before the one ahead of it has ended");
}

int Player::priority_of(const Prepared& made, std::size_t operation) const {
  return made.priorities.empty() ? priorities_[operation] : made.priorities[operation];
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
  if (const int priority = priority_of(made, operation); !has_priority && priority != 0) {
    CUlaunchAttributeValue value{};
    value.priority = priority;
    if (cuGraphKernelNodeSetAttribute(node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value) != CUDA_SUCCESS)
      made.remarks.push_back("the priority of " + what + " is left out");
  }
  return node;
}

double Player::run(std::size_t prepared, Timed timed) {
  Prepared& what = prepared_[prepared];
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  const auto before = Clock::now();
  if (timed == Timed::kDevice) check(cuEventRecord(begin_, what.streams.front()), "cuEventRecord");
  if (what.exec) {
    check(cuGraphLaunch(what.exec, graph_stream_), "cuGraphLaunch");
  } else {
    play(what);
  }
  for (std::size_t i = 0; timed == Timed::kDevice && i < what.streams.size(); ++i)
    check(cuEventRecord(what.ends[i], what.streams[i]), "cuEventRecord");
  check(cuCtxSynchronize(), "cuCtxSynchronize");
  const std::chrono::duration<double, std::micro> took = Clock::now() - before;
  if (timed == Timed::kHost) return took.count();
  double device_us = 0;
  for (CUevent end : what.ends) {
    float milliseconds = 0;
    check(cuEventElapsedTime(&milliseconds, begin_, end), "cuEventElapsedTime");
    device_us = std::max(device_us, static_cast<double>(milliseconds) * 1e3);
  }
  return device_us;
}

std::vector<std::pair<double, double>> Player::operation_times(std::size_t prepared) {
  Prepared& what = prepared_[prepared];
  const NodeClones clones;
  if (what.exec) {  // instantiated again, since CUPTI tells only then of which node each is
    CUgraphExec again = nullptr;
    check(cuGraphInstantiate(&again, what.graph, 0), "cuGraphInstantiate");
    cuGraphExecDestroy(std::exchange(what.exec, again));
  }
  OperationTimes records;
  if (!records.start()) return {};
  run(prepared, Timed::kHost);
  std::vector<DeviceSpan> spans = records.stop();
  std::ranges::sort(spans, {}, &DeviceSpan::call);
  std::map<std::uint64_t, std::size_t> operations;  // by node, or by call
  if (what.exec) {
    for (std::size_t i = 0; i < what.nodes.size(); ++i) {
      if (tape_.operations[i].kind != Operation::Kind::kGraph) operations[NodeClones::number_of(what.nodes[i])] = i;
    }
  } else {
    // Calls are in the order of steps. The results of a graph's launch cannot be distinguished from those of later calls.
    auto span = spans.begin();
    for (const Step& step : what.steps) {
      if (step.kind != StepKind::kOperation) continue;
      const auto operation = static_cast<std::size_t>(step.operation);
      if (tape_.operations[operation].kind == Operation::Kind::kGraph || span == spans.end()) break;
      const std::uint32_t call = span->call;
      operations[call] = operation;
      while (span != spans.end() && span->call == call) ++span;
    }
  }
  std::uint64_t first = ~std::uint64_t{0};
  for (const DeviceSpan& span : spans) first = std::min(first, span.begin_ns);
  std::vector<std::pair<double, double>> times(tape_.operations.size(), {-1, -1});
  for (const DeviceSpan& span : spans) {
    const auto found = operations.find(what.exec ? clones.original(span.node) : span.call);
    if (found == operations.end()) continue;
    auto& [begin, end] = times[found->second];
    const double from = static_cast<double>(span.begin_ns - first) / 1e3;
    begin = begin < 0 ? from : std::min(begin, from);
    end = std::max(end, static_cast<double>(span.end_ns - first) / 1e3);
  }
  return times;
}

void Player::run_alone(std::size_t operation) {
  give({}, operation, graph_stream_);
  check(cuCtxSynchronize(), "cuCtxSynchronize");
}

void Player::play(const Prepared& what) {
  for (const Step& step : what.steps) {
    auto* const stream = step.stream >= 0 ? what.streams[static_cast<std::size_t>(step.stream)] : nullptr;
    auto* const event = step.event >= 0 ? what.events[static_cast<std::size_t>(step.event)] : nullptr;
    switch (step.kind) {
      case StepKind::kOperation:
        give(what, static_cast<std::size_t>(step.operation), stream);
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

void Player::give(const Prepared& what, std::size_t operation, CUstream stream) {
  Operation& one = tape_.operations[operation];
  switch (one.kind) {
    case Operation::Kind::kKernel: {
      std::vector<CUlaunchAttribute> attributes = one.attributes;
      if (!what.priorities.empty() && what.priorities[operation] != 0) {
        CUlaunchAttribute priority{};
        priority.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
        priority.value.priority = what.priorities[operation];
        attributes.push_back(priority);
      }
      CUlaunchConfig config{};
      config.gridDimX = one.grid[0];
      config.gridDimY = one.grid[1];
      config.gridDimZ = one.grid[2];
      config.blockDimX = one.block[0];
      config.blockDimY = one.block[1];
      config.blockDimZ = one.block[2];
      config.sharedMemBytes = one.shared_bytes;
      config.hStream = stream;
      config.attrs = attributes.data();
      config.numAttrs = static_cast<unsigned int>(attributes.size());
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
