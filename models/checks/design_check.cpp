#include <algorithm>
#include <set>

#include "models/base/error.hpp"
#include "models/checks/mechanisms.hpp"
#include "models/checks/task_window.hpp"
#include "models/design/core_shares.hpp"
#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

namespace {

/// The refusals of one design. Each check is a sentence of the design space.
class Check {
 public:
  Check(const Design& design, const Machine& machine) : d_(design), machine_(machine) {}

  void all() const {
    ranges();
    runtime_of(d_);
    streams_in_use();
    sets();
    conditional_nodes();
    placement();
    control_cores();
    parts();
    workers_beside();
    check_axes(d_);
    devices();
    if (worker_cores(d_, machine_).empty()) refuse("machine '" + machine_.name + "' leaves no compute core for tasks");
    check_mechanisms(d_, machine_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { throw InputError("design '" + d_.name + "': " + why); }
  template <class E>
  static std::string value(E axis) {
    return "'" + std::string(to_word(axis)) + "'";
  }

  void ranges() const {
    for (const AxisField& field : axis_fields()) {
      if (field.is_word()) continue;
      const int number = d_.*field.number;
      if (number >= field.min && number <= field.max) continue;
      refuse(std::string(field.name) + " is " + std::to_string(number) + "; it must be " + std::to_string(field.min) + " to " +
             std::to_string(field.max));
    }
  }

  void streams_in_use() const {
    if (d_.programmatic_launch == ProgrammaticLaunch::kOn && d_.default_stream == DefaultStream::kLegacy)
      refuse("programmatic_launch 'on' cannot have default_stream 'legacy', under which kernels wait for other streams before they come");
    if (d_.stream_priorities != StreamPriorities::kNone && machine_.launch_limits.priorities < 2)
      refuse("stream_priorities " + value(d_.stream_priorities) + " has no effect on machine '" + machine_.name +
             "', which states fewer than two launch priorities");
    if (d_.partition != 0 && streams()) shares();
    if (streams() && d_.stream_wait == StreamWait::kProgram) program();
  }

  /// A program that is replayed has said all of it.
  void program() const {
    const auto must = [&](bool is, const std::string& axis, const std::string& found, const std::string& right) {
      if (!is) refuse("stream_wait 'program' makes the calls that were captured, which needs " + axis + " " + right + ", not " + found);
    };
    must(d_.stream_granularity == StreamGranularity::kHinted, "stream_granularity", value(d_.stream_granularity), "'hinted'");
    must(d_.default_stream == DefaultStream::kNone, "default_stream", value(d_.default_stream), "'none'");
    must(d_.programmatic_launch == ProgrammaticLaunch::kOff, "programmatic_launch", value(d_.programmatic_launch), "'off'");
    must(d_.replays == 1, "replays", std::to_string(d_.replays), "1");
  }

  /// What CUDA allows of graphs with conditional nodes.
  void conditional_nodes() const {
    if (d_.driver != Driver::kCudaGraph || d_.graph_predicates == GraphPredicates::kKernel) return;
    const std::string with = "graph_predicates " + value(d_.graph_predicates) + " cannot have ";
    if (d_.graph_source == GraphSource::kCapture)
      refuse(with + "graph_source 'capture': the streams that are captured have kernels only, no conditional nodes");
    if (d_.graph_update != GraphUpdate::kNone)
      refuse(with + "graph_update " + value(d_.graph_update) +
             ": a conditional node is not changed in place, and of its graph there is one instantiation at a time");
    if (d_.programmatic_launch == ProgrammaticLaunch::kOn)
      refuse(with + "programmatic_launch 'on': no kernel comes onto the device early behind a conditional node, or in its body");
  }

  void shares() const {
    if (d_.default_stream != DefaultStream::kNone)
      refuse("partition cannot have default_stream " + value(d_.default_stream) + ", a stream that belongs to no share of the cores");
    const std::string divided = "partition is " + std::to_string(d_.partition) + ", but ";
    if (machine_.has_clusters())
      refuse(divided + "the cores of machine '" + machine_.name + "' stand in clusters, which cannot be divided; leave it out");
    const std::vector<CoreType> cores = worker_cores(d_, machine_);
    for (const CoreType type : std::set(cores.begin(), cores.end())) {
      const auto count = static_cast<int>(std::ranges::count(cores, type));
      const int first = first_share(count, d_, machine_);
      if (first < count) continue;
      refuse(divided + "of the " + std::to_string(count) + " cores of type " + value(type) + " of machine '" + machine_.name +
             "' that leaves none for the second share: the first takes a multiple of " +
             std::to_string(std::max(1, machine_.launch_limits.partition_granularity)));
    }
  }

  void sets() const {
    if (d_.sets.empty()) return;
    if (!streams() && d_.driver != Driver::kCudaGraph)
      refuse("sets are of kernels in streams or graphs; they need driver 'streams' or 'cuda_graph', not " + value(d_.driver));
    if (d_.partition != 0) refuse("partition is " + std::to_string(d_.partition) + " beside sets, which divide the cores as well; use 0");
    if (d_.default_stream != DefaultStream::kNone)
      refuse("sets cannot have default_stream " + value(d_.default_stream) + ", a stream that belongs to no set");
    if (d_.sets.size() >= static_cast<std::size_t>(kMostShares))
      refuse("there are " + std::to_string(d_.sets.size()) + " sets; at most " + std::to_string(kMostShares - 1) + " are simulated");
    const std::vector<CoreType> cores = worker_cores(d_, machine_);
    if (std::ranges::adjacent_find(cores, std::ranges::not_equal_to{}) != cores.end())
      refuse("sets are of cores of one type, and machine '" + machine_.name + "' has several");
    for (std::size_t i = 0; i < d_.sets.size(); ++i) set(i, static_cast<int>(cores.size()));
  }

  static std::string range(const NamedCores& set) {
    return "cores " + std::to_string(set.cores.front()) + " to " + std::to_string(set.cores.back());
  }

  void set(std::size_t number, int cores) const {
    const NamedCores& set = d_.sets[number];
    const std::string named = "sets: '" + set.name + "' ";
    const auto [first, last] = set.cores;
    if (first < 0 || first > last || last >= cores)
      refuse(named + "has " + range(set) + ", but machine '" + machine_.name + "' has " + std::to_string(cores) + " for tasks, 0 to " +
             std::to_string(cores - 1));
    for (std::size_t i = 0; i < number; ++i) {
      const NamedCores& other = d_.sets[i];
      if (other.name == set.name) refuse("sets: the name '" + set.name + "' stands twice");
      if (first <= other.cores.back() && other.cores.front() <= last)
        refuse("sets: '" + other.name + "' and '" + set.name + "' overlap: both have core " +
               std::to_string(std::max(first, other.cores.front())) + " (" + range(other) + ", and " + range(set) + ")");
    }
    const int unit = std::max(1, machine_.launch_limits.partition_granularity);
    if (set.count() % unit != 0 && last + 1 < cores) {
      std::vector<std::string> choices;
      if (set.count() > unit) choices.push_back(std::to_string(set.count() / unit * unit));
      if (const int more = (set.count() / unit + 1) * unit; first + more <= cores) choices.push_back(std::to_string(more));
      std::string text;
      for (const std::string& choice : choices) text += (text.empty() ? "" : " or ") + choice;
      refuse(named + "has " + std::to_string(set.count()) + " cores, but machine '" + machine_.name + "' sets multiples of " +
             std::to_string(unit) + " apart: " + (text.empty() ? "" : text + ", or ") + "all up to the last");
    }
    if (!set.streams.empty() && d_.driver == Driver::kCudaGraph && d_.graph_source != GraphSource::kCapture)
      refuse(named + "names streams, but the nodes of a graph are in none: it needs graph_source 'capture', or kinds or layers");
    for (const int stream : set.streams) {
      if (stream >= 0 && stream < d_.streams) continue;
      refuse(named + "names stream " + std::to_string(stream) + "; the design has streams 0 to " + std::to_string(d_.streams - 1));
    }
    if (set.layers && set.layers->front() > set.layers->back())
      refuse(named + "has layers " + std::to_string(set.layers->front()) + " to " + std::to_string(set.layers->back()) +
             "; the first is above the last");
  }

  void placement() const {
    if (is_static(d_.placement) && (d_.order != TaskOrder::kFifo || d_.own.order) && d_.ready_queue != ReadyQueue::kPerWorkerAndShared)
      refuse("order must be 'fifo' where the placement is frozen, not " + axis_named("order").quoted(d_));
    if ((d_.placement == Placement::kReplay) == d_.replay.empty()) {
      refuse(d_.replay.empty() ? "placement 'replay' needs 'replay', the file to follow: a table with the columns task and core, or a "
                                 "timeline as --timeline writes it"
                               : "replay names a timeline, but placement is " + value(d_.placement) + ", not 'replay'");
    }
  }

  void control_cores() const {
    const int orchestrators = orchestrator_count(d_);
    const int count = machine_.control_cores.count;
    if (dispatched() && count == 0) refuse("machine '" + machine_.name + "' has no control cores for a dispatcher");
    if (orchestrators > 0 && count == 0) refuse("machine '" + machine_.name + "' has no control cores for an orchestrator");
    if (d_.fallback != Fallback::kNone && orchestrators >= count)
      refuse("fallback " + value(d_.fallback) + " is to control cores, but machine '" + machine_.name + "' has " + std::to_string(count) +
             (orchestrators > 0 ? ", and orchestrators is " + std::to_string(orchestrators) : "") + ": nothing would take such a task");
    const int fixed = (dispatched() ? std::max(1, d_.dispatchers) : 0) + d_.resolvers + orchestrators;
    if (fixed <= count || (!dispatched() && orchestrators == 0)) return;
    std::string sum = "dispatchers is " + std::to_string(d_.dispatchers);
    if (d_.resolvers > 0) sum += ", resolvers " + std::to_string(d_.resolvers);
    if (orchestrators > 0) sum += ", orchestrators " + std::to_string(orchestrators);
    refuse(sum + ", but machine '" + machine_.name + "' has " + std::to_string(count) + " control cores");
  }

  /// Parts say which tasks are listed and which wait in the shared queue, so there must be both.
  void parts() const {
    if (d_.parts.empty()) return;
    if (d_.release != Release::kCounters || d_.ready_queue != ReadyQueue::kPerWorkerAndShared) {
      refuse(
          "parts need release 'counters' and ready_queue 'per_worker_and_shared', under which some tasks are listed beforehand and "
          "others are not; they are release " +
          value(d_.release) + " and ready_queue " + value(d_.ready_queue));
    }
    for (std::size_t i = 0; i < d_.parts.size(); ++i) part(d_.parts[i], "parts[" + std::to_string(i) + "]");
  }

  void part(const DesignPart& part, const std::string& path) const {
    const auto among = [&](auto axis, auto one, auto other, const std::string& name) {
      if (axis && *axis != one && *axis != other)
        refuse(path + "." + name + " is " + value(*axis) + "; a part has " + value(one) + " or " + value(other));
    };
    among(part.ready_queue, ReadyQueue::kPerWorker, ReadyQueue::kShared, "ready_queue");
    among(part.placement, Placement::kAnyIdle, d_.placement, "placement");
    among(part.release, Release::kCounters, Release::kBarrier, "release");
    if (!part.ready_queue && !part.placement && !part.release) refuse(path + " changes nothing; it sets ready_queue, placement or release");
    if (part.ready_queue == ReadyQueue::kShared && part.placement && part.placement != Placement::kAnyIdle)
      refuse(path + ": ready_queue 'shared' cannot have placement " + value(*part.placement) + ", which fills lists beforehand");
    if (part.layers && part.layers->front() > part.layers->back())
      refuse(path + ".layers: " + std::to_string(part.layers->front()) + " is above " + std::to_string(part.layers->back()));
    if (part.release != Release::kBarrier) return;
    if (!part.kinds.empty()) refuse(path + ": release 'barrier' is for all tasks of a layer; leave kinds out");
    if (d_.placement == Placement::kReplay)
      refuse(path + ": release 'barrier' adds tasks to the graph, which the timeline of placement 'replay' does not have");
  }

  /// Restrictions on workers that share a core.
  void workers_beside() const {
    if (d_.workers_per_core == 1) return;
    const std::string several = "workers_per_core is " + std::to_string(d_.workers_per_core) + ", which cannot have ";
    if (d_.prefetch > 0)
      refuse(several + "prefetch " + std::to_string(d_.prefetch) + ": a ring of pages takes the shared memory of a whole core; use 0");
    if (!d_.parts.empty()) refuse(several + "parts: mixed designs have one worker a core; leave one of the two out");
    if (machine_.devices.count() > 1)
      refuse(several + "the " + std::to_string(machine_.devices.count()) + " devices of machine '" + machine_.name +
             "': over several devices a core has one worker; use 1");
  }

  /// What counts on several devices only, and what is known of several.
  void devices() const {
    const Devices& devices = machine_.devices;
    if (devices.count() == 1) {
      for (const std::string_view name : {"device_placement", "peer_data", "collective", "collective_blocks", "launching"}) {
        const AxisField& field = axis_named(name);
        if (field.text(d_) == field.text(Design{})) continue;
        refuse(field.quoted(d_) + " as " + std::string(name) + " has no effect here: machine '" + machine_.name +
               "' has one device; leave it out, or take a machine of several");
      }
      return;
    }
    const auto must = [&](bool is, const std::string& what, const std::string& why) {
      if (!is)
        refuse("on the " + std::to_string(devices.count()) + " devices of machine '" + machine_.name + "' it needs " + what + ": " + why);
    };
    const bool lists = d_.driver == Driver::kPersistent && in_list_order(d_);
    must(streams() || d_.driver == Driver::kCudaGraph || lists,
         "driver 'streams' or 'cuda_graph', or 'persistent' with release 'counters', ready_queue 'per_worker' and a static placement",
         "what driver " + value(d_.driver) + " with release " + value(d_.release) + " does over several devices is not simulated");
    if (lists) {
      must(d_.notification == Notification::kCounter, "notification 'counter'", "workers of another device are told by counters");
      must(d_.placement != Placement::kReplay, "another placement than 'replay'", "each device's tasks are placed by themselves");
      must(d_.graph_build == GraphBuild::kHost, "graph_build 'host'", "an orchestrator is of one device");
      must(d_.prefetch == 0, "prefetch 0", "loads beside bodies are simulated on one device");
    }
    must(d_.stream_wait != StreamWait::kProgram, "another stream_wait than 'program'", "a host program launches for one device");
    must(d_.default_stream != DefaultStream::kLegacy, "another default_stream than 'legacy'",
         "a legacy default stream is one device's, and its barriers across devices are not simulated");
    must(d_.graph_predicates == GraphPredicates::kKernel, "graph_predicates 'kernel'", "conditional nodes are simulated on one device");
    must(d_.programmatic_launch == ProgrammaticLaunch::kOff, "programmatic_launch 'off'", "kernels of two devices do not come early");
    if (d_.launching == Launching::kThreadPerDevice) {
      must(d_.stream_wait == StreamWait::kEvents, "stream_wait 'events' with launching 'thread_per_device'",
           "threads that wait for kernels of others' devices are not simulated");
      must(d_.replays == 1, "replays 1 with launching 'thread_per_device'", "how threads meet between replays is not simulated");
    }
    if (devices.nodes > 1)
      must(d_.launching == Launching::kThreadPerDevice, "driver 'streams' with launching 'thread_per_device'",
           "its devices are in " + std::to_string(devices.nodes) + " hosts, which no single thread and no single graph reaches");
    check_section(machine_, "peers", "design '" + d_.name + "' on several devices");
    if (devices.nodes > 1) check_section(machine_, "network", "design '" + d_.name + "' on devices of several hosts");
    const auto positive = [&](double value, const std::string& key) {
      if (value <= 0) refuse("machine '" + machine_.name + "' has several devices, and its " + key + " is 0; nothing would get across");
    };
    positive(machine_.peers->link_bandwidth, "peers.link_bandwidth_gb_per_s");
    if (d_.peer_data == PeerData::kRead) {
      positive(machine_.peers->read_bandwidth, "peers.read_bandwidth_gb_per_s");
      positive(machine_.peers->core_read_bandwidth, "peers.core_read_bandwidth_gb_per_s");
    }
    if (machine_.collectives) positive(machine_.collectives->efficiency, "collectives.efficiency_ratio");
    if (d_.collective_blocks > 0 && machine_.collectives && machine_.collectives->blocks == 0)
      refuse("collective_blocks is " + std::to_string(d_.collective_blocks) + ", but machine '" + machine_.name +
             "' states no collectives.blocks: ranks of collectives take no cores there");
    if (d_.collective_blocks > static_cast<int>(worker_cores(d_, machine_).size()))
      refuse("collective_blocks is " + std::to_string(d_.collective_blocks) + ", but a device of machine '" + machine_.name + "' has " +
             std::to_string(worker_cores(d_, machine_).size()) + " cores");
    if (devices.nodes == 1) return;
    positive(machine_.network->nic_bandwidth, "network.nic_bandwidth_gb_per_s");
    positive(machine_.network->tree_bandwidth, "network.tree_bandwidth_gb_per_s");
    std::int64_t leaves = 1;
    for (const int down : devices.tree_down) leaves *= down;
    if (devices.tree_up.size() != devices.tree_down.size() || (!devices.tree_down.empty() && leaves != devices.nodes))
      refuse("machine '" + machine_.name + "' has " + std::to_string(devices.nodes) + " hosts, and a tree over " + std::to_string(leaves));
    if (devices.nics == 0) refuse("machine '" + machine_.name + "' has several hosts and no network cards (devices.nics)");
  }

  bool streams() const { return d_.driver == Driver::kStreams; }
  bool dispatched() const { return d_.release == Release::kDispatcher; }

  const Design& d_;
  const Machine& machine_;
};

}  // namespace

void check_design(const Design& design, const Machine& machine) { Check(design, machine).all(); }

}  // namespace tasktwin
