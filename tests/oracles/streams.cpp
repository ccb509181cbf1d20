#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "models/cost/body_cost.hpp"
#include "models/cost/footprint.hpp"
#include "models/machine/clusters.hpp"
#include "tests/oracles/fluid.hpp"
#include "tests/oracles/pipeline.hpp"
#include "tests/oracles/simulation.hpp"
#include "tests/oracles/stream_host.hpp"

namespace tasktwin::oracles {

namespace {

class Reference {
 public:
  Reference(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed)
      : graph_(graph),
        machine_(machine),
        c_(machine),
        order_(graph.topological_order()),
        design_(design),
        host_(graph, machine, design),
        durations_(expected_durations(graph, machine)),
        queues_(design.hardware_queues > 0 ? design.hardware_queues : machine.launch_limits.hardware_queues),
        seed_(seed),
        fluid_(c_.memory->bandwidth, c_.memory->contention, any_ports() ? c_.memory->port_bandwidth : 0),
        cores_(worker_cores(design, machine)) {
    timeline_.tasks.resize(graph.size());
    for (std::size_t s = 0; s < host_.stream_count(); ++s) {
      timeline_.cores.push_back(machine.compute_cores.front().type);
      for (std::size_t p = order_.size(); p-- > 0;) {
        if (host_.stream(p) == s) timeline_.cores.back() = graph[order_[p]].core_type;
      }
    }
  }

  Timeline run() {
    begin_pass(TimePoint{}, TimePoint{});
    int replays = design_.replays;
    for (TimePoint now{}; ended_ < order_.size(); now += Duration{1}) {
      check_clock(now);
      if (now > TimePoint{}) pass(now);
      while (act(now)) {
        if (ended_ == order_.size() && --replays > 0) begin_pass(now, host_.meet(now));
      }
    }
    for (std::size_t p = 0; p < order_.size(); ++p) times(order_[p]).dispatched = host_.done(p);
    timeline_.on_streams = true;
    timeline_.compute_cores = compute_cores(machine_);
    timeline_.roles = {ControlRole::kHost};
    timeline_.runs = design_.replays;
    timeline_.dispatchers = {host_.busy()};
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      TimePoint& ready = timeline_.tasks[i].ready = graph_.in_degree(task_id(i)) == 0 ? ready_from_ : TimePoint{};
      for (const TaskId predecessor : graph_.predecessors(task_id(i))) ready = std::max(ready, times(predecessor).ended);
    }
    std::ranges::sort(timeline_.blocks, {}, [](const BlockTimes& b) { return std::tuple(b.task, b.core, b.started, b.ended); });
    return timeline_;
  }

 private:
  /// A block from the moment it is placed.
  struct Block {
    std::size_t place;          ///< of its kernel in the host's order
    CoreType type;              ///< its kernel's, or the other one
    std::vector<CoreId> cores;  ///< that it takes
    BodyCost cost;
    TimePoint started;  ///< kAbsent while it waits for its kernel's turn, or is in its prologue
    TimePoint ended = kAbsent;
    Duration alone{};   ///< what its body would take by itself
    bool gone = false;  ///< it has ended and made room
    // Of one that may stand beside others on its core:
    bool shares = false;
    bool flows = false;    ///< some of its bytes are to come
    long double left = 0;  ///< ns of its work, alone
    long double pace = 1;
    TimePoint due = kAbsent;  ///< when it begins: its body, or its prologue
    TimePoint prologue_ends = kAbsent;
  };

  TaskTimes& times(TaskId task) { return timeline_.tasks[index(task)]; }
  bool ended_by(std::size_t place, TimePoint now) const {
    const TimePoint end = timeline_.tasks[index(order_[place])].ended;
    return is_present(end) && end <= now;
  }

  /// When the last of the kernel's blocks has come to where it lets the next kernel come; nullopt while some have not begun.
  std::optional<TimePoint> trigger_of(std::size_t place) const {
    TimePoint last{};
    int begun = 0;
    for (const Block& block : blocks_) {
      if (block.place != place || !is_present(block.started)) continue;
      ++begun;
      last = std::max(last, trigger_of(block));
    }
    if (begun < graph_.traits(order_[place]).blocks) return std::nullopt;
    return last;
  }
  TimePoint trigger_of(const Block& block) const {
    const auto far = static_cast<int>(design_.programmatic_trigger);
    const TimePoint never_later = is_present(block.ended) ? block.ended : TimePoint{Duration{std::int64_t{1} << 50}};
    if (design_.programmatic_trigger == ProgrammaticTrigger::kEnd) return never_later;
    return std::min(never_later, block.started + block.alone * far / 4);
  }

