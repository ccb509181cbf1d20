#pragma once

#include <string_view>
#include <vector>

#include "models/design.hpp"
#include "models/machine.hpp"

namespace tasktwin {

/// The sections of a machine that `design` reads, whatever the graph. What a graph needs besides (copies, links, allocators) is checked
/// where its tasks are.
std::vector<std::string_view> mechanisms_of(const Design& design);

/// Throws InputError naming the section, or the constant, that `design` reads and `machine` does not have, or does not state.
void check_mechanisms(const Design& design, const Machine& machine);

}  // namespace tasktwin
