#pragma once

#include <cstdint>
#include <string_view>

#include <cupti.h>

#include "gpu/capture/spool.hpp"

namespace tasktwin::gpu::capture {

/// What a driver call's arguments say, read when it has returned. Handles are as the program has them.
struct CallDetails {
  Op op = Op::kOther;
  std::uint16_t flags = 0;
  bool has_stream = false;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  OtherArguments other{};

  // Of kernels only.
  CUfunction function = nullptr;
  KernelArguments kernel{};
  void** parameters = nullptr;  ///< one pointer a parameter, or
  void** extra = nullptr;       ///< a buffer, as cuLaunchKernel takes it

  void on(CUstream which) {
    stream = which;
    has_stream = true;
  }
};

using ReadDetails = void (*)(const void* parameters, CallDetails& details);

/// A call of the runtime or the driver that is recorded.
struct RecordedCall {
  Op op = Op::kOther;
  bool recorded = false;
  bool per_thread = false;     ///< stream 0 is the thread's own
  ReadDetails read = nullptr;  ///< null: of the runtime, whose arguments the driver call within it has
  std::string_view name{};     ///< without suffixes
};

/// The call named `name`, as CUPTI has it: with the suffixes of versions and of per-thread default streams. Its own name is part of `name`.
RecordedCall find_runtime_call(const char* name);
RecordedCall find_driver_call(const char* name);

}  // namespace tasktwin::gpu::capture
