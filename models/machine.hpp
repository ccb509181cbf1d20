#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/kernel.hpp"
#include "models/task_graph.hpp"
#include "models/units.hpp"

namespace tasktwin {

/// A constant of a machine in nanoseconds, not yet rounded.
using Nanoseconds = std::chrono::duration<double, std::nano>;

/// Half away from zero: the one place where computed costs become whole nanoseconds.
Duration round_ns(Nanoseconds time);

/// A 95 % confidence interval.
struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Where a constant comes from.
struct Provenance {
  std::string source;                     ///< the micro-benchmark or publication
  std::string date;                       ///< ISO 8601
  std::optional<Interval> interval = {};  ///< of its value, where the measurement tells
};

/// Compute cores of one type.
struct CoreGroup {
  CoreType type = CoreType::kSm;
  int count = 0;
  int per_cluster = 0;  ///< of them in each cluster; 0 where they belong to none
  /// By core, in the order in which blocks of kernels take them while all are empty: the port by which it reaches the memory. Empty where
  /// ports hold nothing back.
  std::vector<int> memory_ports = {};
  /// By core, as resident workers are numbered: the queue in which what it loads waits for the memory. Empty where all wait alike.
  std::vector<int> memory_queues = {};
};

/// What one compute core can hold at a time; 0 where a machine states no limit.
struct CoreLimits {
  int blocks = 0;
  int threads = 0;
  int registers = 0;
  std::int64_t shared_memory = 0;  ///< bytes
  friend bool operator==(const CoreLimits&, const CoreLimits&) = default;
};

/// What kernels launched by the host meet on the device; 0 where a machine states no limit.
struct LaunchLimits {
  int hardware_queues = 0;        ///< that all streams share: what is behind another kernel in one waits for it
  int resident_kernels = 0;       ///< that run at a time
  int priorities = 0;             ///< levels that a kernel's priority may have
  int partition_granularity = 0;  ///< a share of the cores is a multiple of so many; 0 or 1 for any number
  friend bool operator==(const LaunchLimits&, const LaunchLimits&) = default;
};

/// Device memory and what moves it; 0 where a machine states no limit, or no size.
struct MemoryLimits {
  int copy_engines = 0;           ///< that copies share
  std::int64_t capacity = 0;      ///< bytes that tasks can allocate in all
  std::int64_t page = 0;          ///< bytes: the device gives out memory in multiples of it
  std::int64_t pool_segment = 0;  ///< bytes: a stream-ordered pool grows by multiples of it
  std::int64_t staging = 0;       ///< bytes of a piece that a pageable copy takes through the staging buffer
  std::int64_t cache = 0;         ///< bytes of what a run reads that the next one finds in the cache (finds_cache_empty)
  friend bool operator==(const MemoryLimits&, const MemoryLimits&) = default;
};

/// Control cores (AICPU threads; on a GPU the warps of a dispatcher block).
struct ControlCores {
  int count = 0;
  int lanes = 1;           ///< items (polls, completions, successors, hand-overs) that one control core works on at a time
  int occupied_cores = 0;  ///< compute cores that the control cores take the place of, when a design uses them
  double code_scale = 1;   ///< factor on the times of their own code: complete, enqueue, hand_over, submit
};

/// What a kernel's body costs, beside the bytes that it moves through memory.
struct KernelCost {
  Nanoseconds overhead{};  ///< paid by every body, whatever its size; below 0 where a design spares it some of its arithmetic
  double traffic = 1;      ///< bandwidth that each of its bytes takes up, in those of long bodies of kernel `stream`; at least 0.1
  double bandwidth = 0;    ///< its bytes/ns that one core draws alone; 0 for Constants::core_bandwidth
  Nanoseconds row{};       ///< added to drawing them alone by each row of its matrices (matrix_rows()): sums over a row are joined
  // Under designs whose cores stay resident:
  Nanoseconds start{};          ///< added to Constants::start: the threads of the core are called together
  Nanoseconds publish{};        ///< added to Constants::publish: they meet, and what they wrote reaches memory
  Nanoseconds release{};        ///< likewise to Constants::release, of a task with successors
  Nanoseconds cold{};           ///< its first body on a GPC started → its code has come there; until then no body of it gets on
  Nanoseconds uncached_cold{};  ///< its first body of a run that finds the cache empty started → its code has come from memory
  Nanoseconds again{};          ///< by how much less a body's overhead is right behind another of the kernel on the same core
  /// Added to Constants::launched_body where the device starts the kernels (graphs, launches by kernels): one that a stream starts has its
  /// code there by then.
  Nanoseconds launched{};
  Nanoseconds nested{};    ///< in place of `launched` where kernels launch it
  Nanoseconds uncached{};  ///< added to its bodies in a run that finds the cache empty, by data that are in it otherwise
  // Added to its bodies where their core fetches the next task and publishes the last one beside them, beyond what hops have in them:
  Nanoseconds beside_mailbox{};  ///< under designs with dispatchers
  Nanoseconds beside_queue{};    ///< under those with shared ready queues
  Nanoseconds beside_thefts{};   ///< where cores have queues of their own
  Nanoseconds beside_lists{};    ///< where they have frozen lists and queues
  Nanoseconds undisturbed{};     ///< by how much less a body takes where its core does nothing beside it (Release::kBarrier,
                                 ///< Driver::kHostDispatcher)
  /// Arithmetic time by size: piecewise linear through these points and through (0, 0), the last slope extended.
  struct Point {
    double flops = 0;
    double ns = 0;
    double release_ns = 0;   ///< added to `release`, likewise piecewise linear: larger results take longer to reach memory
    double uncached_ns = 0;  ///< added to `uncached`, likewise
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> arithmetic = {};
};

/// Every latency and rate constant, in nanoseconds and bytes per nanosecond (= GB/s).
/// A task's way under a persistent design: dispatched –mailbox_hop→ received –start→ started –body→ ended –publish→
/// published –completion_hop→ seen by its dispatcher. Where cores release successors themselves, release and push stand for
/// publish, and –counter_hop→ is how a waiting core sees it.
struct Constants {
  // Host launch path (driver `streams`).
  Nanoseconds launch{};              ///< host time of one kernel launch
  Nanoseconds first_launches{};      ///< added to it over a run's first sim::kFirstLaunches: code and data of the host are fetched
  Nanoseconds event_record{};        ///< host time of one event record
  Nanoseconds stream_wait{};         ///< host time of making a stream wait for an event
  Nanoseconds stream_first_wait{};   ///< added to it for the first wait for that record of the event
  Nanoseconds launch_latency{};      ///< launch call begun → kernel starts, everything idle
  Nanoseconds stream_gap{};          ///< kernel ends → next kernel of the same stream starts, already queued
  Nanoseconds event_gap{};           ///< kernel ends → kernel of another stream that waits for it starts, already queued
  Nanoseconds host_sync{};           ///< host time of a call that blocks for what has already ended
  Nanoseconds sync_latency{};        ///< kernel ends → the host that blocks for it, or asks, knows
  Nanoseconds event_query{};         ///< host time of asking for one event
  Nanoseconds callback{};            ///< host time of putting a host function into a stream
  Nanoseconds callback_latency{};    ///< kernel ends → the host function behind it has run, and the launching thread knows
  Nanoseconds stream_call{};         ///< host time of launching an empty kernel, when the host's times above were measured
  Nanoseconds programmatic_gap{};    ///< kernel ends → the next one starts that already waits for it on the device
  Nanoseconds launched_body{};       ///< added to a body by being in a kernel launched for it: its code is fetched anew
  Nanoseconds launched_body_busy{};  ///< added to it where kernels launch kernels and some warp is launching as the body starts
  // Graphs (driver `cuda_graph`).
  Nanoseconds graph_launch{};            ///< host time of one graph launch, whatever the graph
  Nanoseconds graph_launch_per_node{};   ///< added to it by each node
  Nanoseconds graph_launch_per_leaf{};   ///< added to it by each node with predecessors and no successors
  Nanoseconds graph_launch_per_root{};   ///< added to it by each node without predecessors; between two of which to start
  Nanoseconds graph_launch_per_inner{};  ///< added to it by each node with predecessors, unless the graph is a chain; before the last root
  Nanoseconds graph_launch_between{};    ///< added to graph_launch_per_inner by each of those before a root that is not the last
  Nanoseconds graph_launch_per_edge{};   ///< added to it by each predecessor of a node but the first
  Nanoseconds graph_inner_growth{};      ///< added to graph_launch_per_inner by each doubling of the graph (sim::graph_doublings)
  Nanoseconds graph_root_growth{};       ///< added to graph_launch_per_root by each doubling of the graph
  Nanoseconds graph_latency{};           ///< launch call begun → first node starts, everything idle
  Nanoseconds graph_gap{};               ///< node ends → the next node of a chain starts
  Nanoseconds graph_service{};           ///< between two nodes that the device brings to start, roots apart
  Nanoseconds graph_release{};           ///< between two node ends that make others ready
  Nanoseconds graph_release_among{};     ///< likewise in a graph of several nodes without predecessors
  Nanoseconds graph_join{};              ///< added to graph_gap by each predecessor but the first
  Nanoseconds graph_fetch{};             ///< added to graph_gap behind a node with more than kNodeSuccessors successors
  Nanoseconds graph_replay_gap{};        ///< last node ends → first node of the next launch starts, already launched
  Nanoseconds graph_set_node{};          ///< host time of setting one node's parameters
  Nanoseconds graph_update{};            ///< host time of updating a graph in place, whatever the graph
  Nanoseconds graph_update_per_node{};   ///< added to it by each node
  Nanoseconds graph_instantiate{};       ///< host time of instantiating and uploading a graph, whatever the graph
  Nanoseconds graph_instantiate_per_node{};  ///< added to it by each node
  Nanoseconds graph_call{};                  ///< host time of launching 32 nodes that do nothing, when the host's times above were measured
  // Their conditional nodes.
  Nanoseconds graph_launch_per_conditional{};  ///< added to graph_launch by each; the device looks at none before the call has come to it
  Nanoseconds conditional_decide{};            ///< the kernel that sets a conditional node's value started → ended
  Nanoseconds conditional_enter{};             ///< value set → the node's body starts
  Nanoseconds conditional_skip{};              ///< value set → the node has ended, its body left out
  Nanoseconds conditional_leave{};             ///< body ended → the node has
  Nanoseconds conditional_again{};    ///< added to it where the body itself sets the value anew, and the device looks at it once more
  Nanoseconds conditional_service{};  ///< between two conditional nodes that the device looks at
  Nanoseconds conditional_return{};   ///< between two bodies of such nodes whose ends the device takes up
  Nanoseconds conditional_release{};  ///< between two ends of such nodes that make others ready
  Nanoseconds conditional_poll{};     ///< a round of the device's looks at such nodes, by each branch of them to come
  // Hops through memory.
  Nanoseconds mailbox_hop{};         ///< hand-over written → the core has the task
  Nanoseconds completion_hop{};      ///< completion written → a dispatcher's poll can see it
  Nanoseconds counter_hop{};         ///< dependency counter written → a waiting core has seen it
  Nanoseconds counter_hop_spread{};  ///< standard deviation of counter_hop and flag_hop over the pairs of cores that it is between
  Nanoseconds queue_hop{};           ///< task pushed to a shared queue → the core whose ticket it meets has it
  // Compute core.
  Nanoseconds start{};                  ///< the core has the task and is free → its body starts
  Nanoseconds hand_off{};               ///< added to start where a unit of the core fetches tasks, another runs bodies, a third publishes
  Nanoseconds queue_hand_off{};         ///< hand_off where a core claims its tasks from one queue
  Nanoseconds publish{};                ///< body ended → completion written for a dispatcher, where no other is being published
  Nanoseconds fence_round{};            ///< between moments at which completions are written (sim::FenceRounds); 0 where each is by itself
  Nanoseconds release{};                ///< body ended → counters of its successors decremented, where the core does that
  Nanoseconds release_per_successor{};  ///< added to it by each successor
  Nanoseconds push{};                   ///< and further, until those it made ready stand in a shared queue
  Nanoseconds push_per_successor{};     ///< added to it by each successor
  Nanoseconds retire{};                 ///< body ended → task done, where the core would release successors and has none
  // All cores that stay resident are there → whoever has to looks for work: code is fetched.
  Nanoseconds first_look{};               ///< workers with lists of their own
  Nanoseconds barrier_first_look{};       ///< workers that meet behind every layer
  Nanoseconds queue_first_look{};         ///< workers with one queue
  Nanoseconds worker_queue_first_look{};  ///< workers with queues of their own
  Nanoseconds dispatcher_first_look{};    ///< dispatchers
  Nanoseconds host_first_look{};          ///< threads of the host
  Nanoseconds uncached_first_look{};      ///< added to all of the device in a run that finds the cache empty
  Nanoseconds first_mailbox_hop{};        ///< added to mailbox_hop for a core's first task: its code is fetched
  Nanoseconds list_read{};                ///< a worker going on to the next entry of its own frozen list
  Nanoseconds look{};                     ///< a counter or flag read by a core that then needs not wait for it, until the core goes on
  Nanoseconds read_latency{};             ///< load from the memory all cores share, past private caches, there and back
  Nanoseconds atomic_latency{};           ///< atomic operation on that memory, there and back
  Nanoseconds atomic_service{};           ///< time between two atomic operations on one address
  // Control core.
  Nanoseconds poll{};           ///< one sweep over the owned cores, whatever their number
  Nanoseconds poll_per_core{};  ///< added to a sweep by each owned core
  Nanoseconds complete{};       ///< taking in one completion
  Nanoseconds resolve{};        ///< decrementing one successor's counter
  Nanoseconds resolve_line{};   ///< of one lane, added for each cache line of counters that another has had (sim/control/counter_walks.hpp)
  Nanoseconds walk{};           ///< of several lanes, added where rows of successors are longer than their heads
  Nanoseconds pass_on{};        ///< of several lanes, finding idle cores for what became ready beyond one task for each that made some so
  Nanoseconds enqueue{};        ///< putting one task that has become ready into the queue
  Nanoseconds hand_over{};      ///< preparing to hand over, once for all tasks handed over together
  Nanoseconds claim{};  ///< taking ready tasks from the queue, once for all handed over together; not what the same iteration made ready
  Nanoseconds claim_ahead{};             ///< added to claim where cores that hold a task may be given more
  Nanoseconds dispatch{};                ///< handing over one task
  Nanoseconds round{};                   ///< ending an iteration that did something
  Nanoseconds submit{};                  ///< an orchestrator making one task known
  Nanoseconds submit_per_predecessor{};  ///< added to it by each predecessor
  Nanoseconds control_spawn{};           ///< making known spawned tasks, as many as it has lanes, added to resolving
  Nanoseconds control_hop{};             ///< written by one control core → seen by another
  // Threads of the host as control cores (driver `host_dispatcher`), which stand for the constants above without `host_`.
  Nanoseconds host_mailbox_hop{};
  Nanoseconds host_mailbox_hop_sigma{};
  Nanoseconds host_completion_hop{};
  Nanoseconds host_publish{};
  Nanoseconds host_fence_round{};
  Nanoseconds host_poll{};
  Nanoseconds host_poll_per_core{};
  Nanoseconds host_first_complete{};
  Nanoseconds host_complete{};
  Nanoseconds host_resolve{};
  Nanoseconds host_resolve_line{};
  Nanoseconds host_enqueue{};
  Nanoseconds host_hand_over{};
  Nanoseconds host_dispatch{};
  Nanoseconds host_count{};  ///< this and the following of several threads; one has what they count together to itself
  Nanoseconds host_round{};
  Nanoseconds host_locked_queue{};
  Nanoseconds host_queue_contention{};
  Nanoseconds host_queue_fetch{};
  Nanoseconds host_queue_reuse{};
  // Launches on the device.
  Nanoseconds device_graph_launch{};            ///< a scheduler kernel launching one graph
  Nanoseconds device_graph_latency{};           ///< that launch begun → the graph's kernel starts, everything idle
  Nanoseconds device_graph_sigma{};             ///< standard deviation of that latency; 0 where it never varies
  Nanoseconds device_graph_block{};             ///< between two blocks of the graph's kernel that start
  Nanoseconds device_graph_uncached_launch{};   ///< added to device_graph_launch in a run that finds the cache empty
  Nanoseconds device_graph_uncached_latency{};  ///< likewise to device_graph_latency
  Nanoseconds device_graph_tail{};              ///< a graph and all it launched have ended → the graph launched behind it starts
  Nanoseconds launched_release{};               ///< likewise release, in a kernel launched for the task
  Nanoseconds launched_retire{};                ///< likewise retire
  Nanoseconds launched_release_busy{};          ///< added to both where a kernel ends while some warp is launching kernels
  Nanoseconds device_graph_start{};      ///< host's launch call begun → the scheduler kernel launches its first graph, everything idle
  Nanoseconds device_graph_turn{};       ///< body ended → the scheduler kernel, if idle, launches its successor
  Nanoseconds device_graph_look{};       ///< of which, and before each launch, finding what is ready
  Nanoseconds device_launch_start{};     ///< host's launch call begun → a kernel launches its first kernel, everything idle
  Nanoseconds device_launch{};           ///< a kernel launching one kernel
  Nanoseconds device_launch_again{};     ///< likewise by a thread that has launched one before
  Nanoseconds device_launch_per_lane{};  ///< between two launches by lanes of a warp
  Nanoseconds device_launch_further{};   ///< added to device_launch where the warp has launched before, for the same task
  Nanoseconds device_launch_busy{};      ///< by which device_launch and device_launch_latency are less where other warps are launching
  Nanoseconds device_launch_beside{};    ///< added to both by each other warp that is launching, mean
  Nanoseconds device_launch_spread{};    ///< of device_launch_beside: mean of what is exponentially distributed, by launch
  Nanoseconds device_launch_latency{};   ///< that launch begun → the kernel starts, everything idle
  Nanoseconds device_launch_service{};   ///< time between two kernels that start, whoever launched them
  Nanoseconds device_launch_end{};  ///< by which the next kernel starts later for each that ends: whoever starts them also clears them away
  /// By which bodies that use memory (uses_memory) are held up by each launch that a warp makes while they run.
  Nanoseconds device_launch_stall{};
  Nanoseconds device_launch_stall_per_kernel{};  ///< added to it by each kernel of the launch but the first
  Nanoseconds device_launch_block{};             ///< time between two kernels that warps of one block launch side by side
  Nanoseconds device_launch_uncached{};          ///< added to it in a run that finds the cache empty
  Nanoseconds device_launch_crowd{};             ///< added to it by each other warp of the block, while they make their first launches
  // Ready queues.
  Nanoseconds queue_service{};     ///< a queue is held for this long by one push or claim
  Nanoseconds locked_queue{};      ///< added to it where dispatchers lock their queues (sim::locks_queues)
  Nanoseconds queue_contention{};  ///< added to that for who had to wait for the queue
  Nanoseconds steal{};             ///< looking for another's queue with tasks and taking from it, once for all tasks taken together
  Nanoseconds steal_fail{};      ///< of which, and of a look in vain, all that precedes reading the others' lengths: its own queue is empty
  Nanoseconds steal_hop{};       ///< task pushed to a core's own queue → a core that waits, and perhaps steals, has it
  Nanoseconds refill{};          ///< a core of own queues has room for a task → it looks for one
  Nanoseconds take{};            ///< such a core looking at its queue → it has the task that it found there
  Nanoseconds list_take{};       ///< the same of a frozen list from which others may take
  Nanoseconds list_hop{};        ///< task of such a list become ready → a core that waits has it
  Nanoseconds list_claim{};      ///< a core with such a list claiming from the queue beside the lists → it has the task
  Nanoseconds uncached_fetch{};  ///< added to all ways to fetch a task from a queue in a run that finds the cache empty
  Nanoseconds spawn{};           ///< making spawned tasks known, as many as sim::kSpawnLot at a time, added to releasing them
  Nanoseconds spawn_per_task{};  ///< added to it by each
  // Ways to notify and to meet.
  Nanoseconds flag_hop{};           ///< a predecessor's flag written → a waiting core has seen it
  Nanoseconds semaphore_hop{};      ///< hardware semaphore signalled → a waiting core goes on
  Nanoseconds barrier{};            ///< last core counted at the barrier → all have left it
  Nanoseconds barrier_per_core{};   ///< counting one that arrives, one after the other
  Nanoseconds mailbox_hop_sigma{};  ///< standard deviation of mailbox_hop; 0 where it never varies
  // Copies, host functions and allocation (drivers `streams` and `cuda_graph`).
  Nanoseconds copy{};                 ///< host time of calling for one copy or memset
  Nanoseconds copy_latency{};         ///< that call begun → an engine takes the copy, everything idle
  Nanoseconds copy_gap{};             ///< end of a copy → an engine may take the next of its stream in the same direction
  Nanoseconds engine_gap{};           ///< end of a copy, or of what a copy waits for → the engine that waits for the other has seen it
  Nanoseconds copy_setup{};           ///< an engine is held by each copy for this long before its bytes move
  Nanoseconds memset_setup{};         ///< likewise by each memset
  Nanoseconds host_task{};            ///< a stream reaches a host function → it starts
  Nanoseconds malloc{};               ///< host time of one cudaMalloc of memory that was freed before, the device idle
  Nanoseconds malloc_per_mib{};       ///< added to it by each MiB
  Nanoseconds malloc_new{};           ///< host time of one cudaMalloc of other memory, the device idle
  Nanoseconds malloc_new_per_mib{};   ///< added to it by each MiB
  Nanoseconds malloc_free{};          ///< host time of one cudaFree, the device idle
  Nanoseconds malloc_free_per_mib{};  ///< added to it by each MiB
  Nanoseconds malloc_async{};         ///< host time of one cudaMallocAsync from what its stream has freed
  Nanoseconds pool_look{};            ///< added to it each time that another stream is asked how far it has come
  Nanoseconds free_async{};           ///< host time of one cudaFreeAsync
  Nanoseconds pool_grow{};            ///< added to malloc_async where the pool grows
  Nanoseconds pool_grow_per_mib{};    ///< added to it by each MiB
  Nanoseconds pool_trim{};            ///< added to a synchronisation by each segment that a pool gives back
  Nanoseconds cached{};               ///< host time of one allocation or free in a cache of the host
  // Bandwidths, bytes/ns.
  double h2d_bandwidth = 0;      ///< host to device, pinned
  double d2h_bandwidth = 0;      ///< device to host, pinned
  double duplex_bandwidth = 0;   ///< both together; 0 for no limit
  double p2p_bandwidth = 0;      ///< device to another device
  double staging_bandwidth = 0;  ///< pageable memory to or from the staging buffer
  double memset_bandwidth = 0;   ///< setting device memory
  double copy_traffic = 1;       ///< bandwidth of the memory that each byte of a copy takes up, in those of bodies that read it
  // Memory shared by all cores.
  double memory_bandwidth = 0;   ///< bytes/ns in all
  double core_bandwidth = 0;     ///< bytes/ns that one core draws alone
  double port_bandwidth = 0;     ///< bytes/ns of one of CoreGroup::memory_ports; 0 for no limit
  double queue_bandwidth = 0;    ///< bytes/ns that what one of CoreGroup::memory_queues can have under way draws alone; 0 for no limit
  double memory_contention = 0;  ///< how much slower it gets as the memory is loaded: models/memory_share.hpp
  double memory_in_step = 0;     ///< the part of that by which only bodies that begin together hold each other up
};

struct Machine {
  std::string name;
  std::string description;
  std::vector<CoreGroup> compute_cores;
  ControlCores control_cores;
  CoreLimits core_limits;
  LaunchLimits launch_limits;
  MemoryLimits memory_limits;
  Constants constants;
  std::array<KernelCost, kKernelCount> kernels;
  double host_slowdown = 1;  ///< how many times as long the host's calls take as the constants say; no part of a machine file
  std::map<std::string, Provenance, std::less<>>
      provenance;  ///< by constant name, "kernels.<kernel>", "control_cores.code_scale" or "limits"

