#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/bounds/bounds.hpp"
#include "models/dependences/judged_order.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/output/text/json.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/rerun/plan_file.hpp"

namespace tasktwin::verify {

/// One change of a captured program, simulated.
struct Proposal {
  /// A word: graph, programmatic, needed_graph, own_memory, streams, priorities, order, wait, waits, wait_moved, waits_moved, copies,
  /// reads, allocations, host_call, host_own, pinned.
  std::string kind;
  std::string what;              ///< "a CUDA graph of its 85 tasks"
  std::string where = {};        ///< calls, kernels; empty where it is about the whole program
  std::vector<std::string> why;  ///< why it is safe, on which assumptions, and what is uncertain
  std::vector<std::string> how;  ///< how to try it: commands, and lines to write
  Duration makespan{};
  /// The schedule, which `tasktwin rerun --plan` can follow; empty where the change is none. Throws InputError as plan_of().
  std::function<PlanFile()> plan = {};

  /// What quicker code of the host would bring at most, which is no change that can be made.
  bool is_bound() const { return kind.starts_with("host_"); }
};

/// What could be changed of a captured program, and what that would bring.
struct Advice {
  std::string design;  ///< which makes the program's calls again
  Duration makespan{};
  Duration host{};  ///< of the path that is the host's
  Bounds bounds;    ///< of the work in the program's order, or in the one that it needs where that allows more
  std::size_t tried = 0;
  std::vector<Proposal> proposals;  ///< that bring kWorthwhile or more, the largest gain first; those that are bounds after the others
  std::optional<JudgedOrder> order = {};  ///< where the capture says which memory its tasks use, or has waits at all
  bool knows_memory = false;
  std::vector<std::string> waits = {};    ///< of JudgedOrder::waits, what each is called
  std::vector<std::string> remarks = {};  ///< what is not known, and small kernels
};

/// The least share of the makespan that is worth a row.
inline constexpr double kWorthwhile = 0.01;

/// Throws InputError for a scenario of no captured program, and Interrupted.
Advice advise(const scenarios::Scenario& scenario, std::uint64_t seed, Progress& progress);

/// What is known of the program's waits and of the order within its streams, in sentences; empty where that is nothing.
std::string order_sentences(const Advice& advice);
std::string advice_text(const scenarios::Scenario& scenario, const Advice& advice);
Json advice_to_json(const Advice& advice);

}  // namespace tasktwin::verify
