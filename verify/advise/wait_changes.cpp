#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/importers/parts/imported.hpp"
#include "verify/advise/trials.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kMostSingleWaits = 5;  ///< that are tried alone

using CallNames = std::map<CallPlace, std::string>;

CallNames names_of(const Trials& trials) {
  const auto calls = waiting_calls(*trials.scenario.program);
  return {calls.begin(), calls.end()};
}

/// Which of the program's waits its memory needs, where that can be told; else remarks say why not.
void judge(Trials& trials, const CallNames& names) {
  const scenarios::Scenario& scenario = trials.scenario;
  const HostProgram& program = *scenario.program;
  TaskAccesses accesses;
  if (scenario.needs) {
    accesses = scenario.needs->accesses;
  } else {  // waits implied by others are known even so
    accesses.of.resize(scenario.graph.size());
    accesses.unknown.assign(scenario.graph.size(), true);
    for (const Task& task : scenario.graph.tasks()) accesses.with_host.push_back(touches_host_memory(task.operation));
  }
  const std::vector<Dependence> dependences = scenario.needs ? scenario.needs->dependences : true_dependences(accesses);
  try {
    trials.advice.order = judge_order(program, accesses, dependences, scenario.needs ? scenario.needs->frees : std::vector<FreedMemory>{});
  } catch (const InputError& too_many) {
    trials.advice.remarks.push_back(fmt::format("waits were not judged: the program {}", too_many.what()));
    return;
  }
  for (const JudgedWait& wait : trials.advice.order->waits) trials.advice.waits.push_back(names.at(wait.call));
  if (!scenario.needs) {
    trials.advice.remarks.push_back(
        "the file does not say which memory its work uses, as 'tasktwin capture' does: of waits only those can be told that others "
        "imply, and the order of streams is taken to be needed");
  } else if (const scenarios::ProgramNeeds& needs = *scenario.needs; needs.unknown + needs.by_pointer > 0) {
    trials.advice.remarks.push_back(
        fmt::format("of {} tasks {} are taken to write all that they point to, since their names do not say what their parameters are, "
                    "and {} to touch anything: --effects of 'scenario import' can say it",
                    scenario.graph.size(), needs.by_pointer, needs.unknown));
  }
}

/// "cudaStreamWaitEvent#2 before gemm#4".
std::string place_of(const Trials& trials, const CallNames& names, const CallPlace& at) {
  const HostProgram& program = *trials.scenario.program;
  const HostCall& call = program.call(at);
  const std::vector<HostCall>& calls = program.threads[at.first].calls;
  for (std::size_t i = at.second + 1; i < calls.size(); ++i) {
    if (calls[i].kind != HostCallKind::kLaunch || calls[i].tasks == 0) continue;
    if (call.kind == HostCallKind::kWait && calls[i].stream != call.stream) continue;
    return fmt::format("{} before {}", names.at(at), trials.scenario.graph.name(calls[i].first));
  }
  return names.at(at);
}

void try_without(Trials& trials, const CallNames& names) {
  const std::vector<CallPlace>& removable = trials.advice.order->removable;
  if (removable.empty()) return;
  const auto before = trials.advice.proposals.size();
  const std::size_t alone = removable.size() > kMostSingleWaits ? 0 : removable.size();
  for (std::size_t i = 0; i < alone; ++i) {
    const auto wait = std::ranges::find(trials.advice.order->waits, removable[i], &JudgedWait::call);
    trials.propose({.kind = "wait",
                    .what = fmt::format("without {}", names.at(removable[i])),
                    .where = place_of(trials, names, removable[i]),
                    .why = {wait->verdict == OrderVerdict::kImplied ? "others order all that it orders"
                                                                    : "it orders no two tasks that share memory that one of them writes"},
                    .how = {fmt::format("tasktwin simulate SCENARIO --without-wait '{}'", names.at(removable[i]))}},
                   without_waits(trials.scenario, std::array{removable[i]}), trials.captured);
  }
  std::string places;
  for (std::size_t i = 0; i < std::min<std::size_t>(removable.size(), kMostSingleWaits); ++i)
    places += (i == 0 ? "" : "; ") + place_of(trials, names, removable[i]);
  if (removable.size() > kMostSingleWaits) places += fmt::format("; and {} more", removable.size() - kMostSingleWaits);
  if (removable.size() == 1 && trials.advice.proposals.size() > before) return;
  trials.propose(
      {.kind = "waits",
       .what = fmt::format("without {} waits that nothing needs", removable.size()),
       .where = places,
       .why = {"without all of them every two tasks that share memory that one of them writes are still ordered, and the host still "
               "waits where it may read or write memory itself",
               trials.unordered()},
       .how = {"tasktwin advise lists them; leave out the calls"}},
      without_waits(trials.scenario, removable), trials.captured);
}

void propose_moved(Trials& trials, std::string_view kind, std::string what, std::string where, std::string needs,
                   std::span<const ReplacedWait> waits) {
  const scenarios::Scenario changed = with_orders(trials.scenario, waits);
  if (!no_longer_ordered(trials.scenario, changed).empty()) return;  // one was kept by another that goes too
  trials.propose(
      {.kind = std::string(kind),
       .what = std::move(what),
       .where = std::move(where),
       .why = {std::move(needs), "every two tasks that share memory that one of them writes are still ordered", trials.unordered()},
       .how = {"CUDA: cudaEventRecord right behind the launch of the first, cudaStreamWaitEvent right before that of the second",
               "PyTorch: event.record() behind the one, stream.wait_event(event) before the other",
               "tasktwin simulate SCENARIO --wait-at 'CALL=TASK'"}},
      changed, trials.captured);
}

/// Waits that are needed, but for less than they wait for: events after the last that must have ended, before the first that needs it.
void try_moved(Trials& trials, const CallNames& names) {
  std::vector<ReplacedWait> all;
  for (const JudgedWait& wait : trials.advice.order->waits) {
    if (wait.verdict == OrderVerdict::kNeeded && !wait.needs.empty()) all.push_back({wait.call, wait.needs});
  }
  const auto before = trials.advice.proposals.size();
  for (std::size_t i = 0; all.size() <= kMostSingleWaits && i < all.size(); ++i) {
    const NeededOrder& needs = all[i].orders.front();
    propose_moved(
        trials, "wait_moved", fmt::format("{} replaced by what it is needed for", names.at(all[i].call)),
        place_of(trials, names, all[i].call),
        fmt::format("{} needs {} to have ended{}", trials.scenario.graph.name(needs.after), trials.scenario.graph.name(needs.before),
                    all[i].orders.size() > 1 ? fmt::format(", and so on for {} more", all[i].orders.size() - 1) : ""),
        std::span(all).subspan(i, 1));
  }
  if (all.empty() || (all.size() == 1 && trials.advice.proposals.size() > before)) return;
  propose_moved(trials, "waits_moved", fmt::format("{} waits replaced by what they are needed for", all.size()), "",
                "each waits for the last task whose memory the next ones use", all);
}

}  // namespace

void judge_waits(Trials& trials) {
  const CallNames names = names_of(trials);
  if (!names.empty() || trials.scenario.needs) judge(trials, names);
}

void try_waits(Trials& trials) {
  if (!trials.advice.order) return;
  const CallNames names = names_of(trials);
  try_without(trials, names);
  if (trials.advice.knows_memory) try_moved(trials, names);
}

}  // namespace tasktwin::verify
