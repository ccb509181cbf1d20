#include "gpu/peers/reading/read_rows.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "gpu/cuda/on_device.hpp"
#include "models/machine/interconnect.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kAlignment = sizeof(uint4);  // as loads want it

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Calls visit(predecessor, bytes) for each on another device with bytes on its edge.
template <class Visit>
void for_peer_inputs(const TaskGraph& graph, TaskId task, Visit visit) {
  const std::span<const std::int64_t> bytes = graph.input_bytes(task);
  if (bytes.empty()) return;
  for (std::size_t i = 0; const TaskId before : graph.predecessors(task)) {
    const std::int64_t count = bytes[i++];
    if (count > 0 && graph[before].device != graph[task].device) visit(before, count);
  }
}

}  // namespace

PeerReads::PeerReads(const TaskGraph& graph, int devices) {
  // As many bytes after each task as the most that one reads of it.
  std::vector<std::size_t> most(graph.size(), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_peer_inputs(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      most[index(before)] = std::max(most[index(before)], static_cast<std::size_t>(bytes));
    });
  }
  std::vector<std::size_t> offsets(graph.size(), 0);
  std::vector<std::size_t> all(static_cast<std::size_t>(devices), 0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    std::size_t& end = all[static_cast<std::size_t>(graph[task_id(i)].device)];
    offsets[i] = end;
    end += aligned(most[i]);
  }
  for (int device = 0; device < devices; ++device) {
    const OnDevice on(device);
    left_.emplace_back(all[static_cast<std::size_t>(device)], "what other devices read");
  }
  std::vector<PeerRead> rows;
  std::map<std::pair<TaskId, std::int32_t>, int> readers;  // of a task on a device so far, of those that share its bytes
  first_.push_back(0);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for_peer_inputs(graph, task_id(i), [&](TaskId before, std::int64_t bytes) {
      std::uint64_t begin = 0;
      const TaskTraits& traits = graph.traits(task_id(i));
      if (traits.split_of > 1) {
        const int number = readers[{before, graph[task_id(i)].device}]++ % traits.split_of;
        begin = static_cast<std::uint64_t>(bytes / traits.split_of * number) / kAlignment * kAlignment;
      }
      const std::int64_t own = std::min(part_from_devices(bytes, traits), bytes - static_cast<std::int64_t>(begin));
      const PeerRead read{left_[static_cast<std::size_t>(graph[before].device)].data() + offsets[index(before)] + begin,
                          static_cast<std::uint64_t>(own)};
      // What lies behind what is read before it is read in one: a row waits for the one ahead of it.
      if (rows.size() > first_.back() && rows.back().from + aligned(rows.back().bytes) == read.from)
        rows.back().bytes = aligned(rows.back().bytes) + read.bytes;
      else
        rows.push_back(read);
    });
    first_.push_back(static_cast<std::uint32_t>(rows.size()));
  }
  for (int device = 0; device < devices; ++device) {
    const OnDevice on(device);
    firsts_.emplace_back(std::span<const std::uint32_t>(first_), "what tasks read of other devices");
    rows_.emplace_back(std::span<const PeerRead>(rows), "what tasks read of other devices");
    prepare_reading_tasks();
  }
}

bool reads_peers(const TaskGraph& graph, TaskId task) {
  bool reads = false;
  for_peer_inputs(graph, task, [&reads](TaskId, std::int64_t) { reads = true; });
  return reads;
}

}  // namespace tasktwin::gpu
