#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "models/design/design.hpp"
#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The hardware queue of each stream's kernels, as the file numbers it; nothing where streams do not keep to one.
std::optional<std::map<std::uint32_t, std::int64_t>> queues_of_streams(const TraceRun& run) {
  std::map<std::uint32_t, std::int64_t> queue_of;
  for (std::uint32_t task = 0; task < run.ops.size(); ++task) {
    const TraceOp& op = run.ops[task];
    if (op.node >= 0 || run.calls[run.call_of[task]].call.kind == TraceCallKind::kGraphLaunch) return std::nullopt;
    if (op.operation != Operation::kKernel || op.queue < 0) continue;
    if (queue_of.emplace(run.streams[task], op.queue).first->second != op.queue) return std::nullopt;
  }
  return queue_of;
}

/// By stream, a number of its own that modulo the number of queues is its queue's; streams without kernels get those that are left over.
std::vector<std::uint32_t> numbers_by_queue(const std::map<std::uint32_t, std::int64_t>& queue_of, std::uint32_t streams,
                                            const std::map<std::int64_t, std::uint32_t>& places) {
  std::vector<std::uint32_t> numbers(streams, kNone);
  std::vector<std::uint32_t> next(places.size());
  std::iota(next.begin(), next.end(), 0);
  for (const auto& [stream, queue] : queue_of) {
    std::uint32_t& number = next[places.at(queue)];
    numbers[stream] = number;
    number += static_cast<std::uint32_t>(places.size());
  }
  for (std::uint32_t& number : numbers) {
    if (number == kNone) {
      std::uint32_t& least = *std::ranges::min_element(next);
      number = least;
      least += static_cast<std::uint32_t>(places.size());
    }
  }
  return numbers;
}

}  // namespace

void share_queues(TraceRun& run) {
  const auto queue_of = queues_of_streams(run);
  if (!queue_of) return;
  std::map<std::int64_t, std::uint32_t> places;  // of queues, in the order of their streams
  for (const auto& [stream, queue] : *queue_of) places.emplace(queue, static_cast<std::uint32_t>(places.size()));
  if (places.size() == queue_of->size()) return;
  const std::vector<std::uint32_t> numbers = numbers_by_queue(*queue_of, run.stream_count, places);
  const std::uint32_t count = *std::ranges::max_element(numbers) + 1;
  if (count > static_cast<std::uint32_t>(kMaxStreams)) return;
  for (std::uint32_t& stream : run.streams) stream = numbers[stream];
  for (auto& [as_traced, number] : run.numbers) number = numbers[number];
  run.stream_count = count;
  run.queues = static_cast<std::uint32_t>(places.size());
  std::vector<std::uint32_t> last(run.queues, kNone);
  for (std::uint32_t task = 0; task < run.ops.size(); ++task) {
    run.before_in_queue.push_back(task);
    if (run.ops[task].operation != Operation::kKernel) continue;
    std::uint32_t& before = last[run.streams[task] % run.queues];
    if (before != kNone) run.before_in_queue[task] = before;
    before = task;
  }
}

}  // namespace tasktwin::scenarios
