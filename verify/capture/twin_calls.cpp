#include "verify/capture/twin_calls.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace tasktwin::verify {

namespace {

/// Where the runs differ, how many calls ahead they may meet again.
constexpr std::size_t kLookAhead = 32;

struct ThreadCall {
  std::size_t index;  ///< in CaptureIndex::calls
  const spool::CallRecord* record;
  std::string_view kernel;  ///< its name
};

using ThreadCalls = std::vector<ThreadCall>;

/// Each thread's calls, threads by their first call.
std::vector<ThreadCalls> by_thread(const CaptureIndex& index, const std::function<bool(const spool::CallRecord&)>& taken) {
  std::vector<ThreadCalls> threads;
  std::map<std::uint32_t, std::size_t> places;
  for (std::size_t i = 0; i < index.calls.size(); ++i) {
    const auto& [record, thread] = index.calls[i];
    if (has(*record, spool::kInside)) continue;
    const auto [found, fresh] = places.try_emplace(thread, threads.size());
    if (fresh) threads.emplace_back();
    if (!taken(*record)) continue;
    const bool named = record->has_kernel != 0 && kernel_of(*record).function < index.functions.size();
    threads[found->second].push_back({i, record, named ? std::string_view(index.functions[kernel_of(*record).function]) : ""});
  }
  return threads;
}

bool same(const ThreadCall& left, const ThreadCall& right) {
  const auto key = [](const ThreadCall& call) {
    return std::tuple(call.record->op, call.record->cbid, has(*call.record, spool::kDriverCall), call.kernel);
  };
  return key(left) == key(right);
}

/// How far to step on in each list to where they agree again; the nearest such place.
std::pair<std::size_t, std::size_t> meet_again(const ThreadCalls& left, std::size_t l, const ThreadCalls& right, std::size_t r) {
  for (std::size_t together = 1; together <= 2 * kLookAhead; ++together) {
    for (std::size_t i = 0; i <= std::min(together, kLookAhead); ++i) {
      const std::size_t j = together - i;
      if (j <= kLookAhead && l + i < left.size() && r + j < right.size() && same(left[l + i], right[r + j])) return {i, j};
    }
  }
  return {left.size(), right.size()};
}

}  // namespace

std::vector<std::optional<std::size_t>> twin_calls(const CaptureIndex& run, const CaptureIndex& other,
                                                   const std::function<bool(const spool::CallRecord&)>& taken) {
  std::vector<std::optional<std::size_t>> twins(run.calls.size());
  const std::vector<ThreadCalls> left = by_thread(run, taken);
  const std::vector<ThreadCalls> right = by_thread(other, taken);
  for (std::size_t t = 0; t < std::min(left.size(), right.size()); ++t) {
    for (std::size_t l = 0, r = 0; l < left[t].size() && r < right[t].size();) {
      if (same(left[t][l], right[t][r])) {
        twins[left[t][l++].index] = right[t][r++].index;
        continue;
      }
      const auto [i, j] = meet_again(left[t], l, right[t], r);
      l += i;
      r += j;
    }
  }
  return twins;
}

}  // namespace tasktwin::verify
