#pragma once

#include "models/policies/policies.hpp"

namespace tasktwin {

// The orders are those of models/rules/victim.hpp.
std::unique_ptr<VictimPolicy> make_ordered_victim(Victim victim, std::uint64_t seed);  ///< random, next, nearest
std::unique_ptr<VictimPolicy> make_most_loaded_victim(Victim victim, std::uint64_t seed);

}  // namespace tasktwin
