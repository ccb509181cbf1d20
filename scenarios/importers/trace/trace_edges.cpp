#include <algorithm>
#include <map>
#include <unordered_map>

#include "models/base/error.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Tasks = std::vector<std::uint32_t>;

constexpr std::size_t kMostBranches = 64;

/// Predecessors among the nodes of one launch that ran: edges through nodes that leave no trace, and of nodes that hold others, are taken
/// apart.
class NodeEdges {
 public:
  NodeEdges(const TraceRun& run, const TraceRun::Call& call, const TraceGraph& graph) {
    for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) task_of_[run.ops[task].node] = task;
    for (const TraceGraph::Node& node : graph.nodes) {
      if (node.parent >= 0) within_[node.parent].push_back(node.id);
    }
    for (const auto& [from, to] : graph.edges) {
      for (const std::int64_t source : leaves(from)) {
        for (const std::int64_t target : leaves(to)) before_[target].push_back(source);
      }
    }
  }

  /// Tasks of the launch that `task` waits for.
  Tasks predecessors(std::int64_t node) {
    const auto known = found_.find(node);
    if (known != found_.end()) return known->second;
    Tasks tasks;
    found_[node] = {};  // a cycle ends here; CUDA has none
    for (const std::int64_t source : before_[node]) {
      const auto task = task_of_.find(source);
      const Tasks through = task == task_of_.end() ? predecessors(source) : Tasks{task->second};
      tasks.insert(tasks.end(), through.begin(), through.end());
    }
    std::ranges::sort(tasks);
    tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
    return found_[node] = tasks;
  }

 private:
  /// The node, or all within it.
  std::vector<std::int64_t> leaves(std::int64_t node) const {
    const auto within = within_.find(node);
    if (within == within_.end()) return {node};
    std::vector<std::int64_t> all;
    for (const std::int64_t child : within->second) {
      const auto more = leaves(child);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all;
  }

  std::unordered_map<std::int64_t, std::uint32_t> task_of_;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> within_;
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> before_;
  std::unordered_map<std::int64_t, Tasks> found_;
};

const TraceGraph* graph_of(const TraceRun& run, const TraceRun::Call& call) {
  const auto found = run.trace->graphs.find(call.call.graph);
  return found == run.trace->graphs.end() || found->second.edges.empty() ? nullptr : &found->second;
}

/// What is the last in a stream: of all its work, or of each of the independent ranges that its latest work is in.
struct StreamEnd {
  Tasks base;                               ///< before these ranges
  std::map<std::int32_t, Tasks> instances;  ///< by range

  Tasks all() const {
    if (instances.empty()) return base;
    Tasks tasks;
    for (const auto& [instance, last] : instances) tasks.insert(tasks.end(), last.begin(), last.end());
    return tasks;
  }
  Tasks before(std::int32_t instance) const {
    if (instance < 0) return all();
    const auto own = instances.find(instance);
    return own == instances.end() ? base : own->second;
  }
  void end_with(std::int32_t instance, Tasks last) {
    if (instance >= 0) {
      instances[instance] = std::move(last);
    } else {
      base = std::move(last);
      instances.clear();
    }
  }
};

/// Walks through the calls and says what each task must follow.
class Order {
 public:
  Order(TraceRun& run, const ImportOptions& options, bool apart)
      : run_(run),
        apart_(apart),
        each_(apart && !options.drop_edges.empty()),
        wait_for_all_(options.unknown_waits == kWaitForAll),
        observes_(observes_unknown_waits(options)),
        records_(record_numbers(run)),
        sources_(records_.count),
        ends_(run.stream_count),
        pending_(run.stream_count),
        launched_(run.stream_count),
        observed_until_(run.stream_count, 0),
        group_of_(run.ops.size(), 0),
        instance_of_(run.ops.size(), -1) {}

  Edges edges() {
    for (std::size_t i = 0; i < run_.calls.size(); ++i) take(i);
    return std::move(edges_);
  }

 private:
  /// What a host thread knows to have ended, by stream, and which streams know it.
  struct Known {
    std::map<std::uint32_t, Tasks> ended;
    std::uint64_t version = 0;
    std::map<std::pair<std::uint32_t, std::int32_t>, std::uint64_t> told;  ///< by stream and independent range
  };

  std::int32_t instance(const TraceRun::Call& call) const {
    if (each_) return call.tasks > 0 ? static_cast<std::int32_t>(call.first) : -1;
    return apart_ ? call.instance : -1;
  }

