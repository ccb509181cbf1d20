#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/runtimes/runtime.hpp"

namespace tasktwin {

/// All of them, in the order of RuntimeId.
inline std::span<const Runtime* const> runtimes() { return kRuntimes; }

/// The one that `design` is; null where its axes contradict each other.
const Runtime* find_runtime(const Design& design);

/// The same; throws InputError naming the nearest runtime and the axis that differs.
const Runtime& runtime_of(const Design& design);

/// The one that the tasks of a part of `design` run under.
const Runtime& runtime_of(const Design& design, const DesignPart& part);

/// Whether each dispatcher has a queue of its own.
bool has_queue_a_dispatcher(const Design& design);
/// Whether a placement made in the run asks where tasks ran before: locality, or one of the user's own.
bool asks_for_past_runs(const Design& design);
/// Whether resident cores have lists that are filled before the run.
bool has_lists(const Design& design);
/// Whether they are filled with a part of the tasks, and the others wait in a shared queue.
bool lists_some(const Design& design);

/// Whether the axis is one of the two that every row states by itself: driver and release.
bool states_runtime(std::string_view axis);

/// The use of an axis under `runtime`; null where it does not count.
const AxisUse* find_use(const Runtime& runtime, std::string_view axis);

/// Whether the axis changes what a design does, with the other axes as they are. Contract: `design` is of a runtime.
bool counts(const AxisField& axis, const Design& design);

/// Throws InputError naming the first axis that differs from its default and does not count, and those that do.
void check_axes(const Design& design);

/// The designs that have a name of their own: the first of each runtime, then the others.
std::span<const Design> named_designs();
/// What each of named_designs() is, in a line.
std::span<const std::string_view> named_design_meanings();

/// Throws InputError if `name` is none of them; the message lists them and the nearest.
const Design& named_design(std::string_view name);

}  // namespace tasktwin
