#include "gpu/executors/central_dispatcher.hpp"

#include <algorithm>

#include "gpu/persistent/central_dispatcher_kernel.hpp"
#include "gpu/persistent/persistent_executor.hpp"
#include "gpu/persistent/queue_samples.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostLoggedRounds = std::size_t{1} << 20;

/// A block of dispatcher warps that resolves dependencies and fills the workers' mailboxes.
class CentralDispatcherExecutor final : public PersistentExecutor {
 public:
  explicit CentralDispatcherExecutor(const ExecutorInputs& inputs)
      : PersistentExecutor(inputs),
        dispatchers_(static_cast<std::uint32_t>(dispatcher_count(inputs.design, inputs.machine))),
        mailboxes_(std::size_t{workers()} * kMailboxEntries, "the mailboxes"),
        ready_(inputs.graph.size(), "the ready queue"),
        log_capacity_(static_cast<std::uint32_t>(std::min(kMostLoggedRounds, 2 * inputs.graph.size()))),
        log_(std::size_t{dispatchers_} * log_capacity_, "the dispatchers' log"),
        log_sizes_(dispatchers_, "the dispatchers' log") {
    for (const std::uint32_t root : device_graph().roots) roots_.push_back(1 + root);
  }

 private:
  void reset(cudaStream_t stream) override {
    check(cudaMemsetAsync(mailboxes_.data(), 0, mailboxes_.bytes(), stream), "emptying the mailboxes");
    check(cudaMemsetAsync(ready_.data(), 0, ready_.bytes(), stream), "emptying the queue");
    check(cudaMemsetAsync(log_sizes_.data(), 0, log_sizes_.bytes(), stream), "emptying the log");
    check(cudaMemcpyAsync(ready_.data(), roots_.data(), roots_.size() * sizeof roots_[0], cudaMemcpyHostToDevice, stream),
          "filling the queue");
    check(cudaStreamSynchronize(stream), "resetting the dispatcher");
  }

  void launch(const PersistentRun& run, cudaStream_t stream) override {
    launch_central_dispatcher(run,
                              {.mailboxes = mailboxes_.data(),
                               .ready = ready_.data(),
                               .successor_offsets = device_graph().successor_offsets.data(),
                               .edge_count = static_cast<std::uint32_t>(device_graph().successors.size()),
                               .root_count = static_cast<std::uint32_t>(roots_.size()),
                               .dispatchers = dispatchers_,
                               .fill_only_when_no_core_idle = inputs().design.fill == Fill::kWhenNoCoreIdle,
                               .shared_words = 0,
                               .iterations = log_.data(),
                               .iteration_counts = log_sizes_.data(),
                               .iteration_capacity = log_capacity_},
                              stream);
  }

  void add_observations(RunResult& result, std::uint64_t origin) override {
    result.timeline.ready_queue = queue_samples(result.timeline);
    const std::vector<std::uint32_t> sizes = log_sizes_.to_host("the dispatchers' log");
    const std::vector<DispatchIteration> log = log_.to_host("the dispatchers' log");
    for (std::uint32_t d = 0; d < dispatchers_; ++d) {
      std::vector<Span>& busy = result.timeline.dispatchers.emplace_back();
      for (std::size_t i = 0; i < sizes[d]; ++i) {
        const DispatchIteration& round = log[std::size_t{d} * log_capacity_ + i];
        const auto length = [](std::uint64_t from, std::uint64_t to) { return Duration{static_cast<std::int64_t>(to - from)}; };
        result.dispatch_rounds.push_back({length(round.begin, round.swept), length(round.swept, round.resolved),
                                          length(round.resolved, round.end), static_cast<int>(round.completions),
                                          static_cast<int>(round.edges), static_cast<int>(round.released),
                                          static_cast<int>(round.handed_over)});
        const Span span{from_stamp(round.begin, origin), from_stamp(round.end, origin)};
        if (!busy.empty() && busy.back().end == span.begin) {
          busy.back().end = span.end;
        } else {
          busy.push_back(span);
        }
      }
    }
  }

  std::uint32_t dispatchers_;
  std::vector<std::uint32_t> roots_;
  DeviceBuffer<std::uint64_t> mailboxes_;
  DeviceBuffer<std::uint32_t> ready_;
  std::uint32_t log_capacity_;
  DeviceBuffer<DispatchIteration> log_;
  DeviceBuffer<std::uint32_t> log_sizes_;
};

std::optional<std::string> why_unsupported(const Design& design, const Machine& machine) {
  if (design.order != TaskOrder::kFifo)
    return "order '" + std::string(to_word(design.order)) + "': the GPU's dispatcher keeps its ready queue first in, first out; use 'fifo'";
  const int dispatchers = dispatcher_count(design, machine);
  if (dispatchers > static_cast<int>(kMostDispatchers)) {
    return "dispatchers " + std::to_string(dispatchers) + ": the GPU's dispatcher block has " + std::to_string(kMostDispatchers) +
           " warps at most";
  }
  if (worker_cores(design, machine).size() > kMostWorkers) return "more than " + std::to_string(kMostWorkers) + " workers";
  return std::nullopt;
}

}  // namespace

const ExecutorEntry kCentralDispatcherExecutor{
    [](const Design& design) { return design.driver == Driver::kPersistent && design.release == Release::kDispatcher; }, why_unsupported,
    [](const ExecutorInputs& inputs) -> std::unique_ptr<Executor> { return std::make_unique<CentralDispatcherExecutor>(inputs); }};

}  // namespace tasktwin::gpu