  void take(std::size_t number) {
    const TraceRun::Call& call = run_.calls[number];
    const std::uint32_t record = records_.of_call[number];
    switch (call.call.kind) {
      case TraceCallKind::kRecord:
        if (record != kNoRecord) sources_[record] = end(call.call.stream).before(instance(call));
        break;
      case TraceCallKind::kWait:
        take_wait(call, record);
        break;
      case TraceCallKind::kEventSync:
        if (record != kNoRecord && !sources_[record].empty()) know(call, {{run_.streams[sources_[record].back()], sources_[record]}});
        break;
      case TraceCallKind::kStreamSync:
        if (call.call.stream == kNoStream) break;
        know(call, {{run_.stream(call.call.stream), end(call.call.stream).before(instance(call))}});
        if (each_) gather(end(call.call.stream));
        break;
      case TraceCallKind::kDeviceSync:
        know_all(call);
        break;
      default:
        break;
    }
    if (call.tasks > 0) launch(call);
    if (call.tasks > 0 && host_knows_end(run_, call)) know(call, {{run_.streams[call.first], {call.first + call.tasks - 1}}});
  }

  StreamEnd& end(std::int32_t as_traced) { return ends_[run_.stream(as_traced)]; }

  void take_wait(const TraceRun::Call& call, std::uint32_t record) {
    if (record != kNoRecord) {
      if (call.call.stream != kNoStream) await(call.call.stream, sources_[record]);
      return;
    }
    if (call.call.never_recorded) return;
    if (observes_) return observe(call.call.stream);
    if (!wait_for_all_) return;
    Tasks all;
    for (const StreamEnd& one : ends_) {
      const Tasks last = one.all();
      all.insert(all.end(), last.begin(), last.end());
    }
    if (call.call.stream != kNoStream) return await(call.call.stream, all);
    for (Tasks& pending : pending_) pending.insert(pending.end(), all.begin(), all.end());
  }

  /// A wait for a record that is not known, of one stream, or of any: what comes next into it follows what was launched so far and had
  /// ended when it began. That holds all that the wait was for, since that had.
  void observe(std::int32_t as_traced) {
    if (as_traced != kNoStream)
      observed_until_[run_.stream(as_traced)] = next_;
    else
      std::ranges::fill(observed_until_, next_);
  }

  void follow_observed(std::uint32_t stream, std::uint32_t root) {
    constexpr std::int64_t kResolutionNs = 1000;  // of many profilers
    const auto ended = [&, start = run_.ops[root].start + kResolutionNs](std::uint32_t task) { return run_.ops[task].end <= start; };
    for (std::uint32_t other = 0; other < launched_.size(); ++other) {
      if (other == stream) continue;
      const Tasks& tasks = launched_[other];
      auto last = std::partition_point(tasks.begin(), std::ranges::lower_bound(tasks, observed_until_[stream]), ended);
      while (last != tasks.begin() && is_apart(*std::prev(last), instance_of_[root])) --last;
      if (last != tasks.begin()) edges_.emplace_back(*std::prev(last), root);
    }
  }

  /// Of another independent range than that, which nothing else has come between.
  bool is_apart(std::uint32_t before, std::int32_t instance) const {
    return !each_ && instance >= 0 && instance_of_[before] >= 0 && instance_of_[before] != instance && group_of_[before] == group_;
  }

  /// What comes now into the stream depends on all that is in it.
  static void gather(StreamEnd& stream) { stream.end_with(-1, stream.all()); }

  void await(std::int32_t as_traced, const Tasks& tasks) {
    Tasks& pending = each_ ? end(as_traced).base : pending_[run_.stream(as_traced)];
    pending.insert(pending.end(), tasks.begin(), tasks.end());
  }

  void know(const TraceRun::Call& call, const std::map<std::uint32_t, Tasks>& ended) {
    Known& known = known_[call.call.thread];
    ++known.version;
    if (each_ && call.tasks > 0) known.ended.clear();  // the call itself came after these
    for (const auto& [stream, tasks] : ended) {
      Tasks& before = known.ended[stream];
      if (instance(call) >= 0) {
        before.insert(before.end(), tasks.begin(), tasks.end());  // another range's may be as late
      } else if (before.empty() || (!tasks.empty() && is_later(std::ranges::max(tasks), std::ranges::max(before)))) {
        before = tasks;
      }
    }
    if (instance(call) < 0 && !each_) end_group();
  }

