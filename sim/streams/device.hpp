#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "models/cost/block_seats.hpp"
#include "models/machine/memory_paths.hpp"
#include "models/program/stream_plan.hpp"
#include "sim/cores/bodies.hpp"
#include "sim/cores/body_costs.hpp"
#include "sim/cores/launched_bodies.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/memory/peer_reads.hpp"
#include "sim/streams/meetings.hpp"

namespace tasktwin::sim {

/// Runs kernels, each a number of blocks. Kernels are handed over, the more urgent first and else first come, first served, while
/// fewer than launch_limits.resident_kernels are resident, which one is until its last block has ended. The blocks of a resident kernel
/// are placed one by one, as soon as BlockSeats has a core for the next one; those left over go before the blocks of any later
/// kernel that could take a core of the same type, even of one whose blocks would fit (the leftover policy: Amert et al., RTSS
/// 2017). A kernel that may run on another type takes a core of it where it finds none of its own. What ends in
/// a nanosecond makes room before anything is placed in it. More urgent kernels' blocks are placed before those of others that were
/// handed over earlier, but no block that runs makes room for them.
///
/// Under Design::partition or sets a kernel's blocks go to the cores of its share only, and those left over delay no kernel of another
/// share. Assumed: shares have nothing else of their own, so that their kernels share hardware queues and the number of residents.
///
/// Kernels that wait for each other have their blocks placed as any others, but no body of theirs begins before all of them are (Meetings).
///
/// A cooperative kernel has its blocks placed all at once, or none while they do not all find room; it holds nothing meanwhile.
///
/// A rank of a collective takes whole cores, as many as rank_blocks says, from when all are there until give_back(), and has no bodies.
///
/// Where tasks' cores are streams, blocks alone say which cores they were on, so that those of kernels of one block are reported as well.
///
/// Blocks that share a core slow each other down by SharedCores where a kernel states a footprint smaller than a core. Each draws on the
/// memory, with all bytes of its kernel's incoming edges: nothing stays on a core between kernels. Its part of the bytes that are in other
/// devices' memory it reads before (PeerReads).
class Device final : public EventHandler, private Bodies::Listener, private PeerReads::Listener, private Meetings::Guests {
 public:
  class Listener {
   public:
    virtual void handed_over(std::uint32_t kernel, TimePoint now) = 0;
    virtual void kernel_ended(std::uint32_t kernel, TaskId task, TimePoint now) = 0;
    /// The first body of the kernel.
    virtual void begun(std::uint32_t /*kernel*/, TimePoint /*now*/) {}
    /// The rank has all its cores.
    virtual void placed(std::uint32_t /*rank*/, TimePoint /*now*/) {}
    /// All its blocks are there and have come to their trigger; only of those that are watched.
    virtual void triggered(std::uint32_t /*kernel*/, TimePoint /*now*/) {}

   protected:
    ~Listener() = default;
  };

  /// Device `number` of the machine; `meetings` of all of them outlive it. Kernels are known by their place in `tasks`; `levels` by TaskId,
  /// 0 for the most urgent, or empty.
  Device(const WiringInputs& inputs, std::span<const TaskId> tasks, std::span<const std::uint8_t> levels, Listener& listener,
         Meetings& meetings, int number = 0);

  /// Every kernel may arrive once more. Contract: all have ended.
  void begin_again();

  /// The core of its first block. Contract: it has started.
  CoreId core_of(std::uint32_t kernel) const { return told(blocks_[kernels_[kernel].first_block].core); }

  /// `bandwidth` bytes/ns of the memory's go elsewhere from `now` on.
  void leave_bandwidth(double bandwidth, TimePoint now) { bodies_.leave(bandwidth, now); }
  void watch_memory(MemoryBandwidth::Watcher& watcher) { bodies_.watch_memory(watcher); }

  /// Contract: before any kernel comes.
  void watch(std::uint32_t kernel) { kernels_[kernel].watched = true; }
  /// It takes its turn and room from `now` on, and its blocks wait there until it arrives. Without effect once it has.
  void come(std::uint32_t kernel, TimePoint now);
  /// Nothing but the device itself holds the kernel back any more. Contract: once a kernel, in the order of `now`.
  void arrive(std::uint32_t kernel, TimePoint now);
  /// Contract: a rank that is placed.
  void give_back(std::uint32_t rank, TimePoint now);

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

 private:
  using PoolSet = std::uint64_t;  ///< a bit for the cores of each type in each share
  static_assert(kMostShares * kCoreTypeCount <= 64);

