// A layer of a mixture of experts, in single precision: two of several experts for each token, and one that all tokens share. A row of what
// is between the products is called by its slot: 2 · token + choice of the routed experts, 2 · tokens + token of the shared one.
#include <tasktwin/kernel.hpp>

namespace {

constexpr int kRows = 32;     // that a block multiplies at a time
constexpr int kDepth = 64;    // of the rows that it keeps in shared memory
constexpr int kColumns = 64;  // that it makes of each row; four groups of threads share the rows out

__device__ float over_warp(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__device__ bool is_shared(int expert, int experts) { return expert == experts; }

__device__ int slot_of(const int* slots, int expert, int experts, int tokens, int i) {
  return is_shared(expert, experts) ? 2 * tokens + i : slots[expert * tokens + i];
}

// to[slot][first column on] = f(sum over k of from[row of slot][k] · w[k][column]) for all slots of an expert.
template <class Row, class Finish>
__device__ void multiply(const tasktwin::Block& block, const float* from, const float* w, float* to, const int* slots, int count,
                         int expert, int experts, int tokens, int first_column, int depth, int columns, Row row_of, Finish finish) {
  float* const kept = reinterpret_cast<float*>(block.shared);  // [kRows][kDepth]
  int* const slot = reinterpret_cast<int*>(kept + kRows * kDepth);
  const int column = first_column + block.thread % kColumns;
  const int group = block.thread / kColumns;
  const int groups = block.threads / kColumns;
  for (int base = 0; base < count; base += kRows) {
    block.sync();
    if (block.thread < kRows)
      slot[block.thread] = base + block.thread < count ? slot_of(slots, expert, experts, tokens, base + block.thread) : -1;
    float sums[kRows / 4] = {};
    for (int k = 0; k < depth; k += kDepth) {
      block.sync();
      for (int i = block.thread; i < kRows * kDepth; i += block.threads) {
        const int at = slot[i / kDepth];
        kept[i] = at < 0 ? 0.0f : from[static_cast<long long>(row_of(at)) * depth + k + i % kDepth];
      }
      block.sync();
      for (int d = 0; d < kDepth; ++d) {
        const float weight = w[static_cast<long long>(k + d) * columns + column];
        for (int r = 0; r < kRows / 4; ++r) sums[r] += kept[(group + groups * r) * kDepth + d] * weight;
      }
    }
    for (int r = 0; r < kRows / 4; ++r) {
      const int at = slot[group + groups * r];
      if (at >= 0) to[static_cast<long long>(at) * columns + column] = finish(sums[r]);
    }
  }
}

}  // namespace

// The two experts with the highest logits of each token, and how much each counts. A warp a token.
__device__ void route(const tasktwin::Block& block, const float* x, const float* w, int* chosen, float* share, int first, int count,
                      int hidden, int experts) {
  const int lane = block.thread % 32;
  for (int token = first + block.thread / 32; token < first + count; token += block.threads / 32) {
    float best = -3.4e38f, second = -3.4e38f;
    int best_at = 0, second_at = 0;
    for (int expert = 0; expert < experts; ++expert) {
      float sum = 0;
      for (int k = lane; k < hidden; k += 32) sum += x[static_cast<long long>(token) * hidden + k] * w[expert * hidden + k];
      sum = over_warp(sum);
      if (sum > best) {
        second = best, second_at = best_at;
        best = sum, best_at = expert;
      } else if (sum > second) {
        second = sum, second_at = expert;
      }
    }
    if (lane == 0) {
      const float of_second = __expf(second - best);
      chosen[2 * token] = best_at;
      chosen[2 * token + 1] = second_at;
      share[2 * token] = 1.0f / (1.0f + of_second);
      share[2 * token + 1] = of_second / (1.0f + of_second);
    }
  }
}

// The slots of each expert, in order. A warp an expert.
__device__ void sort_slots(const tasktwin::Block& block, const int* chosen, int* slots, int* counts, int tokens, int experts) {
  const int lane = block.thread % 32;
  for (int expert = block.thread / 32; expert < experts; expert += block.threads / 32) {
    int count = 0;
    for (int base = 0; base < 2 * tokens; base += 32) {
      const bool mine = base + lane < 2 * tokens && chosen[base + lane] == expert;
      const unsigned lanes = __ballot_sync(0xffffffffu, mine);
      if (mine) slots[expert * tokens + count + __popc(lanes & ((1u << lane) - 1))] = base + lane;
      count += __popc(lanes);
    }
    if (lane == 0) counts[expert] = count;
  }
}

// 64 columns of silu(x · w of the expert).
__device__ void expert_up(const tasktwin::Block& block, const float* x, const float* w, const int* slots, const int* counts, float* h,
                          int expert, int column, int hidden, int inner, int tokens, int experts) {
  const int count = is_shared(expert, experts) ? tokens : counts[expert];
  multiply(
      block, x, w + static_cast<long long>(expert) * hidden * inner, h, slots, count, expert, experts, tokens, column, hidden, inner,
      [tokens](int slot) { return slot < 2 * tokens ? slot / 2 : slot - 2 * tokens; },
      [](float sum) { return sum / (1.0f + __expf(-sum)); });
}

// 64 columns of h · w of the expert.
__device__ void expert_down(const tasktwin::Block& block, const float* h, const float* w, const int* slots, const int* counts, float* y,
                            int expert, int column, int hidden, int inner, int tokens, int experts) {
  const int count = is_shared(expert, experts) ? tokens : counts[expert];
  multiply(
      block, h, w + static_cast<long long>(expert) * hidden * inner, y, slots, count, expert, experts, tokens, column, inner, hidden,
      [](int slot) { return slot; }, [](float sum) { return sum; });
}

// What each token has of its three experts.
__device__ void combine(const tasktwin::Block& block, const float* y, const float* share, float* out, int first, int count, int hidden,
                        int tokens) {
  for (int i = block.thread; i < count * hidden; i += block.threads) {
    const int token = first + i / hidden;
    const int k = i % hidden;
    const auto part = [&](int slot) { return y[static_cast<long long>(slot) * hidden + k]; };
    out[static_cast<long long>(token) * hidden + k] =
        part(2 * tokens + token) + share[2 * token] * part(2 * token) + share[2 * token + 1] * part(2 * token + 1);
  }
}
