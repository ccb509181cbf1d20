#include "gpu/persistent/static_queues/told_messages.hpp"

#include "gpu/cuda/cuda_error.hpp"

namespace tasktwin::gpu {

ToldMessages::ToldMessages(const TaskGraph& graph, const ToldEdges& told, const DeviceGraph& device_graph) {
  const Messages messages(graph, told);
  std::vector<MessageRow> by_place(graph.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const std::uint32_t pieces = messages.pieces(task_id(i));
    row_of_.push_back({next, pieces});
    by_place[device_graph.place(i)] = {next, pieces | (messages.has_result(task_id(i)) ? 0 : kFences)};
    next += pieces;
  }
  expected_.resize(next);
  pieces_ = {next, "the messages"};
  rows_ = {std::span<const MessageRow>(by_place), "the messages"};
}

void ToldMessages::add_pieces(TaskId task, std::vector<std::uint32_t>& rows) const {
  const auto [first, pieces] = row_of_[index(task)];
  for (std::uint32_t piece = first; piece < first + pieces; ++piece) rows.push_back(piece);
}

void ToldMessages::expect(const TaskGraph& graph, const std::vector<DeviceTask>& tasks, const std::vector<std::uint32_t>& awaited) {
  std::vector<const DeviceTask*> entries(graph.size());
  for (const DeviceTask& task : tasks) entries[task.body.task] = &task;
  for (const TaskId task : graph.topological_order()) {
    const DeviceTask* const entry = entries[index(task)];
    if (entry == nullptr || entry->edges.successor_count == 0) continue;  // an event, or one that tells nobody
    std::uint32_t result = own_number(entry->body.task);
    for (std::uint32_t i = 0; i < entry->awaited; ++i) {
      const std::uint32_t piece = awaited[entry->first_awaited + i];
      if ((piece & kEventCounter) == 0) result += taken_from(expected_[piece]);
    }
    const auto [first, pieces] = row_of_[index(task)];
    for (std::uint32_t piece = 0; piece < pieces; ++piece) expected_[first + piece] = piece_of(result, piece);
  }
}

void ToldMessages::clear(cudaStream_t stream) {
  check(cudaMemsetAsync(pieces_.data(), 0, pieces_.bytes(), stream), "clearing the messages");
}

std::int64_t ToldMessages::wrong() const {
  const std::vector<MessagePiece> sent = pieces_.to_host("the messages");
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < sent.size(); ++i) wrong += sent[i] == expected_[i] ? 0 : 1;
  return wrong;
}

}  // namespace tasktwin::gpu
