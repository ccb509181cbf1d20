#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/base/sparse.hpp"
#include "models/design/design.hpp"
#include "models/run/timeline.hpp"
#include "sim/cores/bodies.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/cores/code_fetches.hpp"
#include "sim/cores/core_rings.hpp"
#include "sim/cores/input_reads.hpp"
#include "sim/cores/page_loads.hpp"
#include "sim/engine/run_context.hpp"

namespace tasktwin::sim {

/// What publishing a task's completion takes, by its number of successors.
struct PublishCost {
  /// Rounds of a core's lanes over successors: that many it reads before the body ends, and the tasks that that many make ready it pushes
  /// together (gpu/persistent/, SuccessorRow::kSteps).
  static constexpr std::size_t kRowsAtHand = 4;

  Nanoseconds fixed{};
  Nanoseconds per_successor{};
  Nanoseconds without_successors{};
  Nanoseconds KernelCost::*of_kernel = nullptr;  ///< what the task's kernel adds, where there are successors or `always`
  bool always = false;
  Nanoseconds per_row{};    ///< added by each `lanes` successors beyond `at_hand`, which are read only when the body has ended
  std::size_t batch = 0;    ///< `fixed` is paid for each that many successors, which are ready when that is through; 0: for all together
  std::size_t lanes = 1;    ///< ResidentCores::lanes
  std::size_t at_hand = 0;  ///< successors that are read before the body ends
  std::vector<std::uint32_t> counts = {};  ///< by TaskId: how many successors it tells; empty for all
  Nanoseconds message_less{};              ///< what of `fixed` a task does not pay whose result is in its message
  std::vector<bool> in_messages = {};      ///< by TaskId: whose results are; empty for none

  static PublishCost to_dispatcher(const AsRun& c) {
    return {.fixed = c.mailboxes.publish, .without_successors = c.mailboxes.publish, .of_kernel = &KernelCost::publish, .always = true};
  }
  static PublishCost to_counters(const AsRun& c) {
    const mechanism::ResidentCores& cores = *c.resident_cores;
    return {.fixed = cores.release,
            .of_kernel = &KernelCost::release,
            .per_row = c.memory->read_latency,
            .lanes = static_cast<std::size_t>(cores.lanes),
            .at_hand = kRowsAtHand * static_cast<std::size_t>(cores.lanes)};
  }
  static PublishCost to_shared_queue(const AsRun& c) {
    const mechanism::ResidentCores& cores = *c.resident_cores;
    return {.fixed = cores.release + cores.push,
            .per_successor = cores.push_per_successor,
            .of_kernel = &KernelCost::release,
            .batch = kRowsAtHand * static_cast<std::size_t>(cores.lanes)};
  }

  /// In a kernel launched for the task.
  static PublishCost of_launched(const AsRun& c) { return {.fixed = c.launched_kernels->release}; }

  Duration of(std::size_t successors) const {
    if (successors == 0) return round_ns(without_successors);
    const std::size_t rows = successors > at_hand ? (successors - at_hand + lanes - 1) / lanes : 0;
    const std::size_t batches = batch > 0 ? (successors + batch - 1) / batch : 1;
    return round_ns(static_cast<double>(batches) * fixed + static_cast<double>(successors) * per_successor +
                    static_cast<double>(rows) * per_row);
  }
  /// From when the first `told`, whole batches, are ready until all are.
  Duration behind(std::size_t told, std::size_t successors) const { return of(successors) - of(told); }
};

/// The persistent compute cores, each a pipeline: a mailbox, a unit that runs bodies, a unit that publishes completions.
///   started(k)   = max(received(k), ended(k−1)) + start + hand_off
///   published(k) = max(ended(k), published(k−1)) + publish
/// and task k leaves the mailbox when the publishing unit takes it: slot free(k) = max(ended(k), published(k−1)). A core of one
/// unit does everything in turn: nothing is handed off, and slot free(k) = published(k). A task on several cores is received by
/// each; where its parts differ the first of its cores of a type takes the first part for that type, and is free when it ends. Under gang
/// start `together` all of them start when the last of them could; under `apart` each when it can. Its blocks are published one by one,
/// each at the full cost. Where a core releases successors itself, spawning adds `spawn` for each ResidentCores::lanes of tasks. A kernel
/// may add to publish (KernelCost), and waits while its code is to come (CodeFetches). With loaders (PageLoads) a body does not draw what
/// these bring:
///   ended = max(started + max(fixed, reading its pages) + overhead, its last page come + two reads)
/// Of several workers a core each is such a pipeline, with a CoreId of its own; their bodies slow each other down (SharedCores).
class Cores final : private Bodies::Listener, private InputReads::Listener {
 public:
  /// What becomes of a task, or a block of it, on a core.
  struct Completion {
    CoreId core{};
    TaskId task{};
    TimePoint ended{};
    TimePoint slot_free{};  ///< at or after `ended`
    TimePoint published{};  ///< at or after that
  };
  class Listener {
   public:
    /// Told as soon as it is certain, at or before `slot_free`, for each block of the task.
    virtual void will_publish(const Completion& completion) = 0;

   protected:
    ~Listener() = default;
  };

  enum class Units : std::uint8_t { kThree, kOne };

  /// Those of one device of the machine, which has its memory to itself; on a machine of one device, all.
  Cores(const WiringInputs& inputs, const PublishCost& publish, Listener& listener, Units units = Units::kThree, int device = 0);

