#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "models/policies/plug_in.hpp"

namespace tasktwin {

// Policies of the user's own, checked: each throws PolicyError, with the call, for what the policy throws and for answers with which
// nothing can be done.

/// Puts `policy` in place of a word of `axis` (order, placement, stealing, victim, fill), which gets the word of the policy whose costs it
/// has. Throws InputError if it is no policy of that axis, or if a parameter is stated that it does not have.
void set_own(Design& design, std::string_view axis, OwnPolicy policy);

/// The axis of such a policy.
std::string_view axis_of(const PolicyEntry& entry);
/// Whether it is asked before the run alone, so that an executor on a GPU can follow it: ranks and schedules.
bool is_asked_before(const OwnPolicy& policy);

std::unique_ptr<TaskOrderPolicy> make_own_order(const OwnPolicy& policy, const PolicyInputs& inputs);
std::unique_ptr<CorePolicy> make_own_placement(const OwnPolicy& policy, const TaskGraph& graph, std::span<const PastRun> so_far);
std::unique_ptr<VictimPolicy> make_own_victim(const OwnPolicy& policy, std::uint64_t seed);
std::function<std::uint32_t(std::uint32_t there)> make_own_steal_size(const OwnPolicy& policy);
std::function<bool(const rules::FillView& view)> make_own_fill(const OwnPolicy& policy);
FrozenSchedule make_own_schedule(const OwnPolicy& policy, const StaticInputs& inputs);

}  // namespace tasktwin