  /// Without the order of streams more may be known to have ended by the same latest task.
  bool is_later(std::uint32_t task, std::uint32_t than) const { return task > than || (each_ && task == than); }

  void know_all(const TraceRun::Call& call) {
    std::map<std::uint32_t, Tasks> ended;
    for (std::uint32_t stream = 0; stream < ends_.size(); ++stream) ended[stream] = ends_[stream].all();
    know(call, ended);
    if (each_) std::ranges::for_each(ends_, gather);
  }

  /// What comes now depends on all ranges so far.
  void end_group() {
    ++group_;
    std::ranges::for_each(ends_, gather);
  }

  void launch(const TraceRun::Call& call) {
    if (instance(call) < 0) ++group_;
    const std::uint32_t stream = run_.streams[call.first];
    const Tasks before = ends_[stream].before(instance(call));
    for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) {
      group_of_[task] = group_;
      instance_of_[task] = instance(call);
    }
    Tasks roots{call.first};
    Tasks leaves{call.first + call.tasks - 1};
    if (call.call.kind == TraceCallKind::kGraphLaunch)
      std::tie(roots, leaves) = nodes(call);
    else
      chain(call);
    for (const std::uint32_t root : roots) {
      add(before, root);
      add(pending_[stream], root);
      if (observed_until_[stream] > 0) follow_observed(stream, root);
      follow_host(call, root);
    }
    pending_[stream].clear();
    observed_until_[stream] = 0;
    if (observes_) {
      for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) launched_[run_.streams[task]].push_back(task);
    }
    next_ = call.first + call.tasks;
    ends_[stream].end_with(instance(call), leaves);
  }

  void chain(const TraceRun::Call& call) {
    for (std::uint32_t task = call.first + 1; task < call.first + call.tasks; ++task) edges_.emplace_back(task - 1, task);
  }

  /// Edges between the nodes of a graph; those without predecessors and those without successors.
  std::pair<Tasks, Tasks> nodes(const TraceRun::Call& call) {
    const std::size_t before = edges_.size();
    run_.nodes += call.tasks;
    if (const TraceGraph* graph = graph_of(run_, call)) {
      NodeEdges known(run_, call, *graph);
      for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) {
        for (const std::uint32_t source : known.predecessors(run_.ops[task].node)) {
          if (source < task) edges_.emplace_back(source, task);  // else by its times it did not wait
        }
      }
    } else {
      if (call.tasks > 1) run_.unordered_nodes += call.tasks;
      std::map<std::uint32_t, std::uint32_t> last;  // by stream
      for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) {
        const auto [found, is_new] = last.emplace(run_.streams[task], task);
        if (!is_new) edges_.emplace_back(std::exchange(found->second, task), task);
      }
    }
    std::vector<bool> has_before(call.tasks), has_behind(call.tasks);
    for (std::size_t i = before; i < edges_.size(); ++i) {
      has_behind[edges_[i].first - call.first] = true;
      has_before[edges_[i].second - call.first] = true;
    }
    Tasks roots, leaves;
    for (std::uint32_t i = 0; i < call.tasks; ++i) {
      if (!has_before[i]) roots.push_back(call.first + i);
      if (!has_behind[i]) leaves.push_back(call.first + i);
    }
    return {roots, leaves};
  }

  /// What the thread had waited for before it launched.
  void follow_host(const TraceRun::Call& call, std::uint32_t task) {
    const auto known = known_.find(call.call.thread);
    if (known == known_.end()) return;
    std::uint64_t& told = known->second.told[{run_.streams[task], instance(call)}];
    if (std::exchange(told, known->second.version) == known->second.version) return;
    for (const auto& [stream, ended] : known->second.ended) {
      for (const std::uint32_t before : ended) {
        if (run_.ops[before].end > run_.ops[task].start) continue;  // by its times it did not wait
        if (!is_apart(before, instance(call))) edges_.emplace_back(before, task);
      }
    }
  }

  void add(const Tasks& before, std::uint32_t task) {
    for (const std::uint32_t one : before) {
      if (one != task) edges_.emplace_back(one, task);
    }
    if (edges_.size() > static_cast<std::size_t>(kMaxEdges))
      throw InputError("drop_edges: without the order of streams each task waits for all before a synchronisation, which makes more than " +
                       std::to_string(kMaxEdges) + " dependencies; --range takes a part of the run");
  }

  TraceRun& run_;
  bool apart_;  ///< independent ranges count
  bool each_;   ///< each launch is independent of the others of its stream
  bool wait_for_all_;
  bool observes_;
  RecordNumbers records_;
  std::vector<Tasks> sources_;  ///< by record
  std::vector<StreamEnd> ends_;
  std::vector<Tasks> pending_;                 ///< by stream: what its next task waits for
  std::vector<Tasks> launched_;                ///< by stream; where unknown waits are as observed
  std::vector<std::uint32_t> observed_until_;  ///< by stream: its next task follows what had ended of those before this one
  std::uint32_t next_ = 0;                     ///< the task that is launched next
  std::map<std::uint32_t, Known> known_;       ///< by thread
  std::uint32_t group_ = 0;                    ///< of independent ranges that nothing else comes between
  std::vector<std::uint32_t> group_of_;        ///< by task
  std::vector<std::int32_t> instance_of_;
  Edges edges_;
};

