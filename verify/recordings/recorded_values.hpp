#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "models/machine/fields/field.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/formats/json_place.hpp"

namespace tasktwin::verify {

/// How many runs a recording may hold and how long each may take, 25 hours in ns: their sum stays within 64 bits.
inline constexpr std::int64_t kMostRuns = 100'000;
inline constexpr std::int64_t kLongestRunNs = 90'000'000'000'000;

/// The largest file of facts, in bytes.
inline constexpr std::size_t kMaxFactsBytes = std::size_t{1} << 24;

// Each reads a value of the JSON files that a measurement leaves, and refuses at its place what no run could have given.

/// 1 to kMostRuns whole numbers of ns, each 1 to kLongestRunNs.
std::vector<Duration> durations_from(const scenarios::JsonPlace& place);
/// ns, 0 or more.
Nanoseconds nanoseconds_from(const scenarios::JsonPlace& place);
/// From {"used_bytes", "reserved_bytes"}.
MemorySample memory_from(const scenarios::JsonPlace& place);
/// From runs of equal types: [{"type", "count"}, …].
std::vector<CoreType> cores_from(const scenarios::JsonPlace& place);
/// A design's axes as text: a JSON object of plain values.
std::string axes_from(const scenarios::JsonPlace& place);
/// A count of faults, 0 or more.
std::int64_t count_from(const scenarios::JsonPlace& place);
/// 0 or more.
double residual_from(const scenarios::JsonPlace& place);
/// As Fnv1a::to_string writes it.
std::string hash_from(const scenarios::JsonPlace& place);

}  // namespace tasktwin::verify
