#include "gpu/executors.hpp"

#include <algorithm>
#include <optional>

#include "gpu/cuda/on_device.hpp"
#include "gpu/cuda/stream_handle.hpp"
#include "gpu/cuda/time_stamp.hpp"
#include "gpu/peers/devices/device_clocks.hpp"
#include "gpu/peers/devices/peer_access.hpp"
#include "gpu/peers/queues/peer_queues_kernel.hpp"
#include "gpu/peers/queues/peer_worker_lists.hpp"
#include "gpu/peers/reading/read_rows.hpp"
#include "gpu/problems/problem_data.hpp"
#include "gpu/run/graph_on_device.hpp"
#include "gpu/run/unended_run.hpp"
#include "gpu/run/watchdog.hpp"
#include "gpu/supported/supported.hpp"
#include "models/program/device_graph.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::size_t kMostExplained = 8;

template <class T>
void clear(const DeviceBuffer<T>& buffer, cudaStream_t stream) {
  if (buffer.size() > 0) check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream), "clearing GPU memory");
}

template <class T>
DeviceBuffer<T> copied(const std::vector<T>& values, const char* what) {
  return {std::span<const T>(values), what};
}

std::vector<DeviceTask> in_order(const DeviceGraph& graph, const PeerList& list) {
  std::vector<DeviceTask> tasks;
  for (std::size_t place = 0; place < list.tasks.size(); ++place) {
    DeviceTask& task = tasks.emplace_back(graph.host_tasks[index(list.tasks[place])]);
    const std::uint32_t begin = list.row_begins[place];
    task.edges.first_successor = begin;
    task.edges.successor_count = list.row_begins[place + 1] - begin;
    std::copy_n(list.rows.begin() + begin, std::min(kHeadSuccessors, task.edges.successor_count), task.edges.head);
    task.awaited = list.counts[place];
  }
  return tasks;
}

/// One device's workers: their lists, what they need to run bodies, and what they leave.
struct Residents {
  Residents(const ExecutorInputs& inputs, const PeerList& list, std::size_t workers)
      : problem(make_problem_data(inputs.graph, inputs.options)),
        graph(inputs.graph, inputs.options),
        first(copied(list.first, "the workers' lists")),
        tasks(copied(in_order(graph, list), "the workers' lists")),
        rows(copied(list.rows, "the edges")),
        counts(copied(list.counts, "the dependency counters")),
        counters(list.counts.size(), "the dependency counters"),
        completions(workers * kLineWords, "the completion counts"),
        waiting_for(workers, "the waiting tasks"),
        last_published(workers, "the end times"),
        stopped(workers, "the end times"),
        phases(inputs.graph.size(), "the phase stamps"),
        done(inputs.graph.size(), "the order marks") {}

  void reset() const {
    problem->reset(stream);
    if (counters.size() > 0)
      check(cudaMemcpyAsync(counters.data(), counts.data(), counters.bytes(), cudaMemcpyDeviceToDevice, stream), "resetting GPU memory");
    clear(control, stream);
    clear(gate, stream);
    clear(completions, stream);
    clear(waiting_for, stream);
    clear(last_published, stream);
    clear(phases, stream);
    clear(done, stream);
    clear(violations, stream);
    stream.synchronize();
  }

  std::unique_ptr<ProblemData> problem;
  DeviceGraph graph;
  DeviceBuffer<std::uint32_t> first;
  DeviceBuffer<DeviceTask> tasks;
  DeviceBuffer<std::uint32_t> rows;
  DeviceBuffer<std::uint32_t> counts;
  DeviceBuffer<std::uint32_t> counters;
  DeviceBuffer<RunControl> control{1, "the run's control words"};
  DeviceBuffer<PeerGate> gate{1, "the run's control words"};
  DeviceBuffer<std::uint32_t> completions;
  DeviceBuffer<std::uint32_t> waiting_for;
  DeviceBuffer<std::uint64_t> last_published;
  DeviceBuffer<std::uint64_t> stopped;
  DeviceBuffer<PhaseRecord> phases;
  DeviceBuffer<std::uint32_t> done;
  DeviceBuffer<std::uint32_t> violations{1, "the violation count"};
  Stream stream;
  Stream side_stream;
};

