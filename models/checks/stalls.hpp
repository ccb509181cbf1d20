#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/policies/policies.hpp"

namespace tasktwin {

/// Tasks that keep from each other what each of them still waits for, so that none ever ends.
struct Stall {
  std::string_view kind = {};        ///< of stall_kinds()
  std::vector<TaskId> holders = {};  ///< the fewest that were found: each holds something, and none can go on
  std::string why = {};              ///< who holds what and waits for what
  std::string remedy = {};           ///< what avoids it; empty where `why` says so

  /// Both as a sentence.
  std::string text() const { return remedy.empty() ? why : why + "; " + remedy; }
};

/// What is asked about. Contract: check_design has passed; what is passed outlives it.
struct StallCase {
  const TaskGraph& graph;
  const Machine& machine;
  const Design& design;
  const FrozenSchedule& lists;  ///< of a design that has some (has_lists); else empty
};

/// One way in which runs hang. To add one: a function, and a line in the table of stalls.cpp.
struct StallKind {
  /// In every order of events, or in some, so that a run may not show it.
  enum class Comes { kAlways, kInSomeOrders };

  std::string_view name;
  Comes comes;
  std::string_view meaning;  ///< what holds what, and waits for what
  std::optional<Stall> (*find)(const StallCase&);
};
std::span<const StallKind> stall_kinds();

/// The first stall of each kind.
std::vector<Stall> find_stalls(const StallCase& asked);
/// The first that comes in every order.
std::optional<Stall> certain_stall(const StallCase& asked);

/// Those that need not come, a sentence each: for remarks, and for runs that have come to a standstill.
std::vector<std::string> possible_stalls(const TaskGraph& graph, const Machine& machine, const Design& design);

/// At most eight of them by name, and how many others there are.
std::string listed(const TaskGraph& graph, std::span<const TaskId> tasks);

}  // namespace tasktwin
