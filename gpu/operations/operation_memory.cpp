#include "gpu/operations/operation_memory.hpp"

#include <algorithm>
#include <string>

#include <unistd.h>

#include "models/base/error.hpp"

namespace tasktwin::gpu {

namespace {

/// The share of the host's memory that copies may take; more would make it swap, or end the process.
constexpr double kHostShare = 0.75;

void check_host_memory(const OperationLayout& layout) {
  const auto needed = static_cast<double>(layout.pinned_bytes + layout.pageable_bytes);
  const double there = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (there <= 0 || needed <= kHostShare * there) return;
  throw RunError("the copies need " + std::to_string(layout.pinned_bytes + layout.pageable_bytes) +
                 " bytes of the host's memory, more than three quarters of what it has");
}

const OperationLayout& checked(const OperationLayout& layout) {
  check_host_memory(layout);
  return layout;
}

void write(const Contents& contents) {
  for (std::uint64_t at = 0; at < contents.count; ++at) contents.words[at] = contents.word(at);
}

}  // namespace

OperationMemory::OperationMemory(const TaskGraph& graph, const OperationLayout& layout)
    : graph_(graph),
      layout_(checked(layout)),
      device_(layout.device_bytes, "copies and memsets"),
      pinned_(layout.pinned_bytes),
      pageable_(layout.pageable_bytes > 0 ? std::make_unique<std::byte[]>(layout.pageable_bytes) : nullptr) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation == Operation::kCopyH2d) write(contents(task_id(i), host(task_id(i))));
  }
  spoil_results();
}

std::byte* OperationMemory::host(TaskId task) const {
  return (graph_.traits(task).pageable ? pageable_.get() : pinned_.data()) + layout_.places[index(task)].host;
}

Contents OperationMemory::contents(TaskId task, void* memory) const {
  if (memory == nullptr) return {};
  Contents contents{.words = static_cast<std::uint32_t*>(memory),
                    .count = static_cast<std::uint64_t>(graph_[task].cost.bytes.count) / sizeof(std::uint32_t)};
  if (graph_[task].operation == Operation::kMemset) {
    contents.first = memset_byte(task) * 0x01010101u;
  } else {
    contents.first = (static_cast<std::uint32_t>(index(task)) + 1) * 0x9e3779b9u;
    contents.step = 1;
  }
  return contents;
}

void OperationMemory::spoil_results() const {
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    const Task& task = graph_[task_id(i)];
    if (task.operation == Operation::kCopyD2h) std::fill_n(host(task_id(i)), task.cost.bytes.count, std::byte{0});
  }
}

std::int64_t OperationMemory::wrong_results() const {
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < graph_.size(); ++i) {
    if (graph_[task_id(i)].operation != Operation::kCopyD2h || !layout_.places[i].checked) continue;
    if (!holds(contents(task_id(i), host(task_id(i))))) ++wrong;
  }
  return wrong;
}

}  // namespace tasktwin::gpu
