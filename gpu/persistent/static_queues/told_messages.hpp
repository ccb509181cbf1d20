#pragma once

#include <vector>

#include "gpu/cuda/device_buffer.hpp"
#include "gpu/persistent/static_queues/message_pieces.hpp"
#include "gpu/run/graph_on_device.hpp"
#include "models/graph/messages.hpp"

namespace tasktwin::gpu {

/// The messages of a graph's tasks (Notification::kMessage) in device memory, and what they should be.
class ToldMessages {
 public:
  ToldMessages(const TaskGraph& graph, const ToldEdges& told, const DeviceGraph& device_graph);

  void add_pieces(TaskId task, std::vector<std::uint32_t>& rows) const;
  /// Works out what messages should be, of the tasks that workers have, whose rows of awaited pieces are in `awaited`. Contract: once.
  void expect(const TaskGraph& graph, const std::vector<DeviceTask>& tasks, const std::vector<std::uint32_t>& awaited);

  void clear(cudaStream_t stream);
  std::int64_t wrong() const;  ///< of the last run

  MessagePiece* pieces() const { return pieces_.data(); }
  const MessageRow* rows() const { return rows_.data(); }

 private:
  std::vector<MessageRow> row_of_;  ///< by TaskId
  std::vector<MessagePiece> expected_;
  DeviceBuffer<MessagePiece> pieces_;
  DeviceBuffer<MessageRow> rows_;  ///< by place
};

}  // namespace tasktwin::gpu