  struct Kernel {
    TaskId task{};
    std::uint32_t first_block = 0;
    std::uint32_t blocks = 1;
    std::uint32_t placed = 0;
    std::uint32_t begun = 0;
    std::uint32_t triggered = 0;
    std::uint32_t ended = 0;
    std::uint32_t needs = 0;  ///< place in needs_
    int co_resident = 0;      ///< TaskTraits::co_resident
    int cluster = 1;          ///< blocks that start together
    bool cooperative = false;
    CoreType type{};
    CoreType other{};  ///< the same where it has no other
    std::uint8_t level = 0;
    std::uint8_t share = 0;
    bool rank = false;  ///< of a collective
    bool watched = false;
    bool prologue = false;  ///< what its blocks do before they need its predecessors is no part of their bodies here
    TimePoint came_at{};    ///< where it waits on the device
    bool came = false;      ///< in a line
    bool arrived = false;   ///< its bodies may begin
  };
  struct Line {
    std::vector<std::uint32_t> kernels;  ///< in the order of their arrival
    std::size_t handed_over = 0;         ///< of them
  };
  enum class Stage : std::uint8_t { kPlaced, kPrologue, kReady };
  struct Block {
    std::uint32_t kernel = 0;
    CoreId core = kNoCore;
    TimePoint started{};
    CoreType type{};                  ///< the task's own or its other type
    TimePoint trigger = kAbsent;      ///< when it comes to it; kAbsent once it has, and where it is not watched
    std::uint32_t reading = 0;        ///< devices whose memory it still reads
    Stage stage = Stage::kPlaced;     ///< of a kernel with a prologue: before it, in it, behind it
    TimePoint prologue_at = kAbsent;  ///< when it begins that while the kernel waits
  };
  /// What a kernel reads of other devices' memory, by device.
  using Remote = std::map<int, std::int64_t>;

  void body_ended(std::uint32_t block, TimePoint end) override;
  void serve(TimePoint now);
  void place(TimePoint now);
  bool place_blocks(std::uint32_t kernel, TimePoint now);
  bool place_together(std::uint32_t kernel, TimePoint now);
  CoreId take_seat(const Kernel& kernel, CoreType type);
  bool place_cluster(std::uint32_t kernel, TimePoint now);
  bool take_cluster(const Kernel& kernel, std::vector<CoreId>& cores);
  void start_block(std::uint32_t kernel, CoreId core, CoreType type, TimePoint now);
  void line_up(std::uint32_t kernel, TimePoint now);
  void wait_block(std::uint32_t block, TimePoint now);
  void begin_block(std::uint32_t block, TimePoint now);
  bool reads_on_shared_core(const Kernel& kernel) const;
  void begin_prologue(std::uint32_t block, TimePoint now);
  void end_prologue(std::uint32_t block, TimePoint now);
  void begin_body(std::uint32_t block, TimePoint now) override;
  void read_remote(std::uint32_t block, TimePoint now);
  void peer_read_ended(std::uint32_t block, TimePoint now) override;
  void run_body(std::uint32_t block, TimePoint now);
  void set_trigger(std::uint32_t block, Duration body, TimePoint now);
  void reach_trigger(std::uint32_t block, TimePoint now);
  void end_block(std::uint32_t block, TimePoint now);
  void place_later(TimePoint now);
  /// What `block` takes.
  BodyCost cost(const Block& block, Duration longer) const;
  /// What of the body's overhead its block has done before, as prologue.
  Duration done_before(const Kernel& kernel) const;
  const KernelCost& cost_of_kernel(const Kernel& kernel) const { return machine_.kernel_cost(graph_[kernel.task].kernel); }
  /// By the number that it has among the cores of all devices.
  CoreId told(CoreId core) const { return core_id(first_core_ + index(core)); }
  PoolSet pools(CoreType type, int share) const;

  const TaskGraph& graph_;
  const BodyCosts& costs_;
  LaunchedBodies launched_;
  bool on_streams_;
  ProgrammaticTrigger trigger_;
  bool ahead_;              ///< blocks do prologues before what their kernel waits for has ended (prologues_ahead)
  Duration after_trigger_;  ///< from its coming to the first instruction of a block that waits there for its kernel's predecessors
  Duration after_room_;     ///< likewise from its having room
  Nanoseconds per_block_;
  const AsRun& machine_;
  std::size_t first_core_;  ///< of this device, among those of all
  bool blocks_differ_;      ///< some share their cores with others that slow them down
  bool plain_;              ///< every body takes the same time wherever it runs, and moves no bytes
  std::uint64_t seed_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  std::size_t most_resident_;
  std::size_t resident_ = 0;
  BlockSeats seats_;
  MemoryPaths paths_;
  PoolSet cluster_pools_ = 0;
  PoolSet all_pools_ = 0;
  PoolSet full_ = 0;  ///< while placing: those whose cores a kernel with blocks left over waits for
  Meetings& meetings_;
  std::map<std::uint32_t, std::vector<CoreId>> held_;  ///< by rank: its cores
  std::map<std::uint32_t, Remote> remote_;             ///< by kernel, of those that read any
  std::optional<PeerReads> reads_;                     ///< none where no kernel does
  std::vector<Kernel> kernels_;
  std::vector<Block> blocks_;
  std::vector<BlockNeeds> needs_;  ///< by Task::traits
  Bodies bodies_;
  std::vector<Line> arrived_;            ///< by level
  std::size_t waiting_ = 0;              ///< kernels that have arrived and are not handed over
  std::vector<std::uint32_t> leftover_;  ///< resident kernels with blocks still to place, the more urgent first
  double fed_ = 0;                       ///< when the device can bring the next block, in ns
  bool placing_ = false;                 ///< an event kPlace is scheduled for this nanosecond
};

}  // namespace tasktwin::sim