/// Workers that stay on the multiprocessors of all devices, each with a frozen list of its device's tasks; counters lie in the memory of
/// the device whose worker waits, and workers of other devices decrement them there. What static_queues.cpp does on one device.
class PeerQueuesExecutor final : public Executor {
 public:
  explicit PeerQueuesExecutor(const ExecutorInputs& inputs)
      : on_devices_(on_devices(inputs.graph, inputs.machine, inputs.design)),
        inputs_{on_devices_.graph, inputs.machine, inputs.design, inputs.options},
        devices_(inputs.machine.devices.count()),
        workers_(worker_cores(inputs.design, inputs.machine).size()),
        lists_(
            peer_lists(inputs_.graph, peer_worker_lists(inputs_), devices_, inputs.options.ignored_edges, inputs.options.never_released)),
        clocks_(allowed(devices_)) {
    for (int device = 0; device < devices_; ++device) {
      const OnDevice on(device);
      prepare_peer_queues();
      residents_.push_back(std::make_unique<Residents>(inputs_, lists_[static_cast<std::size_t>(device)], workers_));
    }
    if (inputs_.design.peer_data == PeerData::kRead && inputs_.graph.has_edge_bytes()) reads_.emplace(inputs_.graph, devices_);
  }

  RunResult run(RunMode mode) override {
    for_devices([](const Residents& one, int) { one.reset(); });
    clocks_.compare();
    for_devices([&](const Residents& one, int device) { launch_peer_queues(describe(one, mode), queues(one, device), one.stream); });
    for_devices([&](const Residents& one, int) {
      if (!await_completion(one.stream, inputs_.options.watchdog, [this] { return progress(); })) end_and_explain();
    });
    return result(mode);
  }

  std::optional<Residual> check_result() override { return residents_.front()->problem->check(); }

 private:
  static int allowed(int devices) {
    allow_peer_access(devices);
    return devices;
  }

  template <class Visit>
  void for_devices(Visit visit) const {
    for (int device = 0; device < devices_; ++device) {
      const OnDevice on(device);
      visit(*residents_[static_cast<std::size_t>(device)], device);
    }
  }

  PersistentRun describe(const Residents& one, RunMode mode) const {
    const auto workers = static_cast<std::uint32_t>(workers_);
    return {.bodies = one.problem->context(),
            .tasks = one.graph.tasks.data(),
            .successors = one.rows.data(),
            .predecessors = one.graph.predecessors.data(),
            .counters = one.counters.data(),
            .children = {},
            .cohorts = {},
            .task_count = static_cast<std::uint32_t>(inputs_.graph.size()),
            .workers = workers,
            .seats = {.taken = nullptr, .cores = workers, .per_core = 1},
            .blocks = workers,
            .mailbox_depth = 1,
            .last_slot = 0,
            .backoff_ns = static_cast<std::uint32_t>(inputs_.design.backoff_ns),
            .control = one.control.data(),
            .completions = one.completions.data(),
            .waiting_for = one.waiting_for.data(),
            .last_published = one.last_published.data(),
            .stopped = one.stopped.data(),
            .phases = mode == RunMode::kStamped ? one.phases.data() : nullptr,
            .done = mode == RunMode::kCheckOrder ? residents_.front()->done.data() : nullptr,
            .violations = one.violations.data(),
            .time_rounds = false,
            .prologues = false};
  }

  PeerQueues queues(const Residents& one, int own) const {
    PeerQueues queues{.queues = {one.first.data(), one.tasks.data(), nullptr},
                      .counters = {},
                      .gates = {},
                      .reads = reads_ ? reads_->rows(own) : PeerReadRows{},
                      .device = static_cast<std::uint32_t>(own),
                      .devices = static_cast<std::uint32_t>(devices_)};
    for (std::size_t device = 0; device < residents_.size(); ++device) {
      queues.counters[device] = residents_[device]->counters.data();
      queues.gates[device] = residents_[device]->gate.data();
    }
    return queues;
  }

  std::uint64_t progress() const {
    std::uint64_t all = 0;
    for_devices([&](const Residents& one, int) {
      std::vector<std::uint32_t> counts(one.completions.size());
      check(cudaMemcpyAsync(counts.data(), one.completions.data(), one.completions.bytes(), cudaMemcpyDeviceToHost, one.side_stream),
            "reading the progress");
      one.side_stream.synchronize();
      for (const std::uint32_t count : counts) all += count;
    });
    return all;
  }