  TimePoint end_of(std::size_t place) const { return timeline_.tasks[index(order_[place])].ended; }

  void begin_pass(TimePoint now, TimePoint gate) {
    gate_ = gate;
    ready_from_ = now;
    timeline_.blocks.clear();
    blocks_.clear();
    for (std::size_t p = 0; p < order_.size(); ++p) times(order_[p]) = {.core = core_id(host_.stream(p))};
    handed_over_.assign(order_.size(), kAbsent);
    arrived_.assign(order_.size(), false);
    came_.assign(order_.size(), false);
    came_at_.assign(order_.size(), kAbsent);
    placed_.assign(order_.size(), 0);
    ended_ = 0;
  }

  bool host_acts(TimePoint now) {
    std::vector<TimePoint> ends;
    for (std::size_t p = 0; p < order_.size(); ++p) ends.push_back(end_of(p));
    return host_.step(now, ends);
  }

  /// More urgent ones are smaller.
  int level(std::size_t place) const {
    const int levels = machine_.launch_limits.priorities;
    if (design_.stream_priorities == StreamPriorities::kNone) return 0;
    std::vector<std::int64_t> urgency;
    for (const TaskId task : order_)
      urgency.push_back(design_.stream_priorities == StreamPriorities::kTask ? graph_[task].priority : longest_way(task).count());
    const std::int64_t least = *std::ranges::min_element(urgency);
    const std::int64_t most = *std::ranges::max_element(urgency);
    return static_cast<int>((most - urgency[place]) * levels / (most - least + 1));
  }

  Duration longest_way(TaskId task) const {
    Duration after{0};
    for (const TaskId successor : graph_.successors(task)) after = std::max(after, longest_way(successor));
    return durations_[index(task)] + after;
  }

  /// When nothing but the device holds the kernel back any more; nullopt while that is not known.
  std::optional<TimePoint> startable(std::size_t place, TimePoint now) const {
    if (!is_present(host_.begun(place))) return std::nullopt;
    TimePoint at = std::max(gate_, host_.begun(place) + round_ns(c_.streams->launch_latency));
    const auto wait = [&](std::size_t other, Nanoseconds gap, Nanoseconds further = Nanoseconds{0}) {
      at = std::max(at, end_of(other) + round_ns(gap) + round_ns(further));
      return ended_by(other, now);
    };
    if (const auto other = host_.before(place, host_.stream_count())) {
      const bool function = design_.stream_wait == StreamWait::kCallback && host_.marked(*other);
      if (!wait(*other, host_.programmatic(place) ? c_.streams->programmatic_gap : c_.streams->gap,
                function ? c_.host_calls->callback_latency : Nanoseconds{0}))
        return std::nullopt;
    }
    if (design_.stream_wait == StreamWait::kEvents) {
      for (const std::size_t other : host_.awaited(place)) {
        if (!wait(other, c_.streams->event_gap)) return std::nullopt;
      }
    }
    for (std::size_t other = 0; design_.default_stream == DefaultStream::kLegacy && other < place; ++other) {
      const bool barrier = (host_.stream(other) == 0) != (host_.stream(place) == 0);
      if (barrier && !wait(other, c_.streams->event_gap)) return std::nullopt;
    }
    if (queues_ == 0) return at;
    if (const auto other = host_.before(place, static_cast<std::size_t>(queues_))) {
      if (!is_present(handed_over_[*other])) return std::nullopt;
      at = std::max(at, handed_over_[*other]);
    }
    return at;
  }

