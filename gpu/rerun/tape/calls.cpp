#include "gpu/rerun/tape/calls.hpp"

#include <array>
#include <string>
#include <string_view>

#include <cupti.h>

#include "gpu/capture/api_name.hpp"

namespace tasktwin::gpu::rerun {

namespace {

using Take = void (*)(Recording& recording, const Call& call);
using MemoryKind = ProgramMemory::Kind;

/// `Read` for arguments of type `P`, as CUPTI hands them on.
template <class P, class Read>
constexpr Take with(Read /*read*/) {
  return [](Recording& recording, const Call& call) { Read{}(*static_cast<const P*>(call.parameters), recording, call); };
}

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }
std::uint64_t address(CUdeviceptr pointer) { return pointer; }

Operation shape_of(const auto& p) {
  Operation shape;
  shape.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  shape.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  shape.shared_bytes = p.sharedMemBytes;
  return shape;
}

constexpr auto kLaunch = [](const auto& p, Recording& r, const Call& call) {
  r.kernel(call, p.f, p.hStream, shape_of(p), p.kernelParams, p.extra);
};
constexpr auto kLaunchExtended = [](const cuLaunchKernelEx_params& p, Recording& r, const Call& call) {
  Operation shape = shape_of(*p.config);
  shape.attributes.assign(p.config->attrs, p.config->attrs + p.config->numAttrs);
  r.kernel(call, p.f, p.config->hStream, std::move(shape), p.kernelParams, p.extra);
};
constexpr auto kLaunchCooperative = [](const cuLaunchCooperativeKernel_params& p, Recording& r, const Call& call) {
  Operation shape = shape_of(p);
  CUlaunchAttribute cooperative{};
  cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  cooperative.value.cooperative = 1;
  shape.attributes.push_back(cooperative);
  r.kernel(call, p.f, p.hStream, std::move(shape), p.kernelParams, nullptr);
};

constexpr auto kCopy = [](const auto& p, Recording& r, const Call& call) {
  const auto to = [&] {
    if constexpr (requires { p.dstHost; }) {
      return address(p.dstHost);
    } else if constexpr (requires { p.dstDevice; }) {
      return address(p.dstDevice);
    } else {
      return address(p.dst);
    }
  }();
  const auto from = [&] {
    if constexpr (requires { p.srcHost; }) {
      return address(p.srcHost);
    } else if constexpr (requires { p.srcDevice; }) {
      return address(p.srcDevice);
    } else {
      return address(p.src);
    }
  }();
  // Copies within the device return before they are done, those with the host afterwards.
  constexpr bool within_device = requires { p.dstDevice + p.srcDevice; };
  if constexpr (requires { p.hStream; }) {
    r.copy(call, to, from, p.ByteCount, p.hStream, false);
  } else {
    r.copy(call, to, from, p.ByteCount, nullptr, !within_device);
  }
};

CUDA_MEMCPY3D block_of(const CUDA_MEMCPY3D& copy) { return copy; }
CUDA_MEMCPY3D block_of(const CUDA_MEMCPY2D& copy) {
  CUDA_MEMCPY3D block{};
  block.srcXInBytes = copy.srcXInBytes;
  block.srcY = copy.srcY;
  block.srcMemoryType = copy.srcMemoryType;
  block.srcHost = copy.srcHost;
  block.srcDevice = copy.srcDevice;
  block.srcArray = copy.srcArray;
  block.srcPitch = copy.srcPitch;
  block.dstXInBytes = copy.dstXInBytes;
  block.dstY = copy.dstY;
  block.dstMemoryType = copy.dstMemoryType;
  block.dstHost = copy.dstHost;
  block.dstDevice = copy.dstDevice;
  block.dstArray = copy.dstArray;
  block.dstPitch = copy.dstPitch;
  block.WidthInBytes = copy.WidthInBytes;
  block.Height = copy.Height;
  block.Depth = 1;
  return block;
}
constexpr auto kBlockCopy = [](const auto& p, Recording& r, const Call& call) {
  if constexpr (requires { p.hStream; }) {
    r.copy(call, block_of(*p.pCopy), p.hStream, false);
  } else {
    r.copy(call, block_of(*p.pCopy), nullptr, true);
  }
};

constexpr auto kMemset = [](const auto& p, Recording& r, const Call& call) {
  CUDA_MEMSET_NODE_PARAMS what{};
  what.dst = p.dstDevice;
  if constexpr (requires { p.uc; }) {
    what.elementSize = 1;
    what.value = p.uc;
  } else if constexpr (requires { p.us; }) {
    what.elementSize = 2;
    what.value = p.us;
  } else {
    what.elementSize = 4;
    what.value = p.ui;
  }
  if constexpr (requires { p.N; }) {
    what.width = p.N;
    what.height = 1;
  } else {
    what.width = p.Width;
    what.height = p.Height;
    what.pitch = p.dstPitch;
  }
  if constexpr (requires { p.hStream; }) {
    r.set(call, what, p.hStream);
  } else {
    r.set(call, what, nullptr);
  }
};

constexpr auto kRecord = [](const auto& p, Recording& r, const Call& call) { r.record(call, p.hEvent, p.hStream); };

template <MemoryKind kKind>
constexpr auto kAllocated = [](const auto& p, Recording& r, const Call& call) {
  const auto base = [&] {
    if constexpr (requires { p.dptr; }) {
      return address(*p.dptr);
    } else if constexpr (requires { p.pp; }) {
      return address(*p.pp);
    } else if constexpr (requires { p.ptr; }) {
      return address(p.ptr);
    } else {
      return address(p.p);
    }
  }();
  const std::size_t bytes = [&] {
    if constexpr (requires { p.pPitch; }) {
      return *p.pPitch * p.Height;
    } else if constexpr (requires { p.bytesize; }) {
      return p.bytesize;
    } else {
      return p.size;
    }
  }();
  r.allocated({base, bytes, kKind, call.context});
};
constexpr auto kFreed = [](const auto& p, Recording& r, const Call& /*call*/) {
  if constexpr (requires { p.dptr; }) {
    constexpr bool in_stream_order = requires { p.hStream; };
    r.freed(address(p.dptr), in_stream_order ? "cudaFreeAsync" : "cudaFree");
  } else if constexpr (requires { p.ptr; }) {
    r.freed(address(p.ptr), "cuMemUnmap");
  } else {
    r.freed(address(p.p), "cudaFreeHost");
  }
};

constexpr auto kInstantiated = [](const auto& p, Recording& r, const Call& /*call*/) {
  if (p.phGraphExec) r.instantiated(*p.phGraphExec, p.hGraph);
};
constexpr auto kUpdated = [](const auto& p, Recording& r, const Call& /*call*/) { r.instantiated(p.hGraphExec, p.hGraph); };
constexpr auto kChanged = [](const auto& p, Recording& r, const Call& /*call*/) { r.changed(p.hGraphExec); };

struct Entry {
  std::string_view name;
  Take take;
  bool always = false;
  bool sync_all = false;
  bool captures = false;
};

constexpr auto kCalls = std::to_array<Entry>({
    {"cuLaunchKernel", with<cuLaunchKernel_params>(kLaunch)},
    {"cuLaunchKernelEx", with<cuLaunchKernelEx_params>(kLaunchExtended)},
    {"cuLaunchCooperativeKernel", with<cuLaunchCooperativeKernel_params>(kLaunchCooperative)},

    {"cuMemcpyHtoD_v2", with<cuMemcpyHtoD_v2_params>(kCopy)},
    {"cuMemcpyDtoH_v2", with<cuMemcpyDtoH_v2_params>(kCopy)},
    {"cuMemcpyDtoD_v2", with<cuMemcpyDtoD_v2_params>(kCopy)},
    {"cuMemcpy", with<cuMemcpy_params>(kCopy)},
    {"cuMemcpyHtoDAsync_v2", with<cuMemcpyHtoDAsync_v2_params>(kCopy)},
    {"cuMemcpyDtoHAsync_v2", with<cuMemcpyDtoHAsync_v2_params>(kCopy)},
    {"cuMemcpyDtoDAsync_v2", with<cuMemcpyDtoDAsync_v2_params>(kCopy)},
    {"cuMemcpyAsync", with<cuMemcpyAsync_params>(kCopy)},
    {"cuMemcpy2D_v2", with<cuMemcpy2D_v2_params>(kBlockCopy)},
    {"cuMemcpy2DUnaligned_v2", with<cuMemcpy2DUnaligned_v2_params>(kBlockCopy)},
    {"cuMemcpy3D_v2", with<cuMemcpy3D_v2_params>(kBlockCopy)},
    {"cuMemcpy2DAsync_v2", with<cuMemcpy2DAsync_v2_params>(kBlockCopy)},
    {"cuMemcpy3DAsync_v2", with<cuMemcpy3DAsync_v2_params>(kBlockCopy)},

    {"cuMemsetD8_v2", with<cuMemsetD8_v2_params>(kMemset)},
    {"cuMemsetD16_v2", with<cuMemsetD16_v2_params>(kMemset)},
    {"cuMemsetD32_v2", with<cuMemsetD32_v2_params>(kMemset)},
    {"cuMemsetD2D8_v2", with<cuMemsetD2D8_v2_params>(kMemset)},
    {"cuMemsetD2D16_v2", with<cuMemsetD2D16_v2_params>(kMemset)},
    {"cuMemsetD2D32_v2", with<cuMemsetD2D32_v2_params>(kMemset)},
    {"cuMemsetD8Async", with<cuMemsetD8Async_params>(kMemset)},
    {"cuMemsetD16Async", with<cuMemsetD16Async_params>(kMemset)},
    {"cuMemsetD32Async", with<cuMemsetD32Async_params>(kMemset)},
    {"cuMemsetD2D8Async", with<cuMemsetD2D8Async_params>(kMemset)},
    {"cuMemsetD2D16Async", with<cuMemsetD2D16Async_params>(kMemset)},
    {"cuMemsetD2D32Async", with<cuMemsetD2D32Async_params>(kMemset)},

    {"cuGraphLaunch",
     with<cuGraphLaunch_params>([](const auto& p, Recording& r, const Call& call) { r.graph_launch(call, p.hGraph, p.hStream); })},

    {"cuEventRecord", with<cuEventRecord_params>(kRecord)},
    {"cuEventRecordWithFlags", with<cuEventRecordWithFlags_params>(kRecord)},
    {"cuStreamWaitEvent",
     with<cuStreamWaitEvent_params>([](const auto& p, Recording& r, const Call& call) { r.wait(call, p.hEvent, p.hStream); })},
    {"cuEventSynchronize",
     with<cuEventSynchronize_params>([](const auto& p, Recording& r, const Call& /*call*/) { r.sync_event(p.hEvent); })},
    {"cuEventQuery", with<cuEventQuery_params>([](const auto& p, Recording& r, const Call& /*call*/) { r.sync_event(p.hEvent); })},
    {"cuStreamSynchronize",
     with<cuStreamSynchronize_params>([](const auto& p, Recording& r, const Call& call) { r.sync_stream(call, p.hStream); })},
    {"cuStreamQuery", with<cuStreamQuery_params>([](const auto& p, Recording& r, const Call& call) { r.sync_stream(call, p.hStream); })},
    {"cuCtxSynchronize", [](Recording& r, const Call& /*call*/) { r.sync_all(); }, false, true},
    {"cuCtxSynchronize_v2", [](Recording& r, const Call& /*call*/) { r.sync_all(); }, false, true},
    {"cuStreamDestroy_v2",
     with<cuStreamDestroy_v2_params>([](const auto& p, Recording& r, const Call& /*call*/) { r.stream_destroyed(p.hStream); })},
    {"cuEventDestroy_v2",
     with<cuEventDestroy_v2_params>([](const auto& p, Recording& r, const Call& /*call*/) { r.event_destroyed(p.hEvent); })},

    {"cuMemAlloc_v2", with<cuMemAlloc_v2_params>(kAllocated<MemoryKind::kDevice>), true},
    {"cuMemAllocPitch_v2", with<cuMemAllocPitch_v2_params>(kAllocated<MemoryKind::kDevice>), true},
    {"cuMemAllocAsync", with<cuMemAllocAsync_params>(kAllocated<MemoryKind::kDevice>), true},
    {"cuMemAllocFromPoolAsync", with<cuMemAllocFromPoolAsync_params>(kAllocated<MemoryKind::kDevice>), true},
    {"cuMemMap", with<cuMemMap_params>(kAllocated<MemoryKind::kDevice>), true},
    {"cuMemAllocManaged", with<cuMemAllocManaged_params>(kAllocated<MemoryKind::kManaged>), true},
    {"cuMemAllocHost_v2", with<cuMemAllocHost_v2_params>(kAllocated<MemoryKind::kHost>), true},
    {"cuMemHostAlloc", with<cuMemHostAlloc_params>(kAllocated<MemoryKind::kHost>), true},
    {"cuMemHostRegister_v2", with<cuMemHostRegister_v2_params>(kAllocated<MemoryKind::kHost>), true},
    {"cuIpcOpenMemHandle_v2", with<cuIpcOpenMemHandle_v2_params>([](const auto& p, Recording& r, const Call& call) {
       r.allocated({address(*p.pdptr), 1, MemoryKind::kOtherProcess, call.context});
     }),
     true},
    {"cuMemFree_v2", with<cuMemFree_v2_params>(kFreed), true},
    {"cuMemFreeAsync", with<cuMemFreeAsync_params>(kFreed), true},
    {"cuMemUnmap", with<cuMemUnmap_params>(kFreed), true},
    {"cuMemFreeHost", with<cuMemFreeHost_params>(kFreed), true},
    {"cuMemHostUnregister", with<cuMemHostUnregister_params>(kFreed), true},

    {"cuGraphInstantiate", with<cuGraphInstantiate_params>(kInstantiated), true},
    {"cuGraphInstantiate_v2", with<cuGraphInstantiate_v2_params>(kInstantiated), true},
    {"cuGraphInstantiateWithFlags", with<cuGraphInstantiateWithFlags_params>(kInstantiated), true},
    {"cuGraphInstantiateWithParams", with<cuGraphInstantiateWithParams_params>(kInstantiated), true},
    {"cuGraphExecUpdate", with<cuGraphExecUpdate_params>(kUpdated), true},
    {"cuGraphExecUpdate_v2", with<cuGraphExecUpdate_v2_params>(kUpdated), true},
    {"cuGraphExecKernelNodeSetParams", with<cuGraphExecKernelNodeSetParams_params>(kChanged), true},
    {"cuGraphExecKernelNodeSetParams_v2", with<cuGraphExecKernelNodeSetParams_v2_params>(kChanged), true},
    {"cuGraphExecMemcpyNodeSetParams", with<cuGraphExecMemcpyNodeSetParams_params>(kChanged), true},
    {"cuGraphExecMemsetNodeSetParams", with<cuGraphExecMemsetNodeSetParams_params>(kChanged), true},
    {"cuGraphExecChildGraphNodeSetParams", with<cuGraphExecChildGraphNodeSetParams_params>(kChanged), true},
    {"cuGraphExecNodeSetParams", with<cuGraphExecNodeSetParams_params>(kChanged), true},
    {"cuStreamBeginCapture", [](Recording& r, const Call& call) { if (!call.failed) r.capture_begins(); }, true, false, true},
    {"cuStreamBeginCapture_v2", [](Recording& r, const Call& call) { if (!call.failed) r.capture_begins(); }, true, false, true},
    {"cuStreamBeginCaptureToGraph", [](Recording& r, const Call& call) { if (!call.failed) r.capture_begins(); }, true, false, true},
    // A capture that has failed ends all the same.
    {"cuStreamEndCapture", [](Recording& r, const Call& /*call*/) { r.capture_ends(); }, true, false, true},
    {"cuGraphExecDestroy",
     with<cuGraphExecDestroy_params>([](const auto& p, Recording& r, const Call& /*call*/) { r.exec_destroyed(p.hGraphExec); }), true},
});

/// What cannot be run again, by how its name begins. Names above come first.
struct Refused {
  std::string_view begins;
  Take take;
};
constexpr auto kRefused = std::to_array<Refused>({
    {"cuLaunchHostFunc", [](Recording& r, const Call& /*call*/) { r.refuse("a host function (cudaLaunchHostFunc)"); }},
    {"cuStreamAddCallback", [](Recording& r, const Call& /*call*/) { r.refuse("a host function (cudaStreamAddCallback)"); }},
    {"cuLaunchCooperativeKernelMultiDevice", [](Recording& r, const Call& /*call*/) { r.refuse("a launch over several devices"); }},
    {"cuMemcpy", [](Recording& r, const Call& /*call*/) { r.refuse("a copy between devices, arrays or in batches"); }},
    {"cuModuleUnload", [](Recording& r, const Call& /*call*/) { r.refuse("a module is unloaded inside of the range"); }},
    {"cuLibraryUnload", [](Recording& r, const Call& /*call*/) { r.refuse("a module is unloaded inside of the range"); }},
    {"cuMemPrefetch", [](Recording& r, const Call& /*call*/) { r.refuse("managed memory (cudaMemPrefetchAsync)"); }},
    {"cuStreamWaitValue", [](Recording& r, const Call& /*call*/) { r.refuse("a wait for a value in memory (cuStreamWaitValue)"); }},
    {"cuStreamWriteValue", [](Recording& r, const Call& /*call*/) { r.refuse("a value that a stream writes (cuStreamWriteValue)"); }},
    {"cuStreamBatchMemOp", [](Recording& r, const Call& /*call*/) { r.refuse("waits for values in memory (cuStreamBatchMemOp)"); }},
});

}  // namespace

KnownCall find_call(const char* name) {
  std::string_view base(name);
  KnownCall known;
  known.per_thread = take_per_thread_mark(base);
  for (const Entry& one : kCalls) {
    if (one.name == base) return {one.take, one.always, known.per_thread, one.sync_all, one.captures};
  }
  for (const Refused& one : kRefused) {
    if (base.starts_with(one.begins)) return {one.take, false, known.per_thread, false, false};
  }
  return known;
}

}  // namespace tasktwin::gpu::rerun