  [[noreturn]] void end_and_explain() const {
    const std::uint64_t completed = progress();
    const std::uint32_t abort = 1;
    for_devices([&](const Residents& one, int) {
      check(cudaMemcpyAsync(&one.control.data()->abort, &abort, sizeof abort, cudaMemcpyHostToDevice, one.side_stream), "aborting the run");
      one.side_stream.synchronize();
    });
    std::string text = "the run made no progress for " + std::to_string(inputs_.options.watchdog.count()) + " ms and was ended; " +
                       std::to_string(completed) + " of " + std::to_string(inputs_.graph.size()) + " tasks are done";
    std::size_t explained = 0;
    for_devices([&](const Residents& one, int device) {
      if (!await_completion(one.stream, std::chrono::seconds{1}, [] { return std::uint64_t{1}; }))
        throw UnendedRun("the run made no progress and its kernel did not end on request: a task's body does not end");
      const std::vector<std::uint32_t> waiting = one.waiting_for.to_host("the waiting tasks");
      for (std::size_t worker = 0; worker < waiting.size(); ++worker) {
        if (waiting[worker] == 0 || explained++ >= kMostExplained) continue;
        text += "\n  core " + std::to_string(worker) + " of GPU " + std::to_string(device) + " waits for task '" +
                std::string(inputs_.graph.name(task_id(waiting[worker] - 1))) + "'";
      }
    });
    throw RunError(text);
  }

  RunResult result(RunMode mode) const {
    RunResult result;
    std::uint64_t first_origin = ~std::uint64_t{0};  // of the device that began first, on the first one's clock
    for_devices([&](const Residents& one, int device) {
      const std::uint64_t origin = one.control.to_host("the run's control words").front().origin;
      first_origin = std::min(first_origin, origin - static_cast<std::uint64_t>(clocks_.ahead_ns(device)));
    });
    if (mode == RunMode::kStamped) {
      result.timeline.tasks.resize(inputs_.graph.size());
      result.timeline.cores.assign(workers_ * residents_.size(), CoreType::kSm);
    }
    for_devices([&](const Residents& one, int device) {
      const std::uint64_t origin = clocks_.on(device, first_origin);
      const std::vector<std::uint64_t> last = one.last_published.to_host("the end times");
      const TimePoint end = from_stamp(std::max(origin, *std::ranges::max_element(last)), origin);
      result.makespan = std::max(result.makespan, end.time_since_epoch());
      if (mode == RunMode::kCheckOrder) result.ordering_violations += one.violations.to_host("the violation count").front();
      if (mode == RunMode::kStamped) add_times(result.timeline, one, device, origin);
    });
    return result;
  }

  void add_times(Timeline& timeline, const Residents& one, int device, std::uint64_t origin) const {
    const std::vector<PhaseRecord> records = one.phases.to_host("the phase stamps");
    for (const TaskId task : lists_[static_cast<std::size_t>(device)].tasks) {
      const PhaseRecord& record = records[index(task)];
      timeline.tasks[index(task)] = {.dispatched = from_stamp(record.dispatched, origin),
                                     .received = from_stamp(record.received, origin),
                                     .started = from_stamp(record.started, origin),
                                     .ended = from_stamp(record.ended, origin),
                                     .published = from_stamp(record.published, origin),
                                     .core = core_id(record.core + static_cast<std::size_t>(device) * workers_)};
      if (inputs_.graph.in_degree(task) == 0) timeline.tasks[index(task)].ready = TimePoint{};
    }
    for (std::size_t worker = 0; worker < workers_; ++worker) timeline.core_devices.push_back(device);
  }

  tasktwin::DeviceGraph on_devices_;
  ExecutorInputs inputs_;
  int devices_;
  std::size_t workers_;  ///< of a device
  std::vector<PeerList> lists_;
  DeviceClocks clocks_;
  std::vector<std::unique_ptr<Residents>> residents_;  ///< by device
  std::optional<PeerReads> reads_;                     ///< where tasks read bytes of other devices
};

}  // namespace

std::unique_ptr<Executor> make_peer_queues(const ExecutorInputs& inputs) { return std::make_unique<PeerQueuesExecutor>(inputs); }

}  // namespace tasktwin::gpu
