#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/graph/graph_copy.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/importers/parts/imported.hpp"
#include "verify/advise/trials.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/predict/prediction.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::size_t kMostPieces = 256;

bool is_read(const Trials& trials, const HostCall& call) {
  return call.kind == HostCallKind::kLaunch && call.tasks == 1 && trials.scenario.graph[call.first].operation == Operation::kCopyD2h;
}

/// Calls that block in which the host may use what they wait for.
std::set<CallPlace> hosts_own(const Trials& trials) {
  std::set<CallPlace> own;
  if (!trials.advice.order) return own;
  for (const JudgedWait& wait : trials.advice.order->waits) {
    if (wait.verdict == OrderVerdict::kHost) own.insert(wait.call);
  }
  return own;
}

std::set<CallPlace> calls_of(const std::vector<HostWait>& waits) {
  std::set<CallPlace> calls;
  for (const HostWait& wait : waits) calls.insert(wait.call);
  return calls;
}

/// The program's work from one of those waits to the next, by TaskId.
std::vector<std::vector<bool>> pieces_of(const Trials& trials) {
  const HostProgram& program = *trials.scenario.program;
  const std::set<CallPlace> waits = calls_of(trials.host_waits);
  std::vector<std::vector<bool>> pieces;
  std::vector<bool> piece(trials.scenario.graph.size(), false);
  bool any = false;
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    for (std::size_t i = 0; call.kind == HostCallKind::kLaunch && i < call.tasks; ++i) any = piece[index(call.first) + i] = true;
    if (!any || !waits.contains(at)) continue;
    pieces.push_back(std::exchange(piece, std::vector<bool>(piece.size(), false)));
    any = false;
  }
  if (any) pieces.push_back(std::move(piece));
  return pieces;
}

/// The host's own time from the end of a graph on which it waits to the launch of the next, with the calls that it makes there.
Duration between_pieces(const Trials& trials) {
  const HostProgram& program = *trials.scenario.program;
  const std::set<CallPlace> waits = calls_of(trials.host_waits);
  Duration between{};
  bool waited = false;
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    const bool launches = call.kind == HostCallKind::kLaunch;
    const bool waits_here = waits.contains(at);
    if (waited || (waits_here && is_sync(call.kind))) between += launches ? call.own : call.own + call.call;
    if (launches) waited = false;
    waited |= waits_here;
  }
  return between;
}

/// Of a program whose other threads wait too it is not known what they launch meanwhile.
bool one_thread_waits(const Trials& trials) {
  const std::uint32_t waiting = trials.host_waits.front().call.first;
  const std::vector<CallPlace>& order = trials.scenario.program->order;
  return std::ranges::all_of(order,
                             [&](const CallPlace& at) { return at.first == waiting || !is_sync(trials.scenario.program->call(at).kind); });
}

/// A graph for each piece, one behind the other.
void try_pieces(Trials& trials) {
  if (trials.host_waits.size() >= kMostPieces) return;
  const std::vector<std::vector<bool>> pieces = pieces_of(trials);
  std::size_t launches = 0;
  for (const HostThread& thread : trials.scenario.program->threads)
    launches += static_cast<std::size_t>(std::ranges::count(thread.calls, HostCallKind::kLaunch, &HostCall::kind));
  if (2 * pieces.size() > launches) return;
  const Design design = named_design("cuda-graph");
  Duration takes = between_pieces(trials);
  for (const std::vector<bool>& piece : pieces) {
    scenarios::Scenario one = trials.scenario;
    one.graph = part_of(trials.scenario.graph, piece).graph;
    one.program.reset();
    one.needs.reset();
    takes += predict_makespan(one, design, trials.seed);
  }
  ++trials.advice.tried;
  trials.advice.proposals.push_back(
      {.kind = "graph",
       .what = fmt::format("{} CUDA graphs, of the work between the host's own waits", pieces.size()),
       .why = {"the host may use there what it waits for, and waits as before; each graph keeps the order of streams and events",
               trials.graphs_assume(false), trials.uncertain()},
       .how = {"PyTorch: a torch.cuda.CUDAGraph for each part of the step between two .item() or .cpu()",
               "CUDA: cudaStreamBeginCapture behind the wait, cudaStreamEndCapture before the next"},
       .makespan = takes});
}

