#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "models/program/program_edits.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/importers/parts/imported.hpp"
#include "verify/advise/trials.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

bool is_all_kernels(const TaskGraph& graph) {
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph[task_id(i)].operation != Operation::kKernel) return false;
  }
  return true;
}

/// In the order that memory needs, and that which is left if no memory is given out again.
void try_needed_graphs(Trials& trials, const Design& design) {
  const std::vector<std::string> how{"CUDA: cudaGraphAddNode with these edges; 'scenario import --dependences needed' writes the graph",
                                     "PyTorch: streams inside of torch.cuda.graph, joined by wait_stream where data pass"};
  scenarios::Scenario needed = trials.needed();
  Proposal by_memory{.kind = "needed_graph",
                     .what = "a CUDA graph with the order that tasks need by their memory",
                     .why = {fmt::format("{} dependences in place of {}: two tasks are ordered where they share memory that one of them "
                                         "writes",
                                         needed.graph.edge_count(), trials.scenario.graph.edge_count()),
                             trials.unordered(), trials.uncertain()},
                     .how = how};
  trials.propose_schedule(std::move(by_memory), std::move(needed), design);
  const auto reused = std::ranges::count(trials.scenario.needs->dependences, DependenceKind::kReuse, &Dependence::kind);
  if (reused == 0) return;
  trials.propose_schedule(
      {.kind = "own_memory",
       .what = "a CUDA graph as tasks need it, if each tensor had memory of its own",
       .why = {fmt::format("{} of the dependences are there only because memory is given out again", reused), trials.unordered(),
               trials.uncertain()},
       .how = {"PyTorch: results that are written into tensors made before (out=), or streams, whose tensors have memory of their own",
               how.front()}},
      trials.needed(false), design);
}

/// Of two graphs of the same work the one that asks for less, where the other is hardly better.
void leave_out_what_adds_nothing(std::vector<Proposal>& proposals) {
  const auto graph = std::ranges::find(proposals, "graph", &Proposal::kind);
  if (graph == proposals.end()) return;
  const Duration takes = graph->makespan;
  std::erase_if(proposals, [takes](const Proposal& one) { return one.kind != "graph" && gain(takes, one.makespan) < kWorthwhile; });
}

}  // namespace

void try_graphs(Trials& trials) {
  if (!trials.host_waits.empty()) return;
  const Design design = named_design("cuda-graph");
  Proposal graph{.kind = "graph",
                 .what = fmt::format("one launch of a CUDA graph for its {} tasks",
                                     format_count(static_cast<std::int64_t>(trials.scenario.graph.size()))),
                 .why = {"it keeps the order of streams, events and waits", trials.graphs_assume(true), trials.uncertain()},
                 .how = {"tasktwin rerun --designs graph -o OUT -- PROGRAM",
                         "PyTorch: g = torch.cuda.CUDAGraph(); with torch.cuda.graph(g): step(); then g.replay()",
                         "CUDA: cudaStreamBeginCapture, the step, cudaStreamEndCapture, cudaGraphInstantiate; then cudaGraphLaunch"}};
  const GraphLaunches launched = graph_launches(*trials.scenario.program);
  if (launched.tasks ==
      trials.scenario.graph.size()) {  // several as one would be another program: what it does between them may decide what comes next
    trials.advice.remarks.push_back(fmt::format("all of its {} tasks are launched as CUDA graphs already, by {} launch{}",
                                                trials.scenario.graph.size(), launched.launches, launched.launches == 1 ? "" : "es"));
  } else {
    if (launched.launches > 0)
      graph.why.push_back(fmt::format("{} of its tasks are launched by {} graph{} already", launched.tasks, launched.launches,
                                      launched.launches == 1 ? "" : "s"));
    trials.propose_schedule(graph, trials.scenario, design);
  }
  if (is_all_kernels(trials.scenario.graph)) {
    Design programmatic = design;
    programmatic.programmatic_launch = ProgrammaticLaunch::kOn;
    graph.kind = "programmatic";
    graph.what = "a CUDA graph with programmatic launches, each kernel coming onto the device while the one before ends";
    graph.why.emplace_back("assumes kernels that call cudaGridDependencySynchronize before they read; not every kernel does");
    graph.how = {"tasktwin rerun --designs programmatic -o OUT -- PROGRAM",
                 "CUDA: cudaLaunchAttributeProgrammaticStreamSerialization on each launch"};
    trials.propose(graph, trials.scenario, programmatic);
  }
  if (trials.knows_needs()) try_needed_graphs(trials, design);
  leave_out_what_adds_nothing(trials.advice.proposals);
}

}  // namespace tasktwin::verify
