#include "gpu/task_kernels/own_registers.hpp"

#include "gpu/own/linked_kernels.hpp"
#include "gpu/task_kernels/stream_kernels.hpp"

namespace tasktwin::gpu {

std::vector<int> own_kernel_registers(const OwnKernels& own) {
  const LinkedKernels linked(own, {});
  std::vector<int> registers;
  for (std::size_t i = 0; i < own.kernels.size(); ++i) registers.push_back(task_registers(linked, i));
  return registers;
}

}  // namespace tasktwin::gpu
