#include <algorithm>
#include <map>
#include <tuple>

#include "verify/capture/capture_writer.hpp"

namespace tasktwin::verify {

namespace {

/// Where the runs differ, how many calls ahead they may meet again.
constexpr std::size_t kLookAhead = 32;

struct ThreadCall {
  std::size_t index;  ///< in CaptureIndex::calls
  const spool::CallRecord* record;
  std::int64_t gap_ns;  ///< since the thread's call before
};

using ThreadCalls = std::vector<ThreadCall>;

bool is_query(const spool::CallRecord& call) { return call.op == spool::Op::kEventQuery || call.op == spool::Op::kStreamQuery; }

/// Each thread's calls but queries, threads by their first call.
std::vector<ThreadCalls> by_thread(const CaptureIndex& index) {
  std::vector<ThreadCalls> threads;
  std::map<std::uint32_t, std::pair<std::size_t, std::uint64_t>> places;  // thread to place and the last end
  for (std::size_t i = 0; i < index.calls.size(); ++i) {
    const auto& [record, thread] = index.calls[i];
    if (has(*record, spool::kInside)) continue;
    const auto [found, fresh] = places.try_emplace(thread, threads.size(), record->begin_ns);
    if (fresh) threads.emplace_back();
    auto& [place, last_end] = found->second;
    if (!is_query(*record)) threads[place].push_back({i, record, static_cast<std::int64_t>(record->begin_ns - last_end)});
    last_end = record->end_ns;
  }
  return threads;
}

bool same(const ThreadCall& left, const ThreadCall& right) {
  const auto key = [](const spool::CallRecord& call) { return std::tuple(call.op, call.cbid, has(call, spool::kDriverCall)); };
  return key(*left.record) == key(*right.record);
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

std::vector<std::optional<UndisturbedTime>> undisturbed_times(const CaptureIndex& kernels, const CaptureIndex& host) {
  std::vector<std::optional<UndisturbedTime>> times(kernels.calls.size());
  const std::vector<ThreadCalls> left = by_thread(kernels);
  const std::vector<ThreadCalls> right = by_thread(host);
  for (std::size_t t = 0; t < std::min(left.size(), right.size()); ++t) {
    for (std::size_t l = 0, r = 0; l < left[t].size() && r < right[t].size();) {
      if (same(left[t][l], right[t][r])) {
        const ThreadCall& twin = right[t][r++];
        times[left[t][l++].index] = UndisturbedTime{twin.gap_ns, static_cast<std::int64_t>(twin.record->end_ns - twin.record->begin_ns)};
        continue;
      }
      const auto [i, j] = meet_again(left[t], l, right[t], r);
      l += i;
      r += j;
    }
  }
  return times;
}

}  // namespace tasktwin::verify
