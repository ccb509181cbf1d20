#include "models/dependences/judged_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "models/base/error.hpp"
#include "models/program/stream_clock.hpp"

namespace tasktwin {

namespace {

constexpr std::uint32_t kNoLaunch = ~0U;

/// Launches and what must be ordered among them.
struct Launches {
  std::vector<std::uint32_t> of_task;  ///< number of the launch, in the program's order
  std::vector<std::uint32_t> stream;   ///< by launch
  std::vector<std::uint32_t> place;    ///< by launch: the how-manieth of its stream, from 1
  std::vector<bool> with_host;         ///< by launch
  std::vector<bool> unknown;           ///< likewise: it may be, as one of its tasks may touch anything
};

Launches launches_of(const HostProgram& program, const TaskAccesses& accesses) {
  Launches launches;
  launches.of_task.assign(accesses.of.size(), kNoLaunch);
  std::vector<std::uint32_t> count(program.streams, 0);
  for (const auto& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind != HostCallKind::kLaunch || call.tasks == 0) continue;
    bool with_host = false;
    bool unknown = false;
    for (std::size_t task = index(call.first); task < index(call.first) + call.tasks; ++task) {
      launches.of_task[task] = static_cast<std::uint32_t>(launches.stream.size());
      with_host = with_host || accesses.with_host[task];
      unknown = unknown || accesses.unknown[task];
    }
    launches.stream.push_back(call.stream);
    launches.place.push_back(++count[call.stream]);
    launches.with_host.push_back(with_host);
    launches.unknown.push_back(unknown);
  }
  return launches;
}

/// Follows the program's calls: what each launch is known to come after.
class Walk {
 public:
  Walk(const HostProgram& program, std::span<const StreamOrder> orders, std::span<const FreedMemory> frees,
       const std::set<CallPlace>& without)
      : program_(program),
        orders_(orders),
        frees_(frees),
        without_(without),
        nothing_(program.streams, 0),
        streams_(program.streams, nothing_),
        hosts_(program.threads.size(), nothing_),
        records_(program.records, nothing_) {}

  void run() {
    std::size_t next = 0;
    for (std::size_t i = 0; i < program_.order.size(); ++i) {
      for (; next < frees_.size() && frees_[next].position <= i; ++next) note(frees_[next]);
      take(program_.order[i]);
    }
    for (; next < frees_.size(); ++next) note(frees_[next]);
  }

  std::vector<StreamClock> before;  ///< by launch
  std::vector<StreamClock> freed;   ///< by freed memory
  /// By call that blocks, of a walk without none: what the host knew before it, and what after.
  std::map<CallPlace, std::pair<StreamClock, StreamClock>> known;

 private:
  void note(const FreedMemory& one) { freed.push_back(streams_[one.stream]); }

  void take(const CallPlace& at) {
    const HostCall& call = program_.call(at);
    StreamClock& host = hosts_[at.first];
    if (call.kind == HostCallKind::kLaunch) {
      if (call.tasks > 0) launch(call, host);
      return;
    }
    if (call.kind == HostCallKind::kRecord) {
      if (call.record != kNoRecord) records_[call.record] = known_by(call.stream);
      return;
    }
    if (without_.contains(at)) return;
    if (call.kind == HostCallKind::kWait) {
      if (call.record != kNoRecord) join(streams_[call.stream], records_[call.record]);
      return;
    }
    const StreamClock knew = host;
    if (call.kind == HostCallKind::kEventSync && call.record != kNoRecord) join(host, records_[call.record]);
    if (call.kind == HostCallKind::kStreamSync) join(host, known_by(call.stream));
    if (call.kind == HostCallKind::kDeviceSync) {
      for (const StreamClock& stream : streams_) join(host, stream);
    }
    if (without_.empty()) known[at] = {knew, host};
  }

  void launch(const HostCall& call, StreamClock& host) {
    StreamClock& stream = streams_[call.stream];
    join(stream, host);
    if (order_of(call.stream) == StreamOrder::kLegacy) join_blocking(stream);
    before.push_back(stream);
    ++stream[call.stream];
    if (call.blocks) join(host, stream);
    if (order_of(call.stream) != StreamOrder::kLegacy) return;
    for (std::uint32_t other = 0; other < streams_.size(); ++other) {
      if (order_of(other) == StreamOrder::kBlocking) join(streams_[other], stream);
    }
  }

  /// What precedes the next launch into the stream.
  StreamClock known_by(std::uint32_t stream) const {
    StreamClock clock = streams_[stream];
    if (order_of(stream) == StreamOrder::kLegacy) join_blocking(clock);
    return clock;
  }

