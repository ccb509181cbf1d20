#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "models/explain/observed_path.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::verify {

/// The machine with all constants of the group at nothing.
Machine without(Machine machine, CostGroup group);
/// The scenario on that machine; without the host's costs a captured program's host takes no time either.
scenarios::Scenario without(scenarios::Scenario scenario, CostGroup group);

/// The scenario's captured program without what counts as `cause` on paths of the design, be that `launch` or one of the host; where a name
/// is given, only calls of that name, of host_own the range of that name.
HostProgram program_without(const scenarios::Scenario& scenario, const Design& design, PathCause cause,
                            std::optional<std::uint32_t> name = {});

/// Whether the design makes calls of its own in place of those of the scenario's program, if there is one.
bool calls_itself(const scenarios::Scenario& scenario, const Design& design);

/// What a call is called that the design makes at this task, in place of a captured program's if there is one.
std::string_view call_of_design(const scenarios::Scenario& scenario, const Design& design, TaskId task);

/// The groups named in `words` ("polling,hops", or "all"), in the order of CostGroup. Throws InputError for another word, said of `option`.
std::vector<CostGroup> cost_groups_named(std::string_view words, std::string_view option);

/// A scenario's run under a design, imagined without one of the causes on its path.
struct Hypothetical {
  scenarios::Scenario scenario;
  Design design;
  std::vector<Duration> bodies = {};  ///< by TaskId, in place of what kernels' bodies take; empty for as in predict()

  Timeline timeline(std::uint64_t seed) const;
  Duration makespan(std::uint64_t seed) const { return timeline(seed).makespan(); }
};

/// Bodies and constants take nothing, cores are many times as many, queues and windows have no end, the host waits on the device, a barrier
/// is no barrier, a captured host's part takes no time. Throws InputError for causes without which no run can be imagined: `skew`, `rest`,
/// `replays`.
Hypothetical without(const scenarios::Scenario& scenario, const Design& design, PathCause cause);

/// The same without calls of one name, or one range: those of a segment that counts as time of the host.
Hypothetical without_call(const scenarios::Scenario& scenario, const Design& design, const PathSegment& segment);

}  // namespace tasktwin::verify
