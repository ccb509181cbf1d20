#include <array>
#include <cctype>
#include <string_view>

#include "gpu/capture/api_name.hpp"

#include "gpu/capture/call_details.hpp"

namespace tasktwin::gpu::capture {

namespace {

struct RuntimeCall {
  std::string_view name;  ///< ends in '*': whatever begins so
  Op op;
};

/// The first that fits counts. Calls that neither order work nor allocate nor define graphs are not here.
constexpr auto kRuntimeCalls = std::to_array<RuntimeCall>({
    {"cudaLaunchKernel", Op::kKernel},
    {"__cudaLaunchKernel", Op::kKernel},
    {"cudaLaunchKernelExC", Op::kKernel},
    {"cudaLaunchCooperativeKernel", Op::kKernel},
    {"cudaLaunchHostFunc", Op::kHostFunction},
    {"cudaStreamAddCallback", Op::kHostFunction},
    {"cudaMemcpy*", Op::kMemcpy},
    {"cudaMemset*", Op::kMemset},
    {"cudaEventCreate", Op::kEventCreate},
    {"cudaEventCreateWithFlags", Op::kEventCreate},
    {"cudaEventDestroy", Op::kEventDestroy},
    {"cudaEventRecord", Op::kEventRecord},
    {"cudaEventRecordWithFlags", Op::kEventRecord},
    {"cudaEventSynchronize", Op::kEventSync},
    {"cudaEventQuery", Op::kEventQuery},
    {"cudaStreamWaitEvent", Op::kStreamWaitEvent},
    {"cudaStreamCreate", Op::kStreamCreate},
    {"cudaStreamCreateWithFlags", Op::kStreamCreate},
    {"cudaStreamCreateWithPriority", Op::kStreamCreate},
    {"cudaStreamDestroy", Op::kStreamDestroy},
    {"cudaStreamSynchronize", Op::kStreamSync},
    {"cudaStreamQuery", Op::kStreamQuery},
    {"cudaStreamBeginCapture", Op::kCaptureBegin},
    {"cudaStreamBeginCaptureToGraph", Op::kCaptureBegin},
    {"cudaStreamEndCapture", Op::kCaptureEnd},
    {"cudaDeviceSynchronize", Op::kDeviceSync},
    {"cudaThreadSynchronize", Op::kDeviceSync},
    {"cudaMalloc", Op::kMalloc},
    {"cudaMallocPitch", Op::kMalloc},
    {"cudaMalloc3D", Op::kMalloc},
    {"cudaMallocAsync", Op::kMallocAsync},
    {"cudaMallocFromPoolAsync", Op::kMallocAsync},
    {"cudaMallocHost", Op::kMallocHost},
    {"cudaHostAlloc", Op::kMallocHost},
    {"cudaMallocManaged", Op::kMallocManaged},
    {"cudaFree", Op::kFree},
    {"cudaFreeAsync", Op::kFreeAsync},
    {"cudaFreeHost", Op::kFreeHost},
    {"cudaHostRegister", Op::kHostRegister},
    {"cudaHostUnregister", Op::kHostUnregister},
    {"cudaGraphCreate", Op::kGraphCreate},
    {"cudaGraphClone", Op::kGraphCreate},
    {"cudaGraphAdd*", Op::kGraphAddNode},
    {"cudaGraphInstantiate*", Op::kGraphInstantiate},
    {"cudaGraphLaunch", Op::kGraphLaunch},
    {"cudaGraphUpload", Op::kGraphUpload},
    {"cudaGraphExecDestroy", Op::kGraphExecDestroy},
    {"cudaGraphExecGet*", Op::kOther},  // not recorded
    {"cudaGraphExec*", Op::kGraphUpdate},
    {"cudaGraphDestroy", Op::kGraphDestroy},
});

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.back() != '*') return pattern == name;
  pattern.remove_suffix(1);
  return name.starts_with(pattern);
}

bool ends_in_version(std::string_view name) {
  const std::size_t at = name.rfind("_v");
  if (at == std::string_view::npos || at + 2 == name.size()) return false;
  for (const char c : name.substr(at + 2)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  }
  return true;
}

}  // namespace

RecordedCall find_runtime_call(const char* name) {
  std::string_view base(name);
  while (ends_in_version(base)) base = base.substr(0, base.rfind("_v"));  // cudaGraphInstantiate_v12000
  RecordedCall call;
  call.per_thread = take_per_thread_mark(base);
  for (const RuntimeCall& one : kRuntimeCalls) {
    if (!fits(one.name, base)) continue;
    call.op = one.op;
    call.recorded = one.op != Op::kOther;
    call.name = base.starts_with("__") ? base.substr(2) : base;  // __cudaLaunchKernel is what nvcc 13's launches call
    break;
  }
  return call;
}

}  // namespace tasktwin::gpu::capture
