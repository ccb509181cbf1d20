#include "gpu/peers/programs/peer_operations.hpp"

#include <algorithm>

#include "gpu/operations/operation_checks.hpp"
#include "models/program/stream_plan.hpp"

namespace tasktwin::gpu {

namespace {

std::size_t at(int device) { return static_cast<std::size_t>(device); }

/// NCCL's word for the way that the design wants collectives to go; empty for its own choice.
std::string algorithm(CollectiveAlgorithm way) {
  switch (way) {
    case CollectiveAlgorithm::kAutomatic:
      return "";
    case CollectiveAlgorithm::kRing:
      return "ring";
    case CollectiveAlgorithm::kTree:
      return "allreduce:tree";  // NCCL has trees for no other collective
  }
  return "";
}

}  // namespace

PeerOperations::PeerOperations(const ExecutorInputs& inputs, const PeerKernels& kernels)
    : graph_(inputs.graph), kernels_(kernels), layout_(inputs.graph, kernels.devices()), events_(graph_.size()) {
  for (int device = 0; device < kernels.devices(); ++device) {
    const OnDevice on(device);
    lanes_.push_back({DeviceBuffer<std::byte>(layout_.given_bytes[at(device)], "what copies and collectives read"),
                      DeviceBuffer<std::byte>(layout_.taken_bytes[at(device)], "what copies and collectives write"),
                      std::make_unique<EventClock>()});
  }
  for (const std::vector<int>& group : layout_.groups)
    communicators_.push_back(std::make_unique<Communicators>(group, algorithm(inputs.design.collective)));
  const auto streams = static_cast<std::uint32_t>(kernels.devices()) * stream_count(graph_, inputs.design);
  ends_.resize(streams);
  for (std::size_t i = 0; i < graph_.size() && inputs.options.stamps; ++i) {
    if (!takes(task_id(i))) continue;
    const OnDevice on(device(task_id(i)));
    events_[i] = std::make_unique<TimedEvent>();
  }
}

PeerOperations::~PeerOperations() {
  for (int device = 0; device < kernels_.devices(); ++device) {
    try {
      const OnDevice on(device);
      static_cast<void>(cudaDeviceSynchronize());
    } catch (const std::exception&) {  // an error of the device, which has been reported already
    }
  }
}

void PeerOperations::reset(RunMode mode, std::span<const cudaStream_t> streams) {
  ended_.clear();
  for (int device = 0; device < kernels_.devices(); ++device) {
    const OnDevice on(device);
    const Lane& lane = lanes_[at(device)];
    if (mode == RunMode::kCheckOrder && lane.taken.size() > 0)
      check(cudaMemset(lane.taken.data(), 0, lane.taken.bytes()), "clearing GPU memory");
    check(cudaDeviceSynchronize(), "clearing GPU memory");
    lane.clock->set(streams[at(device)]);
  }
}

float* PeerOperations::given(TaskId task) const {
  return reinterpret_cast<float*>(lanes_[at(device(task))].given.data() + layout_.places[index(task)].given);
}

float* PeerOperations::taken(TaskId task) const {
  const PeerPlace& place = layout_.places[index(task)];
  return reinterpret_cast<float*>(lanes_[at(place.to)].taken.data() + place.taken);
}

Contents PeerOperations::contents(TaskId task, void* memory) const {
  return {.words = static_cast<std::uint32_t*>(memory),
          .count = static_cast<std::uint64_t>(graph_[task].cost.bytes.count) / sizeof(std::uint32_t),
          .first = (static_cast<std::uint32_t>(index(task)) + 1) * 0x9e3779b9u,
          .step = 1};
}

void PeerOperations::copy(TaskId task, RunMode mode, cudaStream_t stream, bool captured) const {
  const int from = device(task);
  const int to = place(task).to;
  const auto bytes = static_cast<std::size_t>(graph_[task].cost.bytes.count);
  const StreamRun run = kernels_.describe(from, mode);
  const auto id = static_cast<std::uint32_t>(task);
  if (run.done != nullptr) launch_check(run, {.task = id, .written = contents(task, given(task))}, stream);
  check(captured ? cudaMemcpyAsync(taken(task), given(task), bytes, cudaMemcpyDefault, stream)  // the other call comes into no graph
                 : cudaMemcpyPeerAsync(taken(task), to, given(task), from, bytes, stream),
        "copying to another GPU");
  if (run.done != nullptr) launch_check(run, {.task = id, .behind = true, .expected = contents(task, taken(task))}, stream);
}

cudaGraphNode_t PeerOperations::add_copy(cudaGraph_t graph, TaskId task, RunMode mode, std::span<const cudaGraphNode_t> after) {
  const StreamRun run = kernels_.describe(device(task), mode);
  const auto id = static_cast<std::uint32_t>(task);
  cudaGraphNode_t before = nullptr;
  if (run.done != nullptr) {
    before = add_check_node(graph, run, {.task = id, .written = contents(task, given(task))}, after);
    after = {&before, 1};
  }
  cudaGraphNode_t node = nullptr;
  if (graph_[task].cost.bytes.count == 0) {  // nodes of no bytes are not allowed
    check(cudaGraphAddEmptyNode(&node, graph, after.data(), after.size()), "adding an empty copy to the graph");
  } else {
    check(cudaGraphAddMemcpyNode1D(&node, graph, after.data(), after.size(), taken(task), given(task),
                                   static_cast<std::size_t>(graph_[task].cost.bytes.count), cudaMemcpyDefault),
          "adding a copy to the graph");
  }
  if (run.done != nullptr)
    return add_check_node(graph, run, {.task = id, .behind = true, .expected = contents(task, taken(task))}, {&node, 1});
  if (!run.stamped) return node;
  cudaGraphNode_t stamp = nullptr;
  check(cudaGraphAddEventRecordNode(&stamp, graph, &node, 1, event(task)), "adding an event to the graph");
  return stamp;
}

CollectiveNumbers PeerOperations::numbers(TaskId rank) const {
  const Task& task = graph_[rank];
  const std::vector<int>& group = layout_.groups[at(place(rank).group)];
  const auto root = std::ranges::find(group, task.args[2]);
  return {.kind = task.operation,
          .ranks = static_cast<int>(group.size()),
          .root = root == group.end() ? 0 : static_cast<int>(root - group.begin()),
          .words = (static_cast<std::uint64_t>(task.cost.bytes.count) + sizeof(float) - 1) / sizeof(float),
          .number = static_cast<std::uint32_t>(task.args[1])};
}

RankBuffers PeerOperations::part(TaskId rank, cudaStream_t stream) const {
  const ShardData* const shard = kernels_.shard(device(rank));
  if (shard == nullptr) return {given(rank), taken(rank), stream};
  float* const state = kernels_.describe(device(rank), RunMode::kPlain).bodies.decode.state;
  return shard->sum(summed_kernel(graph_, rank).value(), state, stream);
}

void PeerOperations::check_before(const CollectiveNumbers& sent, TaskId rank, RunMode mode, cudaStream_t stream) const {
  const StreamRun run = kernels_.describe(device(rank), mode);
  if (run.done == nullptr) return;
  launch_check(run, {.task = static_cast<std::uint32_t>(rank)}, stream);
  if (kernels_.shard(device(rank)) == nullptr) launch_collective_fill(sent, place(rank).rank, given(rank), taken(rank), stream);
}

void PeerOperations::check_behind(const CollectiveNumbers& sent, TaskId rank, RunMode mode, cudaStream_t stream) const {
  const StreamRun run = kernels_.describe(device(rank), mode);
  if (run.done == nullptr) return;
  if (kernels_.shard(device(rank)) == nullptr) launch_collective_check(sent, place(rank).rank, taken(rank), run.violations, stream);
  launch_check(run, {.task = static_cast<std::uint32_t>(rank), .behind = true}, stream);
}

void PeerOperations::collect(std::span<const TaskId> ranks, RunMode mode, std::span<const cudaStream_t> streams) {
  const CollectiveNumbers sent = numbers(ranks.front());
  std::vector<RankBuffers> parts(ranks.size());
  const auto for_ranks = [&](auto&& visit) {
    if (mode != RunMode::kCheckOrder) return;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const OnDevice on(device(ranks[i]));
      visit(ranks[i], streams[i]);
    }
  };
  for (std::size_t i = 0; i < ranks.size(); ++i) parts[at(place(ranks[i]).rank)] = part(ranks[i], streams[i]);
  for_ranks([&](TaskId rank, cudaStream_t stream) { check_before(sent, rank, mode, stream); });
  communicators_[at(place(ranks.front()).group)]->call({sent.kind, sent.words * sizeof(float), sent.root}, parts);
  for_ranks([&](TaskId rank, cudaStream_t stream) { check_behind(sent, rank, mode, stream); });
}

