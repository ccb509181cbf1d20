#pragma once

#include <vector>

#include "models/graph/own_kernels.hpp"

namespace tasktwin::gpu {

/// Registers of a thread of each of a scenario's own kernels, as it is launched. Contract: there is a GPU. Throws InputError where one does
/// not compile, RunError without CUDA's compiler and linker.
std::vector<int> own_kernel_registers(const OwnKernels& own);

}  // namespace tasktwin::gpu
