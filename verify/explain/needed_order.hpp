#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/dependences/moved_waits.hpp"
#include "models/graph/task_graph.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// What calls that wait are called: "cudaStreamWaitEvent#2" is the second of that name, in the order of the program's calls.
std::vector<std::pair<CallPlace, std::string>> waiting_calls(const HostProgram& program);

/// Which of the dependences that memory shows.
struct NeededEdges {
  bool unordered = false;  ///< those too that the program's calls do not order: a run of these calls breaks them
  bool reuse = true;       ///< those too that only memory makes which is given out again
};

/// Whether the program's calls show all that orders its work: several threads may order theirs by other means.
bool shows_all_order(const HostProgram& program);

/// The work with them, in place of those of streams and waits; what launches of several tasks order stays. Throws InputError where the file
/// says nothing of memory.
TaskGraph with_needed_edges(const scenarios::Scenario& scenario, const NeededEdges& wanted);

/// The program without these waits, and of its work's order what is left. Contract: it has a program, and they are calls of it that wait.
scenarios::Scenario without_waits(const scenarios::Scenario& scenario, std::span<const CallPlace> calls);

/// The program in which that wait is for the end of `task` alone (models/dependences/moved_waits.hpp). Contract: as without_waits(); `task`
/// is launched before the call.
scenarios::Scenario with_wait_behind(const scenarios::Scenario& scenario, const CallPlace& call, TaskId task);

/// The program with waits of streams for events in place of those waits. Contract: as without_waits(), and as tasktwin::with_orders().
scenarios::Scenario with_orders(const scenarios::Scenario& scenario, std::span<const ReplacedWait> waits);

/// The dependences that memory shows and the calls of `before` order, but those of `after` do not; where the file says nothing of memory
/// the edges of its order, of kind `unknown`. Contract: `after` was made of `before` by the functions above.
std::vector<Dependence> no_longer_ordered(const scenarios::Scenario& before, const scenarios::Scenario& after);

}  // namespace tasktwin::verify