void PeerOperations::collect_one(TaskId rank, RunMode mode, cudaStream_t stream) {
  const CollectiveNumbers sent = numbers(rank);
  check_before(sent, rank, mode, stream);
  communicators_[at(place(rank).group)]->call_rank({sent.kind, sent.words * sizeof(float), sent.root}, place(rank).rank,
                                                   part(rank, stream));
  check_behind(sent, rank, mode, stream);
}

void PeerOperations::called(TaskId task, cudaStream_t stream, bool captured) const {
  captured ? event(task).record_in_graph(stream) : event(task).record(stream);
}

void PeerOperations::record_end(int device, std::uint32_t number, cudaStream_t stream) {
  const OnDevice on(device);
  std::unique_ptr<TimedEvent>& end = ends_[number];
  if (!end) end = std::make_unique<TimedEvent>();
  end->record(stream);
  ended_.push_back({device, number});
}

const TimedEvent& PeerOperations::new_graph_end(int device, RunMode mode) {
  const OnDevice on(device);
  auto& ends = graph_ends_[static_cast<std::size_t>(mode)];
  return *ends.emplace_back(device, std::make_unique<TimedEvent>()).event;
}

void PeerOperations::capture_end(int device, RunMode mode, cudaStream_t stream) {
  const OnDevice on(device);
  new_graph_end(device, mode).record_in_graph(stream);
}

void PeerOperations::add_end(cudaGraph_t graph, cudaGraphNode_t node, int device, RunMode mode) {
  cudaGraphNode_t end = nullptr;
  check(cudaGraphAddEventRecordNode(&end, graph, &node, 1, new_graph_end(device, mode)), "adding an event to the graph");
}

void PeerOperations::complete(RunResult& result, RunMode mode) const {
  const auto time = [this](int device, const TimedEvent& event) { return kernels_.at(device, lanes_[at(device)].clock->stamp(event)); };
  for (const End& end : ended_) result.makespan = std::max(result.makespan, time(end.device, *ends_[end.number]).time_since_epoch());
  for (const GraphEnd& end : graph_ends_[static_cast<std::size_t>(mode)])
    result.makespan = std::max(result.makespan, time(end.device, *end.event).time_since_epoch());
  if (mode != RunMode::kStamped) return;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (!takes(task_id(i))) continue;
    result.timeline.tasks[i].core = kNoCore;
    result.timeline.tasks[i].ended = time(device(task_id(i)), event(task_id(i)));
  }
}

}  // namespace tasktwin::gpu
