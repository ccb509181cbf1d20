#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "verify/advise/advice.hpp"
#include "verify/explain/needed_order.hpp"
#include "verify/explain/phrases.hpp"

namespace tasktwin::verify {

/// A wait before the program's last launch in which the host may use what it waits for.
struct HostWait {
  CallPlace call;
  std::vector<CallPlace> reads;  ///< launches of copies to the host that it waits for
};

/// The program that changes are tried on, and what they bring.
class Trials {
 public:
  /// Contract: `captured` makes the scenario's calls again; all outlive it.
  Trials(const scenarios::Scenario& scenario, const Design& captured, std::uint64_t seed, Progress& progress);

  /// Simulates it, and keeps it where it can run; else a remark says why not.
  bool propose(Proposal proposal, const scenarios::Scenario& changed, const Design& design);
  /// The same of a schedule that a rerun can follow.
  bool propose_schedule(Proposal proposal, scenarios::Scenario changed, const Design& design);

  /// Whether what its tasks need of each other is known.
  bool knows_needs() const { return advice.knows_memory && advice.order.has_value(); }
  /// The work as its memory needs it; `reuse`: in the order too that only memory makes which is given out again.
  scenarios::Scenario needed(bool reuse = true) const;
  /// What memory needs and the program's calls do not order, a sentence.
  std::string unordered() const;
  /// What of the run is the host's, a sentence.
  std::string uncertain() const;
  /// What its graphs cannot hold, a sentence; `whole`: where one graph is of all its work, so that nothing may block in between.
  std::string graphs_assume(bool whole) const;

  const scenarios::Scenario& scenario;
  const Design& captured;
  const std::uint64_t seed;
  std::size_t allocations = 0;  ///< calls that allocate or free
  Duration preparing{};         ///< the host's in these, and in loading modules
  std::size_t syncs = 0;        ///< calls that block
  std::vector<HostWait> host_waits = {};
  bool reads_at_end = false;  ///< after its last launch it waits for copies to the host
  Advice advice;

 private:
  Progress& progress_;
};

/// Which of the program's waits are needed: Advice::order and `waits`, where that can be told; else remarks say why not. Comes first.
void judge_waits(Trials& trials);

/// Trials::host_waits. Comes after judge_waits().
void find_host_waits(Trials& trials);

// The changes, by what they are of; each adds its proposals and remarks. Those that launch in another way than the program's calls are
// not tried where the host may use between two launches what it waits for.
void try_host_waits(Trials& trials);
void try_graphs(Trials& trials);
void try_streams(Trials& trials);
void try_waits(Trials& trials);
void try_host(Trials& trials);

/// How much less a change takes than what it is held against, as a share of that.
inline double gain(Duration before, Duration after) { return share(before - after, before); }

}  // namespace tasktwin::verify
