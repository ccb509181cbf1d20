#include "models/dependences/moved_waits.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tasktwin {

namespace {

std::uint32_t name_of(HostProgram& program, std::string_view name) {
  const auto found = std::ranges::find(program.names, name);
  if (found == program.names.end()) program.names.emplace_back(name);
  return static_cast<std::uint32_t>(std::ranges::find(program.names, name) - program.names.begin());
}

/// Calls that are put between those of a program.
class Insertion {
 public:
  Insertion(const HostProgram& program, const EventCalls& costs)
      : made_(program),
        record_(median_call(program, HostCallKind::kRecord, costs.record)),
        wait_(median_call(program, HostCallKind::kWait, costs.wait)) {
    for (const CallPlace& at : program.order) {
      const HostCall& call = program.call(at);
      for (std::size_t i = 0; call.kind == HostCallKind::kLaunch && i < call.tasks; ++i) launch_[task_id(index(call.first) + i)] = at;
    }
  }

  /// The number of a record after the task's launch.
  std::uint32_t record_behind(TaskId task) {
    const auto [known, first] = records_.try_emplace(task, made_.records);
    if (!first) return known->second;
    const CallPlace at = launch_.at(task);
    behind_[at].push_back({.kind = HostCallKind::kRecord,
                           .call = record_,
                           .stream = made_.call(at).stream,
                           .record = made_.records++,
                           .name = name_of(made_, "cudaEventRecord")});
    return known->second;
  }

  void wait_before(TaskId task, std::uint32_t record) {
    const CallPlace at = launch_.at(task);
    ahead_[at].push_back({.kind = HostCallKind::kWait,
                          .call = wait_,
                          .stream = made_.call(at).stream,
                          .record = record,
                          .name = name_of(made_, "cudaStreamWaitEvent")});
  }

  void have_await(const CallPlace& at, std::uint32_t record) {
    HostCall& wait = made_.threads[at.first].calls[at.second];
    wait.record = record;
    if (wait.kind == HostCallKind::kWait) return;
    wait.kind = HostCallKind::kEventSync;
    wait.name = name_of(made_, "cudaEventSynchronize");
  }

  std::uint32_t stream_of(TaskId task) const { return made_.call(launch_.at(task)).stream; }

  /// `followed`: calls of the program, afterwards where they are in the result.
  HostProgram done(std::vector<CallPlace>& followed) {
    HostProgram made = made_;
    made.order.clear();
    for (HostThread& thread : made.threads) thread.calls.clear();
    const auto add = [&made](std::uint32_t thread, const HostCall& call) {
      made.order.emplace_back(thread, static_cast<std::uint32_t>(made.threads[thread].calls.size()));
      made.threads[thread].calls.push_back(call);
    };
    std::map<CallPlace, CallPlace> now;
    for (const CallPlace& at : made_.order) {
      HostCall call = made_.call(at);
      for (HostCall& before : ahead_[at]) {  // the host's own time comes before all of them
        std::swap(before.own, call.own);
        std::swap(before.within, call.within);
        std::swap(before.ranges, call.ranges);
        add(at.first, before);
      }
      now[at] = {at.first, static_cast<std::uint32_t>(made.threads[at.first].calls.size())};
      add(at.first, call);
      for (const HostCall& behind : behind_[at]) add(at.first, behind);
    }
    for (CallPlace& call : followed) call = now.at(call);
    return made;
  }

 private:
  HostProgram made_;
  Duration record_;
  Duration wait_;
  std::map<TaskId, CallPlace> launch_;
  std::map<TaskId, std::uint32_t> records_;
  std::map<CallPlace, std::vector<HostCall>> ahead_;
  std::map<CallPlace, std::vector<HostCall>> behind_;
};

/// Without records that nothing waits for any more because `call` went: those that it alone awaited.
HostProgram without_stale_record(const HostProgram& program, std::uint32_t record) {
  if (record == kNoRecord) return program;
  std::vector<CallPlace> stale;
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    if (call.record != record) continue;
    if (call.kind != HostCallKind::kRecord) return program;
    stale.push_back(at);
  }
  return without_calls(program, stale);
}

}  // namespace

HostProgram with_wait_behind(const HostProgram& program, const CallPlace& call, TaskId task, const EventCalls& costs) {
  Insertion insertion(program, costs);
  const std::uint32_t record = insertion.record_behind(task);
  insertion.have_await(call, record);
  std::vector<CallPlace> none;
  return without_stale_record(insertion.done(none), program.call(call).record);
}

HostProgram with_orders(const HostProgram& program, std::span<const ReplacedWait> waits, const EventCalls& costs) {
  Insertion insertion(program, costs);
  std::vector<CallPlace> gone;
  for (const ReplacedWait& wait : waits) {
    gone.push_back(wait.call);
    for (const NeededOrder& one : wait.orders) {
      if (insertion.stream_of(one.before) != insertion.stream_of(one.after))
        insertion.wait_before(one.after, insertion.record_behind(one.before));
    }
  }
  const HostProgram made = insertion.done(gone);
  return without_calls(made, gone);
}

}  // namespace tasktwin