  /// From the beginning on: loaders bring what they can of the inputs of these tasks, core by core.
  void load_ahead(const WiringInputs& inputs, const std::vector<std::vector<TaskId>>& lists) {
    loads_.emplace(inputs, lists, bodies_, paths_);
  }
  /// The core has come to the next task of its list. Contract: load_ahead().
  void come_to_next(CoreId core, TimePoint now) { loads_->come_to_next(core, now); }

  /// `task`, or a block of it, is in the core's mailbox at `received`, now or later. Contract: in the order of `received` on
  /// each core, and never more than the mailbox holds; a block of a gang only where nothing before it waits for another gang.
  void receive(CoreId core, TaskId task, TimePoint received);
  /// The same of a task that is not ready: it waits there, set up, until its doorbell is heard. Contract: Design::early_dispatch.
  void receive_early(CoreId core, TaskId task, TimePoint received);
  /// The core hears the doorbell of a task received early at `heard`, now or later.
  void ring(CoreId core, TaskId task, TimePoint heard);

  /// What a run has changed of them. Contract: each task takes one core, nothing is loaded ahead, and no cores are shared.
  struct State;
  State state() const;
  void resume(const State& state);
  void add_handlers(std::vector<EventHandler*>& handlers) { bodies_.add_handlers(handlers); }

 private:
  struct Received {
    Duration at;  ///< from the beginning on
    TaskId task;
    std::uint8_t part;  ///< of TaskTraits::parts, where it has some
  };
  struct Core {
    TimePoint ended{};
    TimePoint published{};
    std::uint8_t first = 0;  ///< in its mailbox
    std::uint8_t count = 0;
    std::optional<Kernel> last;  ///< of its bodies
    TimePoint read = kAbsent;    ///< when the first of them would be through had all pages come, while it waits for some
    bool running = false;        ///< the first of them has started, or waits for its gang; its end depends on others
  };
  struct Cohort {
    TimePoint start{};
    std::vector<CoreId> cores;
  };

  /// Its place among the cores of this device.
  std::size_t local(CoreId id) const { return index(id) - first_; }
  /// The first task of its mailbox.
  const Received& head(CoreId id) const { return mailboxes_.at(local(id), cores_[local(id)].first); }
  /// The core of this device of a worker.
  std::size_t core_of(CoreId worker) const { return core_of_worker(local(worker), types_.size(), per_core_); }
  void body_ended(std::uint32_t runner, TimePoint end) override;
  void run(CoreId id);
  void join_gang(CoreId id, TaskId task, TimePoint ready);
  void begin(CoreId id, TaskId task, TimePoint start);
  void inputs_read(std::uint32_t runner, TimePoint now) override;
  void work(CoreId id, TaskId task, TimePoint start);
  TimePoint start_body(CoreId id, TaskId task, TimePoint start);
  void page_came(std::uint32_t loader, TimePoint now);
  void end_body(CoreId id, TaskId task, TimePoint end);
  void finish(CoreId id, TaskId task, TimePoint end);
  std::uint8_t next_part(CoreId id, TaskId task);
  BodyCost cost(CoreId id, TaskId task) const;
  Duration publishing(TaskId task) const;

  const TaskGraph& graph_;
  const AsRun& machine_;
  const BodyCosts& costs_;
  std::span<const CoreType> types_;  ///< by local()
  std::size_t first_;                ///< CoreId of this device's first
  int per_core_;                     ///< Design::workers_per_core
  RunEvents& events_;
  Listener& listener_;
  MemoryPaths paths_;
  Bodies bodies_;
  std::optional<PageLoads> loads_;
  Sparse<Core> cores_;
  CoreRings<Received> mailboxes_;  ///< by local(): tasks whose end is not yet certain
  Units units_;
  Duration start_;
  bool kernels_differ_;  ///< some kernel of the graph adds to publishing, or is cold at first
  CodeFetches code_;
  PublishCost publish_cost_;
  std::vector<Duration> publish_;   ///< by number of successors, without what kernels add
  bool ahead_;                      ///< bodies come without their prologues
  bool plain_;                      ///< every body takes the same time wherever it runs, and moves no bytes
  bool spawns_;                     ///< releasing takes longer where a task spawns others
  bool wide_;                       ///< some tasks occupy several cores
  std::vector<TimePoint> started_;  ///< by local(): the latest body, where tasks are wide
  Gang gang_;
  std::vector<Cohort> gangs_;         ///< by TaskId, where those start together
  std::vector<TimePoint> doorbells_;  ///< by TaskId: when it was heard, TimePoint::max() for one to come; empty without early dispatch
  std::vector<bool> leaves_;          ///< by TaskId: others hear of its end at system scope; empty on one device
  std::vector<CoreId> ran_on_;        ///< by TaskId: the first of its cores, where bytes come with edges
  std::vector<std::array<std::uint8_t, 2>> parts_begun_;  ///< by TaskId, on matrix cores and others; empty where no task's parts differ
  std::optional<InputReads> reads_;                       ///< none where no body reads other devices' memory
};

struct Cores::State {
  Bodies::State bodies;
  Sparse<Core> cores;
  CoreRings<Received> mailboxes;
  CodeFetches code;
  std::vector<CoreId> ran_on;
};

}  // namespace tasktwin::sim