  StreamOrder order_of(std::uint32_t stream) const { return stream < orders_.size() ? orders_[stream] : StreamOrder::kOwn; }

  void join_blocking(StreamClock& clock) const {
    for (std::uint32_t other = 0; other < streams_.size(); ++other) {
      if (order_of(other) == StreamOrder::kBlocking) join(clock, streams_[other]);
    }
  }

  const HostProgram& program_;
  std::span<const StreamOrder> orders_;
  std::span<const FreedMemory> frees_;
  const std::set<CallPlace>& without_;
  StreamClock nothing_;
  std::vector<StreamClock> streams_;
  std::vector<StreamClock> hosts_;
  std::vector<StreamClock> records_;
};

class Judge {
 public:
  Judge(const HostProgram& program, const TaskAccesses& accesses, std::span<const Dependence> dependences,
        std::span<const FreedMemory> frees)
      : program_(program), accesses_(accesses), launches_(launches_of(program, accesses)), frees_(frees), whole_(walk({})) {
    for (const Dependence& dependence : dependences) {
      if (is_inside(dependence)) continue;
      before_[dependence.after].push_back(dependence);
      if (!is_ordered(whole_, dependence)) judged_.unordered.push_back(dependence);
    }
    loose_.resize(accesses.of.size());
    std::vector<std::size_t> seen(accesses.of.size(), accesses.of.size());
    for (const auto& [task, direct] : before_) {
      for (const Dependence& dependence : direct) reach(dependence, seen);
    }
  }

  JudgedOrder judge() {
    check_size();
    std::set<CallPlace> gone;
    for (const CallPlace& at : program_.order) {
      const HostCallKind kind = program_.call(at).kind;
      if (kind != HostCallKind::kWait && !is_sync(kind)) continue;
      JudgedWait wait = judge_one(at);
      if (wait.verdict == OrderVerdict::kImplied || wait.verdict == OrderVerdict::kOrderOnly) try_without(at, gone);
      judged_.waits.push_back(std::move(wait));
    }
    judged_.removable.assign(gone.begin(), gone.end());
    judge_neighbours();
    return std::move(judged_);
  }

 private:
  Walk walk(const std::set<CallPlace>& without) const {
    Walk walk(program_, accesses_.orders, frees_, without);
    walk.run();
    return walk;
  }

  void check_size() const {
    const auto waits = static_cast<std::size_t>(std::ranges::count_if(program_.order, [this](const CallPlace& at) {
      const HostCallKind kind = program_.call(at).kind;
      return kind == HostCallKind::kWait || is_sync(kind);
    }));
    if (2 * waits * program_.order.size() * program_.streams > kMostJudgingSteps) {
      throw InputError("has " + std::to_string(waits) + " waits among " + std::to_string(program_.order.size()) + " calls on " +
                       std::to_string(program_.streams) + " streams: too many to judge each; choose an iteration with --range");
    }
  }

  /// A predecessor whose order is watched covers what is watched before it; of others, and of what is loose after it, those before
  /// must come before the task too, as far as the program has it so.
  void reach(const Dependence& direct, std::vector<std::size_t>& seen) {
    const std::size_t after = index(direct.after);
    std::vector<TaskId> open{direct.before};
    while (!open.empty()) {
      const TaskId task = open.back();
      open.pop_back();
      if (std::exchange(seen[index(task)], after) == after) continue;
      if (++reached_ > kMostJudgingSteps / 100)
        throw InputError("has too many tasks that nothing orders: choose an iteration with --range");
      const Dependence dependence{task, direct.after, direct.kind, direct.address};
      if (is_ordered(whole_, dependence) && conflict(task, direct.after)) {
        if (!is_inside(dependence)) judged_.ordered.push_back(dependence);
        open.insert(open.end(), loose_[index(task)].begin(), loose_[index(task)].end());
        continue;
      }
      loose_[after].push_back(task);
      const auto further = before_.find(task);
      if (further == before_.end()) continue;
      for (const Dependence& one : further->second) open.push_back(one.before);
    }
  }

  /// Whether they share memory that one of them writes, as far as that is known.
  bool conflict(TaskId earlier, TaskId later) const {
    if (accesses_.unknown[index(earlier)] || accesses_.unknown[index(later)]) return true;
    return std::ranges::any_of(accesses_.of[index(later)], [&](const TaskAccess& one) {
      return std::ranges::any_of(accesses_.of[index(earlier)], [&one](const TaskAccess& other) {
        return one.begin < other.end && other.begin < one.end && (one.write || other.write);
      });
    });
  }

