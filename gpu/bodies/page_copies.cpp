#include "gpu/bodies/page_copies.hpp"

#include <algorithm>

#include "gpu/bodies/matrix_rows.hpp"
#include "models/rules/pages.hpp"

namespace tasktwin::gpu {

namespace {

const std::byte* offset(const void* base, std::uint64_t bytes) { return static_cast<const std::byte*>(base) + bytes; }

/// `count` units of `unit` bytes that lie one after the other, `per_page` a page.
void add_units(const void* base, std::int64_t count, std::uint64_t unit, std::int64_t per_page, std::uint32_t number,
               std::vector<PageCopy>& copies) {
  for (std::int64_t first = 0; first < count; first += per_page) {
    const auto bytes = static_cast<std::uint32_t>(static_cast<std::uint64_t>(std::min(per_page, count - first)) * unit);
    copies.push_back({offset(base, static_cast<std::uint64_t>(first) * unit), nullptr, bytes, 0, number, 0});
  }
}

/// Keys and values of the positions before the new one, which the body itself writes.
void add_cache(const TaskDescriptor& task, const DecodeContext& decode, std::uint32_t page_bytes, std::uint32_t number,
               std::vector<PageCopy>& copies) {
  if (!rules::pages_serve_attention(decode.heads, decode.kv_heads)) return;
  const std::size_t row_bytes = sizeof(Bf16) * static_cast<std::size_t>(decode.head_dim);
  const std::size_t head =
      (static_cast<std::size_t>(task.args[0]) * static_cast<std::size_t>(decode.kv_heads) + static_cast<std::size_t>(task.args[1])) *
      static_cast<std::size_t>(decode.kv_length) * row_bytes;
  const int end = std::min(task.args[2] + task.args[3], decode.kv_length - 1);
  const int step = page_positions(page_bytes, decode.head_dim);
  for (int first = task.args[2]; first < end; first += step) {
    const std::size_t at = head + static_cast<std::size_t>(first) * row_bytes;
    const auto bytes = static_cast<std::uint32_t>(static_cast<std::size_t>(std::min(step, end - first)) * row_bytes);
    copies.push_back({offset(decode.keys, at), offset(decode.values, at), bytes, bytes, number, 0});
  }
}

void add_norm(const TaskDescriptor& task, const DecodeContext& decode, std::uint32_t page_bytes, std::uint32_t number,
              std::vector<PageCopy>& copies) {
  const std::size_t norm = static_cast<std::size_t>(2 * task.args[0] + task.args[1]) * static_cast<std::size_t>(decode.hidden);
  add_units(decode.norm_weights + norm, decode.hidden, sizeof(float), page_bytes / static_cast<std::int64_t>(sizeof(float)), number,
            copies);
}

/// The buffer is read round and round: a page may end with its beginning.
void add_stream(const TaskDescriptor& task, const void* buffer, std::uint32_t page_bytes, std::uint32_t number,
                std::vector<PageCopy>& copies) {
  const std::uint64_t end = (task.bytes + 15) / 16 * 16;
  for (std::uint64_t at = 0; at < end; at += page_bytes) {
    const std::uint64_t first = (task.stream_offset + at) % kStreamBufferBytes;
    const std::uint64_t bytes = std::min<std::uint64_t>(page_bytes, end - at);
    const std::uint64_t before_end = std::min(bytes, kStreamBufferBytes - first);
    copies.push_back({offset(buffer, first), bytes > before_end ? buffer : nullptr, static_cast<std::uint32_t>(before_end),
                      static_cast<std::uint32_t>(bytes - before_end), number, 0});
  }
}

}  // namespace

void add_page_copies(const TaskDescriptor& task, const BodyContext& context, std::uint32_t page_bytes, std::uint32_t number,
                     std::vector<PageCopy>& copies) {
  const auto kernel = static_cast<Kernel>(task.kernel);
  if (kernel == Kernel::kStream) return add_stream(task, context.stream_buffer, page_bytes, number, copies);
  if (kernel == Kernel::kAttention) return add_cache(task, context.decode, page_bytes, number, copies);
  if (kernel == Kernel::kRmsNorm) return add_norm(task, context.decode, page_bytes, number, copies);
  if (!reads_rows(kernel)) return;
  const MatrixRows rows = matrix_rows(task, context.decode);
  add_units(rows.weights, rows.rows, sizeof(Bf16) * static_cast<std::uint64_t>(rows.columns),
            page_rows(page_bytes, rows.columns, kernel == Kernel::kGateUp ? 2 : 1), number, copies);
}

}  // namespace tasktwin::gpu
