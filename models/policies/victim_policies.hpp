#pragma once

#include "models/policies.hpp"

namespace tasktwin {

/// From a drawn start in drawn strides that meet each of the others once (the order of Go's scheduler); start and stride
/// depend on seed, thief and round.
std::unique_ptr<VictimPolicy> make_random_victim(std::uint64_t seed);
std::unique_ptr<VictimPolicy> make_next_victim(std::uint64_t seed);         ///< cyclic from the one after the thief
std::unique_ptr<VictimPolicy> make_nearest_victim(std::uint64_t seed);      ///< one after, one before, two after, two before, …
std::unique_ptr<VictimPolicy> make_most_loaded_victim(std::uint64_t seed);  ///< longest queue first; ties: lowest; never an empty one

}  // namespace tasktwin