/// What the host reads in between is read once, at the end: these waits go, and of the copies all but the last.
void try_reads(Trials& trials) {
  std::vector<CallPlace> reads;
  std::vector<CallPlace> waits;
  for (const HostWait& wait : trials.host_waits) {
    if (wait.reads.empty()) continue;
    reads.insert(reads.end(), wait.reads.begin(), wait.reads.end());
    if (is_sync(trials.scenario.program->call(wait.call).kind)) waits.push_back(wait.call);
  }
  if (reads.empty()) return;
  if (!trials.reads_at_end) reads.pop_back();
  scenarios::Scenario changed = trials.scenario;
  std::vector<bool> gone(changed.graph.size(), false);
  for (const CallPlace& at : reads) {
    HostCall& call = changed.program->threads[at.first].calls[at.second];
    gone[index(call.first)] = true;
    call.own = call.call = Duration{};
    call.within.clear();
    call.ranges.clear();
    call.blocks = false;
  }
  for (const HostWait& wait : trials.host_waits) {
    HostCall& call = changed.program->threads[wait.call.first].calls[wait.call.second];
    if (call.kind == HostCallKind::kLaunch) call.blocks = false;
    if (!wait.reads.empty() && is_sync(call.kind)) {
      call.own = Duration{};
      call.within.clear();
      call.ranges.clear();
    }
  }
  TaskGraphBuilder builder;
  copy_tasks(builder, trials.scenario.graph, [&gone](TaskId id, Task& task, TaskTraits&) {
    if (!gone[index(id)]) return;
    task.cost.time = Duration{};
    task.cost.bytes = {};
  });
  copy_edges(builder, trials.scenario.graph);
  changed.graph = std::move(builder).build();
  changed = without_waits(changed, waits);
  Proposal proposal{
      .kind = "reads",
      .what = fmt::format("what the host reads in {} waits read at the end, in one", trials.host_waits.size()),
      .why = {"values stay on the device until all is launched; the host's own time before these calls goes with them",
              "assumes that the host decides by none of them what it launches next, which the file cannot tell", trials.uncertain()},
      .how = {"PyTorch: keep tensors, as in losses.append(loss.detach()), and torch.stack(losses).tolist() at the end in place of each "
              ".item()",
              "CUDA: cudaMemcpyAsync into pinned memory for each, one cudaStreamSynchronize at the end"}};
  try {
    proposal.why.push_back(fmt::format("one CUDA graph of all would then take {}",
                                       format_us(predict_makespan(changed, named_design("cuda-graph"), trials.seed))));
  } catch (const InputError&) {  // it has what no graph takes
  }
  trials.propose(std::move(proposal), changed, trials.captured);
}

}  // namespace

void find_host_waits(Trials& trials) {
  const HostProgram& program = *trials.scenario.program;
  const std::set<CallPlace> own = hosts_own(trials);
  std::vector<HostWait> found;
  std::vector<std::vector<CallPlace>> reads(program.threads.size());
  std::size_t followed = 0;  // of `found`, with launches behind them
  for (const CallPlace& at : program.order) {
    const HostCall& call = program.call(at);
    const bool launches = call.kind == HostCallKind::kLaunch && call.tasks > 0;
    if (launches) followed = found.size();
    if (launches && is_read(trials, call)) reads[at.first].push_back(at);
    if (own.contains(at) || (launches && call.blocks && is_read(trials, call))) found.push_back({at, std::exchange(reads[at.first], {})});
  }
  trials.reads_at_end = std::any_of(found.begin() + static_cast<std::ptrdiff_t>(followed), found.end(),
                                    [](const HostWait& wait) { return !wait.reads.empty(); });
  found.resize(followed);
  trials.host_waits = std::move(found);
}

void try_host_waits(Trials& trials) {
  if (trials.host_waits.empty()) return;
  trials.advice.remarks.push_back(
      fmt::format("in {} waits before its last launch the host may use what it waits for: no graph, streams or order over these waits "
                  "are proposed, as the host may decide there what it launches next",
                  trials.host_waits.size()));
  try_reads(trials);
  if (one_thread_waits(trials)) try_pieces(trials);
}

}  // namespace tasktwin::verify
