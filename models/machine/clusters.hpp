#pragma once

#include <span>
#include <vector>

#include "models/machine/machine.hpp"

namespace tasktwin {

/// The whole clusters among `cores` (design.hpp: worker_cores), each as its cores' ids, ascending: the k-th has the k-th
/// `per_cluster` cores of every group that belongs to clusters. None where no group does.
std::vector<std::vector<CoreId>> clusters(const Machine& machine, std::span<const CoreType> cores);

}  // namespace tasktwin
