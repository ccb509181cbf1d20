#include "models/cost/prefetch.hpp"

#include <algorithm>

#include "models/cost/footprint.hpp"
#include "models/rules/pages.hpp"

namespace tasktwin {

namespace {

constexpr std::int64_t kBf16Bytes = 2;
constexpr std::int64_t kFloatBytes = 4;
constexpr std::int64_t kVectorBytes = 16;  // that one lane copies
constexpr std::int64_t kPageBytes = 16 * 1024;
/// Of a worker, in addition to its body's and its pages: its list, read ahead, and barriers.
constexpr std::int64_t kWorkerBytes = 9 * 1024;
constexpr std::int64_t kAttentionScratch = 37 * 1024;  // queries and partial sums of heads as long as there may be
constexpr std::int64_t kSmallScratch = 256;

std::int64_t columns(const DecodeProblem& problem, Kernel kernel) { return kernel == Kernel::kDown ? problem.mlp : problem.hidden; }

}  // namespace

std::int64_t constant_unit(const Problem& problem, Kernel kernel) {
  if (kernel == Kernel::kStream) return kVectorBytes;
  const auto* const decode = std::get_if<DecodeProblem>(&problem);
  if (decode == nullptr) return 0;
  if (kernel == Kernel::kAttention)
    return rules::pages_serve_attention(decode->heads, decode->kv_heads) ? 2 * kBf16Bytes * decode->head_dim() : 0;
  if (kernel == Kernel::kRmsNorm) return kVectorBytes;
  if (!reads_rows(kernel)) return 0;
  return (kernel == Kernel::kGateUp ? 2 : 1) * kBf16Bytes * columns(*decode, kernel);
}

std::int64_t constant_bytes(const TaskGraph& graph, TaskId id) {
  const Task& task = graph[id];
  if (task.operation != Operation::kKernel || graph.traits(id).blocks > 1) return 0;
  const std::int64_t unit = constant_unit(graph.problem(), task.kernel);
  if (unit == 0 || task.kernel == Kernel::kStream || reads_rows(task.kernel)) return unit == 0 ? 0 : task.cost.bytes.count;
  const auto& decode = std::get<DecodeProblem>(graph.problem());
  if (task.kernel == Kernel::kRmsNorm) return kFloatBytes * decode.hidden;
  const bool newest = task.args[2] + task.args[3] == decode.kv_length;
  return std::max<std::int64_t>(0, task.cost.bytes.count - (newest ? unit : 0));
}

std::int64_t body_scratch(const Problem& problem, Kernel kernel) {
  if (kernel == Kernel::kAttention) return kAttentionScratch;
  if (is_matrix_kernel(kernel) && kernel != Kernel::kFma) return kWholeCoreSharedBytes;
  const auto* const decode = std::get_if<DecodeProblem>(&problem);
  return decode != nullptr && reads_rows(kernel) ? kFloatBytes * columns(*decode, kernel) : kSmallScratch;
}

PageRing page_ring(const TaskGraph& graph, const Machine& machine) {
  PageRing ring{.page_bytes = 0, .pages = 0};
  std::int64_t scratch = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const Kernel kernel = graph[task_id(i)].kernel;
    scratch = std::max(scratch, body_scratch(graph.problem(), kernel));
    if (constant_bytes(graph, task_id(i)) > 0)
      ring.page_bytes = std::max({ring.page_bytes, kPageBytes, constant_unit(graph.problem(), kernel)});
  }
  const std::int64_t room = machine.core_limits.shared_memory - machine.core_limits.reserved - kWorkerBytes - scratch;
  if (ring.page_bytes == 0 || room < rules::kFewestPages * ring.page_bytes) return {};
  ring.pages = static_cast<int>(std::min<std::int64_t>(room / ring.page_bytes, rules::kMostPages));
  return ring;
}

}  // namespace tasktwin
