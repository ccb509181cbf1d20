#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "models/machine.hpp"
#include "models/task_graph.hpp"
#include "scenarios/generator.hpp"

namespace tasktwin::scenarios {

std::span<const Generator> generators();

/// Throws InputError if `name` is none; the message lists them and the nearest.
const Generator& generator(std::string_view name);

/// Throws InputError, with the arithmetic, for a graph larger than that or of longer bodies than check_total_time() lets through, and
/// ParameterError as `plan` does, and for a core type that `machine` lacks: a large graph takes gigabytes, which only a sound one gets.
/// Without a machine any is taken.
TaskGraph generate(const Generator& generator, const GivenParameters& given, std::uint64_t seed, const Machine* machine = nullptr);

}  // namespace tasktwin::scenarios
