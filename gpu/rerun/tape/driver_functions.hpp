#pragma once

#include <atomic>
#include <utility>

#include <cuda.h>

namespace tasktwin::gpu::rerun {

/// The address of a function of the driver's, of the copy that the process has loaded; null where that has none.
void* find_driver_function(const char* name);

/// A function of the driver's, looked up when it is first called: the library is also loaded where there is no driver, and is linked
/// with none.
template <class Function>
class DriverFunction {
 public:
  explicit constexpr DriverFunction(const char* name) : name_(name) {}

  template <class... Arguments>
  CUresult operator()(Arguments&&... arguments) const {
    auto function = function_.load(std::memory_order_relaxed);
    if (!function) {
      function = reinterpret_cast<Function>(find_driver_function(name_));
      function_.store(function, std::memory_order_relaxed);
    }
    return function ? function(std::forward<Arguments>(arguments)...) : CUDA_ERROR_NOT_FOUND;
  }

 private:
  const char* name_;
  mutable std::atomic<Function> function_ = nullptr;
};

// Each by the name that cuda.h gives it, which this room's own then hide: a call reads as any call of the driver.
// NOLINTBEGIN(readability-identifier-naming, bugprone-macro-parentheses)
#define TASKTWIN_TEXT_OF(name) #name
#define TASKTWIN_TEXT(name) TASKTWIN_TEXT_OF(name)  // with the version that cuda.h appends
#define TASKTWIN_DRIVER_FUNCTION(name) \
  inline constinit DriverFunction<decltype(&::name)> name { TASKTWIN_TEXT(name) }

TASKTWIN_DRIVER_FUNCTION(cuCtxGetDevice);
TASKTWIN_DRIVER_FUNCTION(cuCtxPopCurrent);
TASKTWIN_DRIVER_FUNCTION(cuCtxPushCurrent);
TASKTWIN_DRIVER_FUNCTION(cuCtxSynchronize);
TASKTWIN_DRIVER_FUNCTION(cuDeviceGetAttribute);
TASKTWIN_DRIVER_FUNCTION(cuDeviceGetName);
TASKTWIN_DRIVER_FUNCTION(cuDeviceTotalMem);
TASKTWIN_DRIVER_FUNCTION(cuDriverGetVersion);
TASKTWIN_DRIVER_FUNCTION(cuEventCreate);
TASKTWIN_DRIVER_FUNCTION(cuEventDestroy);
TASKTWIN_DRIVER_FUNCTION(cuEventElapsedTime);
TASKTWIN_DRIVER_FUNCTION(cuEventRecord);
TASKTWIN_DRIVER_FUNCTION(cuEventSynchronize);
TASKTWIN_DRIVER_FUNCTION(cuFuncGetAttribute);
TASKTWIN_DRIVER_FUNCTION(cuFuncGetParamInfo);
TASKTWIN_DRIVER_FUNCTION(cuGetErrorString);
TASKTWIN_DRIVER_FUNCTION(cuGraphAddChildGraphNode);
TASKTWIN_DRIVER_FUNCTION(cuGraphAddDependencies);
TASKTWIN_DRIVER_FUNCTION(cuGraphAddKernelNode);
TASKTWIN_DRIVER_FUNCTION(cuGraphAddMemcpyNode);
TASKTWIN_DRIVER_FUNCTION(cuGraphAddMemsetNode);
TASKTWIN_DRIVER_FUNCTION(cuGraphChildGraphNodeGetGraph);
TASKTWIN_DRIVER_FUNCTION(cuGraphClone);
TASKTWIN_DRIVER_FUNCTION(cuGraphCreate);
TASKTWIN_DRIVER_FUNCTION(cuGraphDestroy);
TASKTWIN_DRIVER_FUNCTION(cuGraphExecDestroy);
TASKTWIN_DRIVER_FUNCTION(cuGraphGetNodes);
TASKTWIN_DRIVER_FUNCTION(cuGraphInstantiate);
TASKTWIN_DRIVER_FUNCTION(cuGraphKernelNodeGetParams);
TASKTWIN_DRIVER_FUNCTION(cuGraphKernelNodeSetAttribute);
TASKTWIN_DRIVER_FUNCTION(cuGraphLaunch);
TASKTWIN_DRIVER_FUNCTION(cuGraphMemcpyNodeGetParams);
TASKTWIN_DRIVER_FUNCTION(cuGraphMemsetNodeGetParams);
TASKTWIN_DRIVER_FUNCTION(cuGraphNodeGetType);
TASKTWIN_DRIVER_FUNCTION(cuGraphUpload);
TASKTWIN_DRIVER_FUNCTION(cuKernelGetFunction);
TASKTWIN_DRIVER_FUNCTION(cuLaunchKernel);
TASKTWIN_DRIVER_FUNCTION(cuLaunchKernelEx);
TASKTWIN_DRIVER_FUNCTION(cuMemAlloc);
TASKTWIN_DRIVER_FUNCTION(cuMemAllocHost);
TASKTWIN_DRIVER_FUNCTION(cuMemFree);
TASKTWIN_DRIVER_FUNCTION(cuMemFreeHost);
TASKTWIN_DRIVER_FUNCTION(cuMemGetInfo);
TASKTWIN_DRIVER_FUNCTION(cuMemcpy3DAsync);
TASKTWIN_DRIVER_FUNCTION(cuMemcpyAsync);
TASKTWIN_DRIVER_FUNCTION(cuMemcpyDtoH);
TASKTWIN_DRIVER_FUNCTION(cuMemcpyHtoD);
TASKTWIN_DRIVER_FUNCTION(cuMemsetD16Async);
TASKTWIN_DRIVER_FUNCTION(cuMemsetD2D16Async);
TASKTWIN_DRIVER_FUNCTION(cuMemsetD2D32Async);
TASKTWIN_DRIVER_FUNCTION(cuMemsetD2D8Async);
TASKTWIN_DRIVER_FUNCTION(cuMemsetD32Async);
TASKTWIN_DRIVER_FUNCTION(cuMemsetD8Async);
TASKTWIN_DRIVER_FUNCTION(cuModuleGetFunction);
TASKTWIN_DRIVER_FUNCTION(cuModuleLoadData);
TASKTWIN_DRIVER_FUNCTION(cuModuleUnload);
TASKTWIN_DRIVER_FUNCTION(cuPointerGetAttribute);
TASKTWIN_DRIVER_FUNCTION(cuPointerGetAttributes);
TASKTWIN_DRIVER_FUNCTION(cuStreamCreate);
TASKTWIN_DRIVER_FUNCTION(cuStreamCreateWithPriority);
TASKTWIN_DRIVER_FUNCTION(cuStreamDestroy);
TASKTWIN_DRIVER_FUNCTION(cuStreamGetFlags);
TASKTWIN_DRIVER_FUNCTION(cuStreamGetPriority);
TASKTWIN_DRIVER_FUNCTION(cuStreamSynchronize);
TASKTWIN_DRIVER_FUNCTION(cuStreamWaitEvent);
TASKTWIN_DRIVER_FUNCTION(cuThreadExchangeStreamCaptureMode);

#undef TASKTWIN_DRIVER_FUNCTION
#undef TASKTWIN_TEXT
#undef TASKTWIN_TEXT_OF
// NOLINTEND(readability-identifier-naming, bugprone-macro-parentheses)

}  // namespace tasktwin::gpu::rerun
