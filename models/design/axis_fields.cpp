#include <algorithm>

#include "models/base/error.hpp"
#include "models/design/design.hpp"

namespace tasktwin {

namespace {

constexpr std::optional<OwnPolicy> OwnPolicies::*kNoOwn = nullptr;

template <auto Axis, std::optional<OwnPolicy> OwnPolicies::*Own = kNoOwn>
AxisField word_axis(std::string_view name, std::string_view meaning) {
  using E = std::remove_reference_t<decltype(std::declval<Design&>().*Axis)>;
  static constexpr auto words = all_words<E>();
  static constexpr auto meanings = all_meanings<E>();
  return {.name = name,
          .meaning = meaning,
          .words = words,
          .meanings = meanings,
          .word = [](const Design& design) { return to_word(design.*Axis); },
          .set_word =
              [](Design& design, std::string_view word) {
                design.*Axis = *from_word<E>(word);
                if constexpr (Own != kNoOwn) (design.own.*Own).reset();
              },
          .own = Own};
}

AxisField number_axis(std::string_view name, std::string_view meaning, int Design::*number, int min, int max) {
  return {.name = name, .meaning = meaning, .number = number, .min = min, .max = max};
}

constexpr int kMaxControlCores = 1024;
constexpr int kMany = 1'000'000;

}  // namespace

std::span<const AxisField> axis_fields() {
  static const std::vector<AxisField> fields{
      word_axis<&Design::driver>("driver", "what starts the work"),
      word_axis<&Design::release>("release", "who finds out that a task's predecessors are done"),
      word_axis<&Design::ready_queue>("ready_queue", "where ready tasks wait for a core"),
      word_axis<&Design::order, &OwnPolicies::order>("order", "which ready task goes first"),
      word_axis<&Design::placement, &OwnPolicies::placement>("placement", "which core a task goes to"),
      number_axis("streams", "streams in use", &Design::streams, 1, kMaxStreams),
      word_axis<&Design::stream_granularity>("stream_granularity", "which stream a kernel is launched into"),
      number_axis("hardware_queues", "hardware queues that streams share; 0 for the machine's", &Design::hardware_queues, 0, kMaxStreams),
      word_axis<&Design::stream_wait>("stream_wait", "how predecessors in other streams are waited for"),
      word_axis<&Design::default_stream>("default_stream", "what CUDA's default stream has to do with stream 0"),
      word_axis<&Design::stream_priorities>("stream_priorities", "which of the kernels that wait for room goes first"),
      word_axis<&Design::graph_source>("graph_source", "how a CUDA graph comes to be"),
      word_axis<&Design::graph_update>("graph_update", "what is done to a CUDA graph before it is launched again"),
      word_axis<&Design::graph_predicates>("graph_predicates", "what a CUDA graph makes of a task with a predicate"),
      word_axis<&Design::programmatic_launch>("programmatic_launch", "programmatic dependent launch: start before the predecessor ends"),
      word_axis<&Design::programmatic_trigger>("programmatic_trigger", "where in its body a kernel lets the next one come onto the device"),
      number_axis("replays", "times the graph is run in one run, one after the other", &Design::replays, 1, kMaxReplays),
      number_axis("partition", "per cent of the cores for matrix kernels, at least; the others for the rest; 0 for all for all",
                  &Design::partition, 0, 99),
      word_axis<&Design::allocator>("allocator", "who gives out device memory"),
      word_axis<&Design::release_threshold>("release_threshold", "how much unused memory a pool keeps when the host synchronises"),
      word_axis<&Design::pool_reuse>("pool_reuse", "which freed memory a pool gives to other streams"),
      word_axis<&Design::record_stream>("record_stream", "what a cache of memory knows of the streams that use a buffer"),
      word_axis<&Design::segments>("segments", "what a cache of memory asks the device for"),
      number_axis("max_split_mib", "blocks of a cache of at least this many MiB stay whole; 0 for no limit", &Design::max_split_mib, 0,
                  1 << 20),
      word_axis<&Design::launch_mode>("launch_mode", "how a scheduler kernel launches graphs"),
      number_axis("pending_launches", "launches that may wait on the device at a time; 0 for CUDA's 2048", &Design::pending_launches, 0,
                  1 << 20),
      number_axis("dispatchers", "control cores that hand out tasks; 0 for all left", &Design::dispatchers, 0, kMaxControlCores),
      number_axis("resolvers", "control cores that resolve for the dispatchers", &Design::resolvers, 0, kMaxControlCores),
      number_axis("orchestrators", "control cores that build the graph on the device", &Design::orchestrators, 1, kMaxControlCores),
      word_axis<&Design::ownership>("ownership", "which dispatcher looks after a compute core"),
      word_axis<&Design::loop>("loop", "what a dispatcher does between two hand-overs"),
      word_axis<&Design::sweep>("sweep", "which cores a dispatcher polls"),
      word_axis<&Design::claim>("claim", "how many tasks one operation on a ready queue takes"),
      number_axis("claim_size", "tasks a claim, or the least a guided one takes", &Design::claim_size, 1, kMany),
      number_axis("shards", "shards of a sharded queue; 0 for one a dispatcher or worker", &Design::shards, 0, kMany),
      number_axis("static_percent", "share of the tasks that is placed beforehand", &Design::static_percent, 0, 100),
      word_axis<&Design::stealing, &OwnPolicies::stealing>("stealing", "how much is taken from another's ready queue"),
      number_axis("steal_batch", "tasks stolen at once, where stealing is 'batch'", &Design::steal_batch, 1, kMany),
      word_axis<&Design::victim, &OwnPolicies::victim>("victim", "whom a thief tries first"),
      word_axis<&Design::head_of_line>("head_of_line", "which ready tasks keep those for other types of core waiting"),
      number_axis("workers_per_core", "resident workers that share a core", &Design::workers_per_core, 1, kMaxWorkersPerCore),
      number_axis("mailbox_depth", "tasks a core may hold, the running one included", &Design::mailbox_depth, 1, kMaxMailboxDepth),
      word_axis<&Design::fill, &OwnPolicies::fill>("fill", "when a core that holds a task is given a further one"),
      word_axis<&Design::early_dispatch>("early_dispatch", "whether a task may be handed over before its predecessors are done"),
      word_axis<&Design::early_bound>("early_bound", "which cores early_limit counts"),
      number_axis("early_limit", "cores that may hold tasks which cannot start yet, at a time", &Design::early_limit, 1, kNoEarlyLimit),
      word_axis<&Design::early_order>("early_order", "which of the tasks that may be handed over early goes first"),
      number_axis("prefetch", "further tasks of its list whose constant inputs a worker loads during bodies; 0: bodies read them",
                  &Design::prefetch, 0, kMaxPrefetch),
      word_axis<&Design::gang>("gang", "how a task that needs several cores starts"),
      word_axis<&Design::fallback>("fallback", "what becomes of a task that workers cannot arrange among themselves"),
      word_axis<&Design::output_flush>("output_flush", "who waits for a task's output to land in memory"),
      word_axis<&Design::device_placement>("device_placement", "which device a task goes to that names none"),
      word_axis<&Design::peer_data>("peer_data", "how bytes on an edge between two devices get across"),
      word_axis<&Design::collective>("collective", "the way that collectives take"),
      number_axis("collective_blocks", "blocks of a collective's rank at most, each of which takes a core; 0 for the machine's",
                  &Design::collective_blocks, 0, kMaxCollectiveBlocks),
      word_axis<&Design::launching>("launching", "which threads of the host launch for several devices"),
      word_axis<&Design::graph_build>("graph_build", "who makes the tasks known, and when"),
      word_axis<&Design::host_build>("host_build", "whether a run begins with the host building the graph"),
      number_axis("window", "tasks submitted and not yet retired at a time; 0 for any number", &Design::window, 0, 1 << 30),
      number_axis("heap_kib", "KiB of the ring that holds what tasks submitted and not yet retired put out; 0 for any number",
                  &Design::heap_kib, 0, 1 << 30),
      number_axis("dependency_pool", "dependencies of tasks submitted and not yet retired at a time; 0 for any number",
                  &Design::dependency_pool, 0, 1 << 30),
      number_axis("spin_limit_us", "an orchestrator that waits longer than this many us for room ends the run as an error; 0 for never",
                  &Design::spin_limit_us, 0, 1'000'000'000),
      word_axis<&Design::notification>("notification", "how a waiting worker learns that predecessors are done"),
      word_axis<&Design::own_list>("own_list", "how a worker learns that tasks before in its own list are done"),
      word_axis<&Design::prologues>("prologues", "when a worker does the part of a task that needs no predecessor"),
      number_axis("backoff_ns", "extra polling delay of a waiting processor, drawn uniformly from 0 to this", &Design::backoff_ns, 0,
                  1'000'000'000),
      word_axis<&Design::termination>("termination", "how workers learn that nothing is left"),
  };
  return fields;
}

const AxisField& axis_named(std::string_view name) {
  const auto axes = axis_fields();
  const auto found = std::ranges::find(axes, name, &AxisField::name);
  if (found != axes.end()) return *found;
  std::vector<std::string_view> names;
  for (const AxisField& axis : axes) names.push_back(axis.name);
  throw InputError("unknown axis '" + std::string(name) + "'" + suggest(name, names));
}

}  // namespace tasktwin
