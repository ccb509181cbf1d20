#pragma once

#include <functional>

namespace tasktwin::tests {

/// Stands for CUDA's driver in gpu/rerun: the device is the host, and what is launched runs at once, in the order of launching. It knows
/// memory, copies, memsets, graphs of these, and the two kernels that compare memory and put it back; all else succeeds and does nothing.
class HostDriver {
 public:
  /// Called after each memset, with its number from 1 and whether a graph has it: what a device may do otherwise.
  static void after_set(std::function<void(int number, bool in_graph)> call);
};

}  // namespace tasktwin::tests
