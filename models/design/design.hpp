#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/design/axes.hpp"
#include "models/design/design_part.hpp"
#include "models/design/named_cores.hpp"
#include "models/design/own_policy.hpp"
#include "models/machine/machine.hpp"

namespace tasktwin {

/// More cores than there are.
inline constexpr int kNoEarlyLimit = 1'000'000;

/// Every choice a runtime's author makes, each under the field's own name. What the axes mean: axis_fields(); what their words
/// mean: models/design/axes.hpp. An axis that the other axes leave without effect keeps its default.
struct Design {
  std::string name;
  Driver driver = Driver::kPersistent;
  Release release = Release::kDispatcher;
  ReadyQueue ready_queue = ReadyQueue::kShared;
  TaskOrder order = TaskOrder::kFifo;
  Placement placement = Placement::kAnyIdle;
  std::string replay = {};  ///< the timeline that placement `replay` follows, as the scenario names it
  // Streams.
  int streams = 32;
  StreamGranularity stream_granularity = StreamGranularity::kPerCore;
  int hardware_queues = 0;
  StreamWait stream_wait = StreamWait::kEvents;
  DefaultStream default_stream = DefaultStream::kNone;
  StreamPriorities stream_priorities = StreamPriorities::kNone;
  // Graphs, and what they share with streams.
  GraphSource graph_source = GraphSource::kNodes;
  GraphUpdate graph_update = GraphUpdate::kNone;
  GraphPredicates graph_predicates = GraphPredicates::kKernel;
  ProgrammaticLaunch programmatic_launch = ProgrammaticLaunch::kOff;
  ProgrammaticTrigger programmatic_trigger = ProgrammaticTrigger::kBegin;
  int replays = 1;
  int partition = 0;
  // Device memory.
  Allocator allocator = Allocator::kPool;
  ReleaseThreshold release_threshold = ReleaseThreshold::kZero;
  PoolReuse pool_reuse = PoolReuse::kPassed;
  RecordStream record_stream = RecordStream::kOff;
  MemorySegments segments = MemorySegments::kFixed;
  int max_split_mib = 0;
  // Launches on the device.
  LaunchMode launch_mode = LaunchMode::kFireAndForget;
  int pending_launches = 0;
  // Control cores.
  int dispatchers = 0;
  int resolvers = 0;
  int orchestrators = 1;
  Ownership ownership = Ownership::kOwned;
  Loop loop = Loop::kCompleteFirst;
  Sweep sweep = Sweep::kAllCores;
  // Ready queues.
  Claim claim = Claim::kAll;
  int claim_size = 1;
  int shards = 0;
  int static_percent = 100;
  Stealing stealing = Stealing::kOff;
  int steal_batch = 4;
  Victim victim = Victim::kRandom;
  HeadOfLine head_of_line = HeadOfLine::kByType;
  // Compute cores.
  int workers_per_core = 1;
  int mailbox_depth = 1;
  Fill fill = Fill::kAlways;
  EarlyDispatch early_dispatch = EarlyDispatch::kOff;
  EarlyBound early_bound = EarlyBound::kSum;
  int early_limit = kNoEarlyLimit;
  EarlyOrder early_order = EarlyOrder::kMixFirst;
  int prefetch = 0;
  Gang gang = Gang::kTogether;
  Fallback fallback = Fallback::kNone;
  OutputFlush output_flush = OutputFlush::kBoth;
  // Several devices.
  DevicePlacement device_placement = DevicePlacement::kGiven;
  PeerData peer_data = PeerData::kCopy;
  CollectiveAlgorithm collective = CollectiveAlgorithm::kAutomatic;
  int collective_blocks = 0;
  Launching launching = Launching::kOneThread;
  // The graph's coming and going.
  GraphBuild graph_build = GraphBuild::kHost;
  HostBuild host_build = HostBuild::kUntimed;
  int window = 0;
  int heap_kib = 0;
  int dependency_pool = 0;
  int spin_limit_us = 0;
  Notification notification = Notification::kCounter;
  OwnList own_list = OwnList::kSignal;
  Prologues prologues = Prologues::kWithBody;
  int backoff_ns = 0;
  Termination termination = Termination::kCounter;
  OwnPolicies own = {};                ///< policies of the user's own, in place of words above
  std::vector<DesignPart> parts = {};  ///< what differs for some of the tasks; a task belongs to the first that names it
  std::vector<NamedCores> sets = {};   ///< of each device, in place of partition