/// Tasks of a stream, but for migrations, as they were launched.
std::vector<Tasks> tasks_by_stream(const TraceRun& run) {
  std::vector<Tasks> tasks(run.stream_count);
  for (std::uint32_t task = 0; task < run.ops.size(); ++task) {
    if (!run.ops[task].migration) tasks[run.streams[task]].push_back(task);
  }
  return tasks;
}

/// No call says what pages moved for. Each migration keeps its place: after what had ended in each stream, before what was launched later.
void place_migrations(const TraceRun& run, Edges& edges) {
  if (std::ranges::none_of(run.ops, &TraceOp::migration)) return;
  const auto begin = [&run](std::uint32_t task) { return run.calls[run.call_of[task]].call.begin; };
  for (const Tasks& stream : tasks_by_stream(run)) {
    for (std::uint32_t moved = 0; moved < run.ops.size(); ++moved) {
      const TraceOp& op = run.ops[moved];
      if (!op.migration) continue;
      auto before = std::ranges::lower_bound(stream, moved);
      while (before != stream.begin() && run.ops[*std::prev(before)].end > op.start) --before;
      if (before != stream.begin()) edges.emplace_back(*std::prev(before), moved);
      auto behind = std::ranges::lower_bound(stream, op.end, {}, begin);
      if (behind != stream.end() && *behind > moved) edges.emplace_back(moved, *behind);
    }
  }
}

}  // namespace

bool host_knows_end(const TraceRun& run, const TraceRun::Call& call) {
  if (call.tasks != 1 || call.call.kind != TraceCallKind::kOther) return false;
  const TraceOp& op = run.ops[call.first];
  const bool blocking = op.pageable || run.trace->texts[call.call.name].find("Async") == std::string::npos;
  return touches_host_memory(op.operation) && blocking && call.call.end >= op.end;
}

void branch_graphs(TraceRun& run) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::uint32_t> numbers;  // of branches beyond the first, by the launch's stream
  for (const TraceRun::Call& call : run.calls) {
    if (call.call.kind != TraceCallKind::kGraphLaunch || call.tasks < 2) continue;
    std::vector<std::int64_t> ends;
    for (std::uint32_t task = call.first; task < call.first + call.tasks; ++task) {
      const TraceOp& op = run.ops[task];
      std::size_t branch =
          static_cast<std::size_t>(std::ranges::find_if(ends, [&](std::int64_t end) { return end <= op.start; }) - ends.begin());
      if (branch == ends.size() && ends.size() == kMostBranches)
        branch = static_cast<std::size_t>(std::ranges::min_element(ends) - ends.begin());
      if (branch == ends.size()) ends.push_back(0);
      ends[branch] = op.end;
      if (branch == 0) {
        run.streams[task] = run.streams[call.first];
        continue;
      }
      const auto [found, is_new] = numbers.emplace(std::pair(run.streams[call.first], branch), run.stream_count);
      if (is_new) ++run.stream_count;
      run.streams[task] = found->second;
    }
  }
}

Edges trace_edges(TraceRun& run, const ImportOptions& options, bool apart) {
  run.nodes = run.unordered_nodes = 0;
  Edges edges = Order(run, options, apart).edges();
  place_migrations(run, edges);
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace tasktwin::scenarios
