#include "models/cost/prefetch.hpp"

#include <algorithm>

#include "models/cost/footprint.hpp"
#include "models/cost/workers_beside.hpp"
#include "models/rules/pages.hpp"

namespace tasktwin {

namespace {

constexpr std::int64_t kBf16Bytes = 2;
constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kVectorBytes = 16;  // that one lane copies
constexpr std::int64_t kPageBytes = 16 * 1024;
constexpr std::int64_t kLine = 128;  // that copies into pages fill
}  // namespace

std::int64_t constant_unit(const Problem& problem, Kernel kernel) {
  const ConstantInputs inputs = kernel_entry(kernel).constant_inputs;
  if (inputs == ConstantInputs::kBytes) return kVectorBytes;
  const auto* const decode = std::get_if<DecodeProblem>(&problem);
  if (decode == nullptr) return 0;
  switch (inputs) {
    case ConstantInputs::kNorm:
      return kVectorBytes;
    case ConstantInputs::kCache:
      return rules::pages_serve_attention(decode->heads, decode->kv_heads) ? 2 * kBf16Bytes * decode->head_dim() : 0;
    case ConstantInputs::kRows:
      return (kernel == Kernel::kGateUp ? 2 : 1) * kBf16Bytes * vector_length(*decode, kernel);
    default:
      return 0;
  }
}

std::int64_t constant_bytes(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  if (task.operation != Operation::kKernel || graph.traits(id).blocks > 1) return 0;
  const std::int64_t unit = constant_unit(graph.problem(), task.kernel);
  if (unit == 0) return 0;
  switch (kernel_entry(task.kernel).constant_inputs) {
    case ConstantInputs::kNorm:
      return kFloatBytes * std::get<DecodeProblem>(graph.problem()).hidden;
    case ConstantInputs::kCache: {
      const bool newest = task.args[2] + task.args[3] == std::get<DecodeProblem>(graph.problem()).kv_length;
      return std::max<std::int64_t>(0, task.cost.bytes.count - (newest ? unit : 0));
    }
    default:
      return task.cost.bytes.count;
  }
}

std::int64_t beside_pages(const TaskGraph& graph) {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) bytes = std::max(bytes, body_shared_bytes(graph, task_id(i)));
  return (bytes + kLine - 1) / kLine * kLine;
}

PageRing page_ring(const TaskGraph& graph, const Machine& machine) {
  PageRing ring{.page_bytes = 0, .pages = 0};
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Kernel kernel = graph[task_id(i)].kernel;
    if (constant_bytes(graph, task_id(i)) > 0)
      ring.page_bytes = std::max({ring.page_bytes, kPageBytes, constant_unit(graph.problem(), kernel)});
  }
  const std::int64_t room = machine.core_limits.shared_memory - machine.core_limits.reserved - kWorkerBlockBytes - beside_pages(graph);
  if (ring.page_bytes == 0 || room < rules::kFewestPages * ring.page_bytes) return {};
  ring.pages = static_cast<int>(std::min<std::int64_t>(room / ring.page_bytes, rules::kMostPages));
  return ring;
}

}  // namespace tasktwin
