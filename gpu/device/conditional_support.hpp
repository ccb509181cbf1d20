#pragma once

#include <optional>
#include <string>

#include "models/axes/graphs.hpp"

namespace tasktwin::gpu {

/// Why a driver does not know the nodes that `predicates` asks for, and which one would; nullopt if it does. `driver` is the CUDA version
/// that it supports, as cudaDriverGetVersion counts: 12040 for 12.4. Known without CUDA.
std::optional<std::string> why_no_conditional_nodes(GraphPredicates predicates, int driver);

}  // namespace tasktwin::gpu