  friend bool operator==(const Design&, const Design&) = default;
};

inline constexpr int kMaxMailboxDepth = 16;
inline constexpr int kMaxPrefetch = 16;
inline constexpr int kMaxWorkersPerCore = 16;
inline constexpr int kMaxStreams = 1024;
inline constexpr int kMaxCollectiveBlocks = 64;

/// Launches of a CUDA kernel that may wait on the device at a time unless more are asked for (cudaLimitDevRuntimePendingLaunchCount).
inline constexpr int kDefaultPendingLaunches = 2048;
/// Graphs that one execution of a graph can launch to run in parallel with it, in total (CUDA C++ Programming Guide, "Device Graph
/// Launch").
inline constexpr int kMostGraphLaunches = 120;
inline constexpr int kMaxReplays = 100'000;

/// One axis by its name in scenario files: a word of a list, or a whole number in a range. The one table that loader, JSON,
/// documentation, checks and random designs share. Where an axis counts: models/runtimes/.
struct AxisField {
  std::string_view name;
  std::string_view meaning;
  std::span<const std::string_view> words = {};     ///< what is valid, where it is a word
  std::span<const std::string_view> meanings = {};  ///< of each of `words`
  std::string_view (*word)(const Design&) = nullptr;
  void (*set_word)(Design&, std::string_view) = nullptr;  ///< in place of a policy of the user's own, too. Contract: one of `words`.
  int Design::*number = nullptr;
  int min = 0;
  int max = 0;
  std::optional<OwnPolicy> OwnPolicies::*own = nullptr;  ///< what may replace its words

  bool is_word() const { return number == nullptr; }
  /// The policy in place of a word; null for none.
  const OwnPolicy* own_policy(const Design& design) const { return own != nullptr && design.own.*own ? &*(design.own.*own) : nullptr; }
  /// Its value as tables write it; as files do, but for a policy of the user's own.
  std::string text(const Design& design) const {
    if (const OwnPolicy* const policy = own_policy(design)) return policy->text();
    return is_word() ? std::string(word(design)) : std::to_string(design.*number);
  }
  /// The same in the form of errors: words in quotes.
  std::string quoted(const Design& design) const { return is_word() ? "'" + text(design) + "'" : text(design); }
  bool is_default(const Design& design) const {
    static const Design plain;
    if (own_policy(design) != nullptr) return false;
    return is_word() ? word(design) == word(plain) : design.*number == plain.*number;
  }
};

/// All axes but `name`, `replay`, `parts` and `sets`, in the order of Design.
std::span<const AxisField> axis_fields();

/// Throws InputError if there is none of that name; the message lists them and the nearest.
const AxisField& axis_named(std::string_view name);

/// The control cores that hand out tasks under `design` on `machine`: none unless a dispatcher releases the tasks; all that
/// are neither resolvers nor orchestrators where the design does not say how many.
int dispatcher_count(const Design& design, const Machine& machine);
/// Those that submit tasks: none where the host builds the graph.
int orchestrator_count(const Design& design);

/// The compute cores of one device left for tasks under `design`, by CoreId: the machine's, less those the control cores occupy
/// (taken from the end of the largest group). Of several workers a core each has a CoreId of its own: the first workers of all cores come
/// before the second of any (core_of_worker).
std::vector<CoreType> worker_cores(const Design& design, const Machine& machine);

/// Whether the cores that a task for `type` needs start it at once under `gang`.
constexpr bool starts_together(Gang gang, CoreType type) {
  return gang == Gang::kTogether || (gang == Gang::kPartsApart && type != CoreType::kMix);
}

/// The core of a worker, with that many workers in all.
constexpr std::size_t core_of_worker(std::size_t worker, std::size_t workers, int per_core) {
  return per_core == 1 ? worker : worker % (workers / static_cast<std::size_t>(per_core));
}

/// All compute cores of one device of the machine, group after group: what shares of core time are taken of, whatever the design leaves for
/// tasks.
std::vector<CoreType> compute_cores(const Machine& machine);

/// Repeated for each device of the machine, device after device.
std::vector<CoreType> on_all_devices(const std::vector<CoreType>& cores, const Machine& machine);

/// Throws InputError naming the axis, if its values contradict each other or the machine cannot seat the design.
void check_design(const Design& design, const Machine& machine);

}  // namespace tasktwin