  const KernelCost& kernel_cost(Kernel kernel) const { return kernels[static_cast<std::size_t>(kernel)]; }
  int core_count() const;
  /// Whether a task of `type` finds a core, or for `mix` a cluster.
  bool has(CoreType type) const;
  bool has_clusters() const;
  /// The constants as control cores and host run: code_scale and host_slowdown multiplied in.
  Constants scaled_constants() const;
  /// With `threads` of the host as its control cores, each working on one item at a time. A single one shares nothing with others.
  Machine with_host_threads(int threads) const;
};

/// A constant by its name in machine files; the one table that loader, writer and documentation share.
struct ConstantField {
  std::string_view name;  ///< with the unit as suffix, such as "launch_ns"
  std::string_view meaning;
  Nanoseconds Constants::*time = nullptr;
  double Constants::*rate = nullptr;

  double get(const Constants& constants) const { return time ? (constants.*time).count() : constants.*rate; }
  void set(Constants& constants, double value) const {
    if (time) {
      constants.*time = Nanoseconds(value);
    } else {
      constants.*rate = value;
    }
  }
};

std::span<const ConstantField> constant_fields();

/// A scalar of a KernelCost by its name in machine files.
struct KernelField {
  std::string_view name;
  std::string_view meaning;
  Nanoseconds KernelCost::*time = nullptr;
  double KernelCost::*ratio = nullptr;
  double absent = 0;  ///< its value where a file does not name it

  double get(const KernelCost& cost) const { return time ? (cost.*time).count() : cost.*ratio; }
  void set(KernelCost& cost, double value) const {
    if (time) {
      cost.*time = Nanoseconds(value);
    } else {
      cost.*ratio = value;
    }
  }
};

std::span<const KernelField> kernel_fields();

}  // namespace tasktwin