  /// Of one launch, as of a graph, which keeps its own order.
  bool is_inside(const Dependence& dependence) const {
    return launches_.of_task[index(dependence.before)] == launches_.of_task[index(dependence.after)];
  }

  bool comes_after(const StreamClock& clock, TaskId task) const {
    const std::uint32_t launch = launches_.of_task[index(task)];
    return clock[launches_.stream[launch]] >= launches_.place[launch];
  }

  bool is_ordered(const Walk& walk, const Dependence& dependence) const {
    return comes_after(walk.before[launches_.of_task[index(dependence.after)]], dependence.before);
  }

  bool come_before_frees(const Walk& walk, const Walk& than) const {
    for (std::size_t i = 0; i < frees_.size(); ++i) {
      for (const TaskId user : frees_[i].users) {
        if (comes_after(than.freed[i], user) && !comes_after(walk.freed[i], user)) return false;
      }
    }
    return true;
  }

  JudgedWait judge_one(const CallPlace& at) const {
    JudgedWait wait{.call = at};
    const HostCall& call = program_.call(at);
    if (call.record == kNoRecord && (call.kind == HostCallKind::kWait || call.kind == HostCallKind::kEventSync)) {
      wait.verdict = OrderVerdict::kUnknown;  // what it is about
      return wait;
    }
    if (const auto hosts = of_host(at)) {
      wait.verdict = *hosts;
      return wait;
    }
    const Walk without = walk({at});
    bool unknown_alone = true;
    bool any_unknown = false;
    std::map<std::pair<std::uint32_t, std::uint32_t>, NeededOrder> needs;  // by their streams
    for (const Dependence& dependence : judged_.ordered) {
      if (is_ordered(without, dependence)) continue;
      ++wait.dependences;
      note(needs, dependence);
      const bool unknown = dependence.kind == DependenceKind::kUnknown;
      if (!wait.because || (unknown_alone && !unknown)) wait.because = dependence;
      unknown_alone = unknown_alone && unknown;
      any_unknown = any_unknown || unknown;
    }
    const bool freed = come_before_frees(without, whole_);
    wait.verdict = wait.because && !unknown_alone    ? OrderVerdict::kNeeded
                   : !freed                          ? OrderVerdict::kNeeded
                   : wait.because                    ? OrderVerdict::kUnknown
                   : without.before == whole_.before ? OrderVerdict::kImplied
                                                     : OrderVerdict::kOrderOnly;
    if (freed && !any_unknown) {
      for (const auto& [streams, order] : needs) wait.needs.push_back(order);
    }
    return wait;
  }

  void note(std::map<std::pair<std::uint32_t, std::uint32_t>, NeededOrder>& needs, const Dependence& dependence) const {
    const std::uint32_t before = launches_.of_task[index(dependence.before)];
    const std::uint32_t after = launches_.of_task[index(dependence.after)];
    NeededOrder& order =
        needs.try_emplace({launches_.stream[before], launches_.stream[after]}, NeededOrder{dependence.before, dependence.after})
            .first->second;
    if (before > launches_.of_task[index(order.before)]) order.before = dependence.before;
    if (after < launches_.of_task[index(order.after)]) order.after = dependence.after;
  }

  /// `host` where the host may itself use what it waits for there, or has nothing left to do; unknown where it waits for tasks alone that
  /// may touch anything; else none.
  std::optional<OrderVerdict> of_host(const CallPlace& at) const {
    if (!is_sync(program_.call(at).kind)) return std::nullopt;
    if (at.second + 1 == program_.threads[at.first].calls.size()) return OrderVerdict::kHost;
    std::optional<OrderVerdict> verdict;
    const auto& [knew, knows] = whole_.known.at(at);
    for (std::size_t launch = 0; launch < launches_.stream.size(); ++launch) {
      const std::uint32_t place = launches_.place[launch];
      if (place <= knew[launches_.stream[launch]] || place > knows[launches_.stream[launch]]) continue;
      if (launches_.with_host[launch]) return OrderVerdict::kHost;
      if (launches_.unknown[launch]) verdict = OrderVerdict::kUnknown;
    }
    return verdict;
  }

  void try_without(const CallPlace& at, std::set<CallPlace>& gone) const {
    const bool alone = gone.empty();
    gone.insert(at);
    if (alone) return;
    const Walk without = walk(gone);
    const bool holds = come_before_frees(without, whole_) &&
                       std::ranges::all_of(judged_.ordered, [&](const Dependence& dependence) { return is_ordered(without, dependence); });
    if (!holds) gone.erase(at);
  }