  /// When a programmatic one may come onto the device, to wait there.
  std::optional<TimePoint> comes(std::size_t place, TimePoint now) const {
    const auto other = host_.before(place, host_.stream_count());
    if (!is_present(host_.begun(place)) || !host_.programmatic(place)) return std::nullopt;
    const std::optional<TimePoint> trigger = trigger_of(*other);
    if (!trigger || *trigger > now) return std::nullopt;
    TimePoint at = std::max({gate_, host_.begun(place) + round_ns(c_.streams->launch_latency), *trigger});
    if (queues_ == 0) return at;
    if (const auto in_queue = host_.before(place, static_cast<std::size_t>(queues_))) {
      if (!is_present(handed_over_[*in_queue])) return std::nullopt;
      at = std::max(at, handed_over_[*in_queue]);
    }
    return at;
  }

  /// What begins by itself and what ends go first, then the device serves those that wait for it, then one more kernel joins them: the one
  /// that could first, of those the one launched first.
  bool act(TimePoint now) {
    if (begin_due(now)) return true;
    for (Block& block : blocks_) {
      if (block.gone || !is_present(block.ended) || block.ended > now) continue;
      leave(block, now);
      return true;
    }
    if (host_acts(now) || serve(now)) return true;
    std::optional<std::pair<TimePoint, std::size_t>> first;
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (arrived_[p]) continue;
      const std::optional<TimePoint> at = startable(p, now);
      if (at && *at <= now && (!first || std::pair(*at, p) < *first)) first = {*at, p};
    }
    if (first) {
      arrived_[first->second] = true;
      times(order_[first->second]).received = now;
      if (!came_[first->second]) waiting_.push_back(first->second);
      came_[first->second] = true;
      for (std::size_t i = 0; i < blocks_.size(); ++i) {
        Block& block = blocks_[i];
        if (block.place != first->second || is_present(block.started)) continue;
        block.due = is_present(block.due) ? std::min(block.due, now) : now;
      }
      return true;
    }
    for (std::size_t p = 0; p < order_.size(); ++p) {
      if (came_[p]) continue;
      const std::optional<TimePoint> at = comes(p, now);
      if (at && *at <= now && (!first || std::pair(*at, p) < *first)) first = {*at, p};
    }
    if (!first) return false;
    came_[first->second] = true;
    came_at_[first->second] = now;
    waiting_.push_back(first->second);
    return true;
  }

  /// What a kernel's blocks do by themselves before it needs its predecessors.
  Duration prologue(std::size_t p) const {
    return design_.programmatic_launch == ProgrammaticLaunch::kOn ? graph_.traits(order_[p]).prologue : Duration{0};
  }

