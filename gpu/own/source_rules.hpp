#pragma once

#include <string>
#include <vector>

#include "models/graph/own_kernels.hpp"

namespace tasktwin::gpu {

/// What of a source a compiler takes, but a worker's loop does not.
struct BrokenRule {
  std::string file;
  int line = 0;
  int column = 0;
  std::string text;
  bool refused = false;  ///< no kernel of the scenario can be run; else it may be meant, as for a kernel that is launched alone
};

/// By the words of the scenario's sources themselves, without what they include: a kernel where a function of the device has to be, and
/// threadIdx, __syncthreads, static shared memory and the like, which are those of a worker's block there. Sources that cannot be read
/// have none.
std::vector<BrokenRule> broken_rules(const OwnKernels& own);

}  // namespace tasktwin::gpu