  void judge_neighbours() {
    std::map<TaskId, std::vector<TaskId>> before;
    for (const Dependence& dependence : judged_.ordered) before[dependence.after].push_back(dependence.before);
    std::map<std::uint32_t, TaskId> last;  // by stream
    for (const CallPlace& at : program_.order) {
      const HostCall& call = program_.call(at);
      if (call.kind != HostCallKind::kLaunch || call.tasks != 1) continue;
      const auto [previous, first] = last.try_emplace(call.stream, call.first);
      if (!first) count_neighbours(before, previous->second, call.first);
      previous->second = call.first;
    }
  }

  void count_neighbours(const std::map<TaskId, std::vector<TaskId>>& before, TaskId earlier, TaskId later) {
    if (accesses_.unknown[index(earlier)] || accesses_.unknown[index(later)]) {
      ++judged_.neighbours.unknown;
      return;
    }
    const auto own = before.find(later);
    if (own == before.end()) {
      ++judged_.neighbours.order_only;
      return;
    }
    if (std::ranges::find(own->second, earlier) != own->second.end()) {
      ++judged_.neighbours.needed;
      return;
    }
    std::set<TaskId> seen(own->second.begin(), own->second.end());
    std::vector<TaskId> open(seen.begin(), seen.end());
    while (!open.empty()) {
      const TaskId task = open.back();
      open.pop_back();
      if (task == earlier) {
        ++judged_.neighbours.implied;
        return;
      }
      const auto further = before.find(task);
      if (task < earlier || further == before.end()) continue;
      for (const TaskId one : further->second) {
        if (one >= earlier && seen.insert(one).second) open.push_back(one);
      }
    }
    ++judged_.neighbours.order_only;
  }

  const HostProgram& program_;
  const TaskAccesses& accesses_;
  Launches launches_;
  std::span<const FreedMemory> frees_;
  Walk whole_;
  std::map<TaskId, std::vector<Dependence>> before_;  ///< direct ones, by the task that comes after
  std::vector<std::vector<TaskId>> loose_;            ///< by task: what comes before it by dependences, but not by an order that is watched
  std::size_t reached_ = 0;
  JudgedOrder judged_;
};

}  // namespace

JudgedOrder judge_order(const HostProgram& program, const TaskAccesses& accesses, std::span<const Dependence> dependences,
                        std::span<const FreedMemory> frees) {
  return Judge(program, accesses, dependences, frees).judge();
}

namespace {

/// Adds times to others, each name once.
void add(std::vector<NamedTime>& times, const std::vector<NamedTime>& more) {
  for (const NamedTime& one : more) {
    const auto same = std::ranges::find(times, one.name, &NamedTime::name);
    if (same == times.end()) {
      times.push_back(one);
      continue;
    }
    same->time += one.time;
    same->calls += one.calls;
  }
}

}  // namespace

HostProgram without_calls(const HostProgram& program, std::span<const CallPlace> calls) {
  const std::set<CallPlace> gone(calls.begin(), calls.end());
  std::set<std::uint32_t> awaited;
  std::set<std::uint32_t> no_more;
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.kind == HostCallKind::kRecord || call.record == kNoRecord) continue;
    (gone.contains(at) ? no_more : awaited).insert(call.record);
  }
  std::erase_if(no_more, [&awaited](std::uint32_t record) { return awaited.contains(record); });
  HostProgram kept = program;
  kept.order.clear();
  for (HostThread& thread : kept.threads) thread.calls.clear();
  std::vector<Duration> own(program.threads.size());  // of calls that are gone
  std::vector<std::vector<NamedTime>> within(program.threads.size());
  for (const CallPlace& at : program.order) {
    HostCall call = program.call(at);
    call.own += std::exchange(own[at.first], Duration{});
    std::vector<NamedTime>& earlier = within[at.first];
    add(call.within, earlier);
    earlier.clear();
    if (gone.contains(at) || (call.kind == HostCallKind::kRecord && no_more.contains(call.record))) {
      own[at.first] = call.own;
      earlier = std::move(call.within);
      continue;
    }
    std::vector<HostCall>& calls_of = kept.threads[at.first].calls;
    kept.order.emplace_back(at.first, static_cast<std::uint32_t>(calls_of.size()));
    calls_of.push_back(std::move(call));
  }
  for (std::size_t i = 0; i < own.size(); ++i) kept.threads[i].own_after += own[i];
  return kept;
}

}  // namespace tasktwin