  /// One block goes on.
  bool begin_due(TimePoint now) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      if (is_present(block.started) || !is_present(block.due) || block.due > now) continue;
      const Duration before = prologue(block.place);
      if (before > Duration{0} && !is_present(block.prologue_ends)) {
        block.prologue_ends = now + before;
        return true;
      }
      if (!arrived_[block.place] || (before > Duration{0} && block.prologue_ends > now)) continue;
      begin_block(i, now);
      return true;
    }
    return false;
  }

  /// When the block that was placed last begins: as the device brings it, or where it waits for others behind the trigger and its having
  /// room.
  void set_due(std::size_t p, TimePoint now) {
    Block& block = blocks_.back();
    if (arrived_[p]) {
      fed_ = std::max(fed_, static_cast<double>(to_ns(now)));
      block.due = now + round_ns(Nanoseconds{fed_ - static_cast<double>(to_ns(now))});
      fed_ += c_.launched_kernels->per_block.count();
    } else if (prologue(p) > Duration{0}) {
      block.due = std::max(came_at_[p] + round_ns(c_.streams->trigger_latency), now + round_ns(c_.streams->programmatic_gap));
    }
  }

  bool serve(TimePoint now) {
    bool changed = false;
    const int most = machine_.launch_limits.resident_kernels;
    while (!waiting_.empty() && (most == 0 || resident_ < most)) {
      const auto urgent = [this](std::size_t a, std::size_t b) { return level(a) < level(b); };
      const auto first = std::ranges::min_element(waiting_, urgent);
      handed_over_[*first] = now;
      on_device_.push_back(*first);
      std::ranges::stable_sort(on_device_, urgent);
      waiting_.erase(first);
      ++resident_;
      changed = true;
    }
    std::map<bool, std::set<CoreType>> taken_in;  // by kernels that go first, in the first share or not
    for (const std::size_t p : on_device_) {
      std::set<CoreType>& taken = taken_in[design_.partition > 0 && in_first_share(p)];
      while (placed_[p] < graph_.traits(order_[p]).blocks && place_block(p, taken, now)) changed = true;
      if (placed_[p] == graph_.traits(order_[p]).blocks) continue;
      for (const CoreType type : wanted(order_[p])) taken.merge(types_of(type));
    }
    return changed;
  }

  std::vector<CoreType> wanted(TaskId task) const {
    std::vector<CoreType> types{graph_[task].core_type};
    if (graph_.traits(task).other_type) types.push_back(*graph_.traits(task).other_type);
    return types;
  }

  std::set<CoreType> types_of(CoreType type) const {
    if (type != CoreType::kMix) return {type};
    std::set<CoreType> types;
    for (const auto& cluster : clusters(machine_.compute_cores, cores_)) {
      for (const CoreId core : cluster) types.insert(cores_[index(core)]);
    }
    return types;
  }

  bool place_block(std::size_t p, const std::set<CoreType>& taken, TimePoint now) {
    const TaskId task = order_[p];
    for (const CoreType type : wanted(task)) {
      if (std::ranges::any_of(types_of(type), [&](CoreType t) { return taken.contains(t); })) continue;
      const std::vector<CoreId> seat = type == CoreType::kMix ? free_cluster() : best_core(p, type);
      if (seat.empty()) continue;
      ++placed_[p];
      place_on(p, seat, type);
      set_due(p, now);
      return true;
    }
    return false;
  }

  bool any_ports() const {
    return std::ranges::any_of(machine_.compute_cores, [](const CoreGroup& group) { return !group.memory_ports.empty(); });
  }

  /// A port that no other core has, for a core of which none is told.
  std::size_t port_of(CoreId core) const {
    const auto before = static_cast<std::size_t>(std::count(cores_.begin(), cores_.begin() + index(core), cores_[index(core)]));
    for (const CoreGroup& group : machine_.compute_cores) {
      if (group.type == cores_[index(core)] && before < group.memory_ports.size())
        return static_cast<std::size_t>(group.memory_ports[before]);
    }
    return 1'000'000 + index(core);
  }

  void place_on(std::size_t p, const std::vector<CoreId>& seat, CoreType type) {
    note_division(seat, p, type);
    blocks_.push_back({p, type, seat, {}, kAbsent});
  }

  void begin_block(std::size_t number, TimePoint now) {
    const std::size_t p = blocks_[number].place;
    if (!is_present(times(order_[p]).started)) times(order_[p]).started = now;
    Block block{p, blocks_[number].type, blocks_[number].cores, body_cost(machine_, graph_, order_[p], blocks_[number].type, seed_), now};
    for (const std::int64_t bytes : graph_.input_bytes(order_[p])) block.cost.bytes.count += bytes;
    block.cost.overhead += round_ns(c_.launched_kernels->body) - prologue(p);
    block.shares = !takes_all(p, block.type) && blocks_differ(machine_, graph_);
    if (block.shares) {
      block.cost = in_stated_block(machine_, graph_, order_[p], block.cost);
      block.left = static_cast<long double>(to_ns(block.cost.fixed));
    }
    block.alone = block.cost.alone(machine_);
    block.flows = block.cost.bytes.count > 0 && c_.memory->bandwidth > 0 && c_.memory->core_bandwidth > 0;
    if (block.flows) {
      fluid_.add(number, static_cast<double>(block.cost.bytes.count), block.cost.alone_rate(*c_.memory), port_of(block.cores.front()));
    } else if (!block.shares) {
      block.ended = now + block.cost.fixed + block.cost.overhead;
    }
    blocks_[number] = block;
    if (!block.shares) return;
    set_paces(block.cores.front());
    end_if_done(blocks_[number], now);
  }

  static void end_if_done(Block& block, TimePoint now) {
    if (!block.flows && block.left <= 1e-6L && !is_present(block.ended)) block.ended = now + block.cost.overhead;
  }

  long double issue_of(const Block& block) const {
    const KernelCost& kernel = machine_.kernel_cost(graph_[order_[block.place]].kernel);
    const int warps = (threads_of(graph_.traits(order_[block.place])) + 31) / 32;
    return kernel.warp_issue > 0 ? std::min<long double>(kernel.issue, warps * static_cast<long double>(kernel.warp_issue)) : kernel.issue;
  }

  long double reading_of(const Block& block) const {
    if (block.cost.bytes.count == 0 || c_.memory->core_bandwidth <= 0) return 0;
    return block.cost.alone_rate(*c_.memory) / c_.memory->core_bandwidth;
  }

  /// Blocks on one core get on more slowly by what the shares of anything that they take add up to beyond all of it.
  void set_paces(CoreId core) {
    long double issue = 0;
    long double reading = 0;
    for (const Block* block : blocks_on(core)) {
      if (!is_present(block->started)) continue;
      issue += issue_of(*block);
      reading += reading_of(*block);
    }
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      Block& block = blocks_[i];
      if (block.gone || !block.shares || !is_present(block.started) || block.cores.front() != core) continue;
      block.pace = 1 / std::max({1.0L, issue_of(block) > 0 ? issue : 0.0L, reading_of(block) > 0 ? reading : 0.0L});
      if (block.flows) fluid_.set_rate(i, static_cast<double>(block.pace * block.cost.alone_rate(*c_.memory)));
    }
  }

  /// What the first block on a core makes of it stays so until it is empty.
  void note_division(const std::vector<CoreId>& seat, std::size_t p, CoreType type) {
    if (takes_all(p, type) || !blocks_on(seat.front()).empty()) return;
    divided_[index(seat.front())] = carveout_of(p).chosen;
  }

  Carveout carveout_of(std::size_t p) const {
    const CoreLimits& limits = machine_.core_limits;
    const std::array<std::int64_t, 4> taken = taken_by(graph_.traits(order_[p]));
    const std::array<std::int64_t, 3> most{limits.blocks, limits.threads, limits.registers};
    std::int64_t blocks = 1'000'000;
    for (std::size_t r = 0; r < most.size(); ++r) {
      if (most[r] > 0 && taken[r] > 0) blocks = std::min(blocks, most[r] / taken[r]);
    }
    return carveout(limits, taken[3], blocks, graph_.traits(order_[p]).carveout);
  }

  /// What a kernel's block takes of a core: blocks, threads, registers, bytes of shared memory.
  std::array<std::int64_t, 4> taken_by(const TaskTraits& traits) const {
    const std::int64_t warps = (threads_of(traits) + 31) / 32;
    const std::int64_t per_thread = (traits.registers + 7) / 8 * 8;
    return {1, 32 * warps, 32 * warps * per_thread, traits.shared_memory + machine_.core_limits.reserved};
  }
  /// Of a task that states what its blocks take.
  static int threads_of(const TaskTraits& traits) { return traits.threads > 0 ? traits.threads : 256; }
  bool takes_all(std::size_t p, CoreType type) const {
    const TaskTraits& traits = graph_.traits(order_[p]);
    return type == CoreType::kMix || (traits.threads == 0 && traits.registers == 0 && traits.shared_memory == 0);
  }

  std::vector<const Block*> blocks_on(CoreId core) const {
    std::vector<const Block*> blocks;
    for (const Block& block : blocks_) {
      if (!block.gone && std::ranges::count(block.cores, core) > 0) blocks.push_back(&block);
    }
    return blocks;
  }

  /// Arithmetic on tiles.
  bool in_first_share(std::size_t p) const {
    const std::set<Kernel> tiles{Kernel::kFma, Kernel::kPotrf, Kernel::kTrsm, Kernel::kSyrk, Kernel::kGemm};
    return tiles.contains(graph_[order_[p]].kernel);
  }

  /// Whether the kernel's share of the cores of this type has the core: the first are as many as it takes to be whole groups and no
  /// less than what the design asks for.
  bool in_share_of(std::size_t p, std::size_t core) const {
    if (design_.partition == 0) return true;
    const auto of_type = std::ranges::count(cores_, cores_[core]);
    const auto lower = std::count(cores_.begin(), cores_.begin() + static_cast<std::ptrdiff_t>(core), cores_[core]);
    std::ptrdiff_t first = 0;
    while (100 * first < design_.partition * of_type) first += std::max(1, machine_.launch_limits.partition_granularity);
    return (lower < first) == in_first_share(p);
  }

  std::vector<CoreId> best_core(std::size_t p, CoreType type) const {
    std::vector<CoreId> best;
    for (std::size_t i = 0; i < cores_.size(); ++i) {
      if (cores_[i] != type || !in_share_of(p, i) || !has_room(core_id(i), p, type)) continue;
      if (best.empty() || blocks_on(core_id(i)).size() < blocks_on(best.front()).size()) best = {core_id(i)};
    }
    return best;
  }

  bool has_room(CoreId core, std::size_t p, CoreType type) const {
    const std::vector<const Block*> there = blocks_on(core);
    if (takes_all(p, type)) return there.empty();
    if (std::ranges::any_of(there, [this](const Block* block) { return takes_all(block->place, block->type); })) return false;
    const CoreLimits& limits = machine_.core_limits;
    const std::array<std::int64_t, 4> most{limits.blocks, limits.threads, limits.registers, limits.shared_memory};
    std::array<std::int64_t, 4> sum = taken_by(graph_.traits(order_[p]));
    for (const Block* block : there) {
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += taken_by(graph_.traits(order_[block->place]))[r];
    }
    for (std::size_t r = 0; r < sum.size(); ++r) {
      if (most[r] > 0 && sum[r] > most[r]) return false;
    }
    if (there.empty() || limits.carveouts.empty()) return true;
    const Carveout wanted = carveout_of(p);
    const std::int64_t divided = divided_.at(index(core));
    return divided >= wanted.least && divided <= wanted.most && sum[3] <= divided;
  }

  std::vector<CoreId> free_cluster() const {
    for (const auto& cluster : clusters(machine_.compute_cores, cores_)) {
      if (std::ranges::all_of(cluster, [this](CoreId core) { return blocks_on(core).empty(); })) return cluster;
    }
    return {};
  }

  void leave(Block& block, TimePoint now) {
    block.gone = true;
    if (block.shares) set_paces(block.cores.front());
    const TaskId task = order_[block.place];
    const int blocks = graph_.traits(task).blocks;
    for (const CoreId core : block.cores) timeline_.blocks.push_back({task, core, block.started, block.ended, kAbsent});
    const auto gone = std::ranges::count_if(blocks_, [&](const Block& b) { return b.place == block.place && b.gone; });
    if (gone < blocks) return;
    times(task).ended = now;
    std::erase(on_device_, block.place);
    --resident_;
    ++ended_;
  }

  void pass(TimePoint now) {
    for (Block& block : blocks_) {
      if (block.shares && block.left > 1e-6L) block.left -= block.pace;
    }
    const std::vector<std::size_t> through = fluid_.pass();
    for (const std::size_t flow : through) blocks_[flow].flows = false;
    for (Block& block : blocks_) {
      if (block.shares) end_if_done(block, now);
    }
    for (const std::size_t flow : through) {
      Block& block = blocks_[flow];
      if (block.shares) continue;
      block.ended = std::max(now, block.started + block.cost.fixed) + block.cost.overhead;
    }
  }

  const TaskGraph& graph_;
  const Machine& machine_;
  const Machine& c_;
  const std::vector<TaskId>& order_;
  const Design& design_;
  StreamHost host_;
  std::vector<Duration> durations_;  ///< expected
  int queues_;
  std::uint64_t seed_;
  Fluid fluid_;
  std::vector<CoreType> cores_;
  TimePoint gate_{};        ///< no kernel of this pass starts before
  TimePoint ready_from_{};  ///< the pass before had ended
  std::vector<TimePoint> handed_over_;
  std::vector<bool> arrived_;
  std::vector<bool> came_;
  std::vector<TimePoint> came_at_;
  double fed_ = 0;                      ///< when the device can bring the next block, in ns
  std::vector<std::size_t> waiting_;    ///< to be handed over
  std::vector<std::size_t> on_device_;  ///< in the order of their hand-over
  std::vector<int> placed_;             ///< blocks
  std::vector<Block> blocks_;
  std::map<std::size_t, std::int64_t> divided_;  ///< by core on which a block stands: bytes of shared memory
  int resident_ = 0;
  std::size_t ended_ = 0;
  Timeline timeline_;
};

}  // namespace

Timeline simulate_streams(const TaskGraph& graph, const Machine& machine, const Design& design, std::uint64_t seed) {
  return Reference(graph, machine, design, seed).run();
}

}  // namespace tasktwin::oracles
