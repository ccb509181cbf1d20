#pragma once

#include <span>
#include <vector>

#include "models/base/ids.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/limits.hpp"

namespace tasktwin {

/// The whole clusters among `cores` (design.hpp: worker_cores), each as its cores' ids, ascending: the k-th has the k-th
/// `per_cluster` cores of every group that belongs to clusters. None where no group does.
std::vector<std::vector<CoreId>> clusters(std::span<const CoreGroup> groups, std::span<const CoreType> cores);

/// Whether some task is for a cluster.
bool has_mix_tasks(const TaskGraph& graph);

}  // namespace tasktwin
