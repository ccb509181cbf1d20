#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cupti.h>

#include "gpu/capture/call_details.hpp"
#include "gpu/capture/spool_writer.hpp"

namespace tasktwin::gpu::capture {

/// A parameter of a kernel: its place in a parameter buffer.
struct ParameterPlace {
  std::size_t offset;
  std::size_t bytes;
};

/// A kernel as the program names it.
struct Function {
  std::uint32_t id = 0;
  bool parameters_known = false;
  std::vector<ParameterPlace> parameters;
};

/// The kernels of a process. It may be used by several threads.
class KernelFunctions {
 public:
  /// Of the kernel with this mangled name, which is written once.
  std::uint32_t id(const char* name, ThreadLog& log);

  /// Of the handle that a launch names. Handles are used again, for other names. Contract: the driver's callbacks are not the program's.
  const Function& find(CUfunction handle, const char* name, ThreadLog& log);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint32_t> ids_;
  std::unordered_map<CUfunction, std::vector<std::pair<const char*, std::unique_ptr<Function>>>> functions_;
};

/// The span of all memory that was allocated: what lies outside is no pointer.
struct AddressSpan {
  std::uint64_t lowest;
  std::uint64_t highest;
};

/// Collects what may be pointers among the parameters of a launch into `pointers`, and counts in `kernel` those and what had no room.
/// False where it is not known where the parameters lie.
bool collect_pointers(const CallDetails& details, const Function& function, AddressSpan memory, KernelArguments& kernel,
                      std::span<PointerArgument> pointers);

}  // namespace tasktwin::gpu::capture
