#include <array>
#include <string_view>
#include <utility>

#include "gpu/capture/api_name.hpp"

#include "gpu/capture/call_details.hpp"

namespace tasktwin::gpu::capture {

namespace {

struct DriverCall {
  std::string_view name;
  Op op;
  ReadDetails read;
};

/// `Read` for arguments of type `P`, as CUPTI hands them on.
template <class P, class Read>
constexpr ReadDetails with(Read /*read*/) {
  return [](const void* parameters, CallDetails& details) { Read{}(*static_cast<const P*>(parameters), details); };
}

constexpr ReadDetails kNothing = [](const void*, CallDetails&) {};

template <class T>
std::uint64_t word(T* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}
std::uint64_t word(CUdeviceptr address) { return address; }

enum CopyKind : std::uint64_t { kUnknown = 0, kHtoD = 1, kDtoH = 2, kDtoD = 8, kHtoH = 9, kPtoP = 10 };  // CUpti_ActivityMemcpyKind's

template <class To, class From>
void copy(CallDetails& d, CopyKind kind, To to, From from, std::uint64_t bytes) {
  d.other.address = word(to);
  d.other.source = word(from);
  d.other.bytes = bytes;
  d.other.copy_kind = kind;
}

CopyKind kind_of(CUmemorytype from, CUmemorytype to) {
  const bool host_from = from == CU_MEMORYTYPE_HOST;
  const bool host_to = to == CU_MEMORYTYPE_HOST;
  if (from == CU_MEMORYTYPE_UNIFIED || to == CU_MEMORYTYPE_UNIFIED) return kUnknown;
  if (host_from) return host_to ? kHtoH : kHtoD;
  return host_to ? kDtoH : kDtoD;
}

/// One side of a copy in two or three dimensions.
struct Block {
  CUmemorytype type;
  std::uint64_t begin;
  std::uint64_t x, y, z;  ///< of the first byte
  std::uint64_t pitch, rows;

  /// Of the first byte; 0 of an array.
  std::uint64_t place() const { return type == CU_MEMORYTYPE_ARRAY ? 0 : begin + (z * rows + y) * pitch + x; }
  bool lies_apart(std::uint64_t width, std::uint64_t height, std::uint64_t depth) const {
    return type != CU_MEMORYTYPE_ARRAY && ((height * depth > 1 && pitch != width) || (depth > 1 && rows != height));
  }
};

template <class Copy>
void copy_block(CallDetails& d, const Copy& c, std::uint64_t depth) {
  const auto begin = [](CUmemorytype type, const void* host, CUdeviceptr device) {
    return type == CU_MEMORYTYPE_HOST ? word(host) : word(device);
  };
  Block from{c.srcMemoryType, begin(c.srcMemoryType, c.srcHost, c.srcDevice), c.srcXInBytes, c.srcY, 0, c.srcPitch, c.Height};
  Block to{c.dstMemoryType, begin(c.dstMemoryType, c.dstHost, c.dstDevice), c.dstXInBytes, c.dstY, 0, c.dstPitch, c.Height};
  if constexpr (requires { c.Depth; }) {
    from.z = c.srcZ;
    to.z = c.dstZ;
    if (c.srcHeight > 0) from.rows = c.srcHeight;
    if (c.dstHeight > 0) to.rows = c.dstHeight;
  }
  copy(d, kind_of(c.srcMemoryType, c.dstMemoryType), CUdeviceptr{to.place()}, CUdeviceptr{from.place()}, c.WidthInBytes * c.Height * depth);
  for (const Block& side : {from, to}) {
    if (side.lies_apart(c.WidthInBytes, c.Height, depth)) d.flags |= kRowsApart;
  }
}

void set(CallDetails& d, CUdeviceptr to, std::uint64_t bytes, std::uint64_t value) {
  d.other.address = to;
  d.other.bytes = bytes;
  d.other.value = value;
}

void set_rows(CallDetails& d, const auto& m) {
  set(d, m.dst, m.elementSize * m.width * m.height, m.value);
  if (m.height > 1 && m.pitch != m.elementSize * m.width) d.flags |= kRowsApart;
}

void kernel_shape(CallDetails& d, const auto& p) {
  d.kernel.grid = {p.gridDimX, p.gridDimY, p.gridDimZ};
  d.kernel.block = {p.blockDimX, p.blockDimY, p.blockDimZ};
  d.kernel.dynamic_shared_bytes = p.sharedMemBytes;
}

void kernel_node(CallDetails& d, const auto& node) {
  kernel_shape(d, node);
  d.function = node.func;
  if constexpr (requires { node.kern; }) {
    if (!d.function) d.function = reinterpret_cast<CUfunction>(node.kern);
  }
  d.parameters = node.kernelParams;
  d.extra = node.extra;
}

void launch_attribute(CallDetails& d, const CUlaunchAttribute& attribute) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      if (attribute.value.cooperative != 0) d.flags |= kCooperative;
      break;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      d.kernel.cluster = {attribute.value.clusterDim.x, attribute.value.clusterDim.y, attribute.value.clusterDim.z};
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
      if (attribute.value.programmaticStreamSerializationAllowed != 0) d.flags |= kProgrammatic;
      break;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      d.kernel.event = word(attribute.value.programmaticEvent.event);
      break;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      d.kernel.event = word(attribute.value.launchCompletionEvent.event);
      break;
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
      d.kernel.priority = attribute.value.priority;
      break;
    default:
      break;
  }
}

void launch_extended(const cuLaunchKernelEx_params& p, CallDetails& d) {
  kernel_shape(d, *p.config);
  for (unsigned int i = 0; i < p.config->numAttrs; ++i) launch_attribute(d, p.config->attrs[i]);
  d.on(p.config->hStream);
  d.function = p.f;
  d.parameters = p.kernelParams;
  d.extra = p.extra;
}

void launch(const auto& p, CallDetails& d) {
  kernel_shape(d, p);
  d.on(p.hStream);
  d.function = p.f;
  d.parameters = p.kernelParams;
  if constexpr (requires { p.extra; }) d.extra = p.extra;
}

void any_node(const CUgraphNodeParams& node, CallDetails& d) {
  switch (node.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return kernel_node(d, node.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return copy_block(d, node.memcpy.copyParams, node.memcpy.copyParams.Depth);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return set_rows(d, node.memset);
    case CU_GRAPH_NODE_TYPE_HOST:
      d.other.address = word(node.host.fn);
      return;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      d.other.object = word(node.eventRecord.event);
      return;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      d.other.object = word(node.eventWait.event);
      return;
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return set(d, node.alloc.dptr, node.alloc.bytesize, 0);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      d.other.address = node.free.dptr;
      return;
    default:
      return;
  }
}

constexpr auto kReadBatch = [](const auto& p, CallDetails& d) {
  for (std::size_t i = 0; i < p.count; ++i) d.other.bytes += p.sizes[i];
  d.on(p.hStream);
};
constexpr auto kReadBlockCopy = [](const auto& p, CallDetails& d) {
  copy_block(d, *p.pCopy, [&] {
    if constexpr (requires { p.pCopy->Depth; }) {
      return p.pCopy->Depth;
    } else {
      return std::size_t{1};
    }
  }());
  if constexpr (requires { p.hStream; }) {
    d.on(p.hStream);
  } else {
    d.flags |= kBlocking;
  }
};
constexpr auto kReadMemset = [](const auto& p, CallDetails& d) {
  if constexpr (requires { p.uc; }) {
    set(d, p.dstDevice, 1, p.uc);
  } else if constexpr (requires { p.us; }) {
    set(d, p.dstDevice, 2, p.us);
  } else {
    set(d, p.dstDevice, 4, p.ui);
  }
  if constexpr (requires { p.N; }) {
    d.other.bytes *= p.N;
  } else {
    if (p.Height > 1 && p.dstPitch != d.other.bytes * p.Width) d.flags |= kRowsApart;
    d.other.bytes *= p.Width * p.Height;
  }
  if constexpr (requires { p.hStream; }) d.on(p.hStream);
};
constexpr auto kReadValue = [](const auto& p, CallDetails& d) {
  d.other.address = p.addr;
  d.other.value = p.value;
  d.on(p.stream);
};
constexpr auto kReadInstantiate = [](const auto& p, CallDetails& d) {
  d.graph = p.hGraph;
  if (p.phGraphExec) d.exec = *p.phGraphExec;
};
constexpr auto kReadOfGraph = [](const auto& p, CallDetails& d) { d.graph = p.hGraph; };
constexpr auto kReadOfExec = [](const auto& p, CallDetails& d) { d.exec = p.hGraphExec; };
constexpr auto kReadKernelNode = [](const auto& p, CallDetails& d) {
  d.graph = p.hGraph;
  kernel_node(d, *p.nodeParams);
};
constexpr auto kReadAnyNode = [](const auto& p, CallDetails& d) {
  d.graph = p.hGraph;
  any_node(*p.nodeParams, d);
};
constexpr auto kReadEventNode = [](const auto& p, CallDetails& d) {
  d.graph = p.hGraph;
  d.other.object = word(p.event);
};
constexpr auto kReadEvent = [](const auto& p, CallDetails& d) { d.other.object = word(p.hEvent); };
constexpr auto kReadOnStream = [](const auto& p, CallDetails& d) { d.on(p.hStream); };
constexpr auto kReadNewStream = [](const auto& p, CallDetails& d) { d.on(*p.phStream); };
constexpr auto kReadHostFunction = [](const auto& p, CallDetails& d) {
  if constexpr (requires { p.fn; }) {
    d.other.address = word(p.fn);
  } else {
    d.other.address = word(p.callback);
  }
  d.on(p.hStream);
};

constexpr auto kDriverCalls = std::to_array<DriverCall>({
    {"cuLaunchKernel", Op::kKernel, with<cuLaunchKernel_params>([](const auto& p, CallDetails& d) { launch(p, d); })},
    {"cuLaunchKernelEx", Op::kKernel, with<cuLaunchKernelEx_params>([](const auto& p, CallDetails& d) { launch_extended(p, d); })},
    {"cuLaunchCooperativeKernel", Op::kKernel, with<cuLaunchCooperativeKernel_params>([](const auto& p, CallDetails& d) {
       launch(p, d);
       d.flags |= kCooperative;
     })},
    {"cuLaunchHostFunc", Op::kHostFunction, with<cuLaunchHostFunc_params>(kReadHostFunction)},
    {"cuStreamAddCallback", Op::kHostFunction, with<cuStreamAddCallback_params>(kReadHostFunction)},

    {"cuMemcpyHtoD_v2", Op::kMemcpy, with<cuMemcpyHtoD_v2_params>([](const auto& p, CallDetails& d) {
       copy(d, kHtoD, p.dstDevice, p.srcHost, p.ByteCount);
       d.flags |= kBlocking;
     })},
    {"cuMemcpyDtoH_v2", Op::kMemcpy, with<cuMemcpyDtoH_v2_params>([](const auto& p, CallDetails& d) {
       copy(d, kDtoH, p.dstHost, p.srcDevice, p.ByteCount);
       d.flags |= kBlocking;
     })},
    {"cuMemcpyDtoD_v2", Op::kMemcpy,
     with<cuMemcpyDtoD_v2_params>([](const auto& p, CallDetails& d) { copy(d, kDtoD, p.dstDevice, p.srcDevice, p.ByteCount); })},
    {"cuMemcpy", Op::kMemcpy, with<cuMemcpy_params>([](const auto& p, CallDetails& d) {
       copy(d, kUnknown, p.dst, p.src, p.ByteCount);
       d.flags |= kBlocking;
     })},
    {"cuMemcpyPeer", Op::kMemcpy,
     with<cuMemcpyPeer_params>([](const auto& p, CallDetails& d) { copy(d, kPtoP, p.dstDevice, p.srcDevice, p.ByteCount); })},
    {"cuMemcpyHtoDAsync_v2", Op::kMemcpy, with<cuMemcpyHtoDAsync_v2_params>([](const auto& p, CallDetails& d) {
       copy(d, kHtoD, p.dstDevice, p.srcHost, p.ByteCount);
       d.on(p.hStream);
     })},
    {"cuMemcpyDtoHAsync_v2", Op::kMemcpy, with<cuMemcpyDtoHAsync_v2_params>([](const auto& p, CallDetails& d) {
       copy(d, kDtoH, p.dstHost, p.srcDevice, p.ByteCount);
       d.on(p.hStream);
     })},
    {"cuMemcpyDtoDAsync_v2", Op::kMemcpy, with<cuMemcpyDtoDAsync_v2_params>([](const auto& p, CallDetails& d) {
       copy(d, kDtoD, p.dstDevice, p.srcDevice, p.ByteCount);
       d.on(p.hStream);
     })},
    {"cuMemcpyAsync", Op::kMemcpy, with<cuMemcpyAsync_params>([](const auto& p, CallDetails& d) {
       copy(d, kUnknown, p.dst, p.src, p.ByteCount);
       d.on(p.hStream);
     })},
    {"cuMemcpyPeerAsync", Op::kMemcpy, with<cuMemcpyPeerAsync_params>([](const auto& p, CallDetails& d) {
       copy(d, kPtoP, p.dstDevice, p.srcDevice, p.ByteCount);
       d.on(p.hStream);
     })},
    {"cuMemcpy2D_v2", Op::kMemcpy, with<cuMemcpy2D_v2_params>(kReadBlockCopy)},
    {"cuMemcpy2DUnaligned_v2", Op::kMemcpy, with<cuMemcpy2DUnaligned_v2_params>(kReadBlockCopy)},
    {"cuMemcpy3D_v2", Op::kMemcpy, with<cuMemcpy3D_v2_params>(kReadBlockCopy)},
    {"cuMemcpy3DPeer", Op::kMemcpy, with<cuMemcpy3DPeer_params>(kReadBlockCopy)},
    {"cuMemcpy2DAsync_v2", Op::kMemcpy, with<cuMemcpy2DAsync_v2_params>(kReadBlockCopy)},
    {"cuMemcpy3DAsync_v2", Op::kMemcpy, with<cuMemcpy3DAsync_v2_params>(kReadBlockCopy)},
    {"cuMemcpy3DPeerAsync", Op::kMemcpy, with<cuMemcpy3DPeerAsync_params>(kReadBlockCopy)},
    {"cuMemcpyBatchAsync", Op::kMemcpy, with<cuMemcpyBatchAsync_params>(kReadBatch)},
    {"cuMemcpyBatchAsync_v2", Op::kMemcpy, with<cuMemcpyBatchAsync_v2_params>(kReadBatch)},

    {"cuMemsetD8_v2", Op::kMemset, with<cuMemsetD8_v2_params>(kReadMemset)},
    {"cuMemsetD16_v2", Op::kMemset, with<cuMemsetD16_v2_params>(kReadMemset)},
    {"cuMemsetD32_v2", Op::kMemset, with<cuMemsetD32_v2_params>(kReadMemset)},
    {"cuMemsetD2D8_v2", Op::kMemset, with<cuMemsetD2D8_v2_params>(kReadMemset)},
    {"cuMemsetD2D16_v2", Op::kMemset, with<cuMemsetD2D16_v2_params>(kReadMemset)},
    {"cuMemsetD2D32_v2", Op::kMemset, with<cuMemsetD2D32_v2_params>(kReadMemset)},
    {"cuMemsetD8Async", Op::kMemset, with<cuMemsetD8Async_params>(kReadMemset)},
    {"cuMemsetD16Async", Op::kMemset, with<cuMemsetD16Async_params>(kReadMemset)},
    {"cuMemsetD32Async", Op::kMemset, with<cuMemsetD32Async_params>(kReadMemset)},
    {"cuMemsetD2D8Async", Op::kMemset, with<cuMemsetD2D8Async_params>(kReadMemset)},
    {"cuMemsetD2D16Async", Op::kMemset, with<cuMemsetD2D16Async_params>(kReadMemset)},
    {"cuMemsetD2D32Async", Op::kMemset, with<cuMemsetD2D32Async_params>(kReadMemset)},

    {"cuEventCreate", Op::kEventCreate,
     with<cuEventCreate_params>([](const auto& p, CallDetails& d) { d.other.object = word(*p.phEvent); })},
    {"cuEventDestroy_v2", Op::kEventDestroy, with<cuEventDestroy_v2_params>(kReadEvent)},
    {"cuEventSynchronize", Op::kEventSync, with<cuEventSynchronize_params>(kReadEvent)},
    {"cuEventQuery", Op::kEventQuery, with<cuEventQuery_params>(kReadEvent)},
    {"cuEventRecord", Op::kEventRecord, with<cuEventRecord_params>([](const auto& p, CallDetails& d) {
       d.other.object = word(p.hEvent);
       d.on(p.hStream);
     })},
    {"cuEventRecordWithFlags", Op::kEventRecord, with<cuEventRecordWithFlags_params>([](const auto& p, CallDetails& d) {
       d.other.object = word(p.hEvent);
       d.on(p.hStream);
       if ((p.flags & CU_EVENT_RECORD_EXTERNAL) != 0) d.flags |= kExternal;
     })},
    {"cuStreamWaitEvent", Op::kStreamWaitEvent, with<cuStreamWaitEvent_params>([](const auto& p, CallDetails& d) {
       d.other.object = word(p.hEvent);
       d.on(p.hStream);
       if ((p.Flags & CU_EVENT_WAIT_EXTERNAL) != 0) d.flags |= kExternal;
     })},

    {"cuStreamCreate", Op::kStreamCreate, with<cuStreamCreate_params>(kReadNewStream)},
    {"cuStreamCreateWithPriority", Op::kStreamCreate, with<cuStreamCreateWithPriority_params>(kReadNewStream)},
    // Its stream is gone by the time that its arguments are read.
    {"cuStreamDestroy_v2", Op::kStreamDestroy, kNothing},
    {"cuStreamSynchronize", Op::kStreamSync, with<cuStreamSynchronize_params>(kReadOnStream)},
    {"cuStreamQuery", Op::kStreamQuery, with<cuStreamQuery_params>(kReadOnStream)},
    {"cuCtxSynchronize", Op::kDeviceSync, kNothing},
    {"cuCtxSynchronize_v2", Op::kDeviceSync, kNothing},
    {"cuStreamWaitValue32", Op::kStreamWaitValue, with<cuStreamWaitValue32_params>(kReadValue)},
    {"cuStreamWaitValue64", Op::kStreamWaitValue, with<cuStreamWaitValue64_params>(kReadValue)},
    {"cuStreamWaitValue32_v2", Op::kStreamWaitValue, with<cuStreamWaitValue32_v2_params>(kReadValue)},
    {"cuStreamWaitValue64_v2", Op::kStreamWaitValue, with<cuStreamWaitValue64_v2_params>(kReadValue)},
    {"cuStreamWriteValue32", Op::kStreamWriteValue, with<cuStreamWriteValue32_params>(kReadValue)},
    {"cuStreamWriteValue64", Op::kStreamWriteValue, with<cuStreamWriteValue64_params>(kReadValue)},
    {"cuStreamWriteValue32_v2", Op::kStreamWriteValue, with<cuStreamWriteValue32_v2_params>(kReadValue)},
    {"cuStreamWriteValue64_v2", Op::kStreamWriteValue, with<cuStreamWriteValue64_v2_params>(kReadValue)},

    {"cuMemAlloc_v2", Op::kMalloc, with<cuMemAlloc_v2_params>([](const auto& p, CallDetails& d) { set(d, *p.dptr, p.bytesize, 0); })},
    {"cuMemAllocPitch_v2", Op::kMalloc,
     with<cuMemAllocPitch_v2_params>([](const auto& p, CallDetails& d) { set(d, *p.dptr, *p.pPitch * p.Height, 0); })},
    {"cuMemAllocManaged", Op::kMallocManaged,
     with<cuMemAllocManaged_params>([](const auto& p, CallDetails& d) { set(d, *p.dptr, p.bytesize, 0); })},
    {"cuMemAllocHost_v2", Op::kMallocHost,
     with<cuMemAllocHost_v2_params>([](const auto& p, CallDetails& d) { set(d, word(*p.pp), p.bytesize, 0); })},
    {"cuMemHostAlloc", Op::kMallocHost,
     with<cuMemHostAlloc_params>([](const auto& p, CallDetails& d) { set(d, word(*p.pp), p.bytesize, 0); })},
    {"cuMemHostRegister_v2", Op::kHostRegister,
     with<cuMemHostRegister_v2_params>([](const auto& p, CallDetails& d) { set(d, word(p.p), p.bytesize, 0); })},
    {"cuMemHostUnregister", Op::kHostUnregister,
     with<cuMemHostUnregister_params>([](const auto& p, CallDetails& d) { d.other.address = word(p.p); })},
    {"cuMemFree_v2", Op::kFree, with<cuMemFree_v2_params>([](const auto& p, CallDetails& d) { d.other.address = p.dptr; })},
    {"cuMemFreeHost", Op::kFreeHost, with<cuMemFreeHost_params>([](const auto& p, CallDetails& d) { d.other.address = word(p.p); })},
    {"cuMemAllocAsync", Op::kMallocAsync, with<cuMemAllocAsync_params>([](const auto& p, CallDetails& d) {
       set(d, *p.dptr, p.bytesize, 0);
       d.on(p.hStream);
     })},
    {"cuMemAllocFromPoolAsync", Op::kMallocAsync, with<cuMemAllocFromPoolAsync_params>([](const auto& p, CallDetails& d) {
       set(d, *p.dptr, p.bytesize, 0);
       d.on(p.hStream);
     })},
    {"cuMemFreeAsync", Op::kFreeAsync, with<cuMemFreeAsync_params>([](const auto& p, CallDetails& d) {
       d.other.address = p.dptr;
       d.on(p.hStream);
     })},
    {"cuMemMap", Op::kMemMap, with<cuMemMap_params>([](const auto& p, CallDetails& d) { set(d, p.ptr, p.size, 0); })},
    {"cuMemUnmap", Op::kMemUnmap, with<cuMemUnmap_params>([](const auto& p, CallDetails& d) { set(d, p.ptr, p.size, 0); })},

    {"cuGraphCreate", Op::kGraphCreate, with<cuGraphCreate_params>([](const auto& p, CallDetails& d) { d.graph = *p.phGraph; })},
    {"cuGraphClone", Op::kGraphCreate, with<cuGraphClone_params>([](const auto& p, CallDetails& d) { d.graph = *p.phGraphClone; })},
    {"cuGraphAddKernelNode", Op::kGraphAddNode, with<cuGraphAddKernelNode_params>(kReadKernelNode)},
    {"cuGraphAddKernelNode_v2", Op::kGraphAddNode, with<cuGraphAddKernelNode_v2_params>(kReadKernelNode)},
    {"cuGraphAddMemcpyNode", Op::kGraphAddNode, with<cuGraphAddMemcpyNode_params>([](const auto& p, CallDetails& d) {
       d.graph = p.hGraph;
       copy_block(d, *p.copyParams, p.copyParams->Depth);
     })},
    {"cuGraphAddMemsetNode", Op::kGraphAddNode, with<cuGraphAddMemsetNode_params>([](const auto& p, CallDetails& d) {
       d.graph = p.hGraph;
       set_rows(d, *p.memsetParams);
     })},
    {"cuGraphAddHostNode", Op::kGraphAddNode, with<cuGraphAddHostNode_params>([](const auto& p, CallDetails& d) {
       d.graph = p.hGraph;
       d.other.address = word(p.nodeParams->fn);
     })},
    {"cuGraphAddEventRecordNode", Op::kGraphAddNode, with<cuGraphAddEventRecordNode_params>(kReadEventNode)},
    {"cuGraphAddEventWaitNode", Op::kGraphAddNode, with<cuGraphAddEventWaitNode_params>(kReadEventNode)},
    {"cuGraphAddMemAllocNode", Op::kGraphAddNode, with<cuGraphAddMemAllocNode_params>([](const auto& p, CallDetails& d) {
       d.graph = p.hGraph;
       set(d, p.nodeParams->dptr, p.nodeParams->bytesize, 0);
     })},
    {"cuGraphAddMemFreeNode", Op::kGraphAddNode, with<cuGraphAddMemFreeNode_params>([](const auto& p, CallDetails& d) {
       d.graph = p.hGraph;
       d.other.address = p.dptr;
     })},
    {"cuGraphAddChildGraphNode", Op::kGraphAddNode, with<cuGraphAddChildGraphNode_params>(kReadOfGraph)},
    {"cuGraphAddEmptyNode", Op::kGraphAddNode, with<cuGraphAddEmptyNode_params>(kReadOfGraph)},
    {"cuGraphAddBatchMemOpNode", Op::kGraphAddNode, with<cuGraphAddBatchMemOpNode_params>(kReadOfGraph)},
    {"cuGraphAddNode", Op::kGraphAddNode, with<cuGraphAddNode_params>(kReadAnyNode)},
    {"cuGraphAddNode_v2", Op::kGraphAddNode, with<cuGraphAddNode_v2_params>(kReadAnyNode)},
    {"cuGraphInstantiate", Op::kGraphInstantiate, with<cuGraphInstantiate_params>(kReadInstantiate)},
    {"cuGraphInstantiate_v2", Op::kGraphInstantiate, with<cuGraphInstantiate_v2_params>(kReadInstantiate)},
    {"cuGraphInstantiateWithFlags", Op::kGraphInstantiate, with<cuGraphInstantiateWithFlags_params>(kReadInstantiate)},
    {"cuGraphInstantiateWithParams", Op::kGraphInstantiate, with<cuGraphInstantiateWithParams_params>(kReadInstantiate)},
    {"cuGraphLaunch", Op::kGraphLaunch, with<cuGraphLaunch_params>([](const auto& p, CallDetails& d) {
       d.exec = p.hGraph;
       d.on(p.hStream);
     })},
    {"cuGraphUpload", Op::kGraphUpload, with<cuGraphUpload_params>([](const auto& p, CallDetails& d) {
       d.exec = p.hGraph;
       d.on(p.hStream);
     })},
    {"cuGraphExecUpdate", Op::kGraphUpdate, with<cuGraphExecUpdate_params>([](const auto& p, CallDetails& d) {
       d.exec = p.hGraphExec;
       d.graph = p.hGraph;
     })},
    {"cuGraphExecUpdate_v2", Op::kGraphUpdate, with<cuGraphExecUpdate_v2_params>([](const auto& p, CallDetails& d) {
       d.exec = p.hGraphExec;
       d.graph = p.hGraph;
     })},
    {"cuGraphExecKernelNodeSetParams", Op::kGraphUpdate, with<cuGraphExecKernelNodeSetParams_params>(kReadOfExec)},
    {"cuGraphExecKernelNodeSetParams_v2", Op::kGraphUpdate, with<cuGraphExecKernelNodeSetParams_v2_params>(kReadOfExec)},
    {"cuGraphExecMemcpyNodeSetParams", Op::kGraphUpdate, with<cuGraphExecMemcpyNodeSetParams_params>(kReadOfExec)},
    {"cuGraphExecMemsetNodeSetParams", Op::kGraphUpdate, with<cuGraphExecMemsetNodeSetParams_params>(kReadOfExec)},
    {"cuGraphExecHostNodeSetParams", Op::kGraphUpdate, with<cuGraphExecHostNodeSetParams_params>(kReadOfExec)},
    {"cuGraphExecChildGraphNodeSetParams", Op::kGraphUpdate, with<cuGraphExecChildGraphNodeSetParams_params>(kReadOfExec)},
    {"cuGraphExecNodeSetParams", Op::kGraphUpdate, with<cuGraphExecNodeSetParams_params>(kReadOfExec)},
    // What they destroy is gone by the time that their arguments are read.
    {"cuGraphExecDestroy", Op::kGraphExecDestroy, kNothing},
    {"cuGraphDestroy", Op::kGraphDestroy, kNothing},
    {"cuStreamBeginCapture", Op::kCaptureBegin, with<cuStreamBeginCapture_params>(kReadOnStream)},
    {"cuStreamBeginCapture_v2", Op::kCaptureBegin, with<cuStreamBeginCapture_v2_params>(kReadOnStream)},
    {"cuStreamBeginCaptureToGraph", Op::kCaptureBegin, with<cuStreamBeginCaptureToGraph_params>([](const auto& p, CallDetails& d) {
       d.on(p.hStream);
       d.graph = p.hGraph;
     })},
    {"cuStreamEndCapture", Op::kCaptureEnd, with<cuStreamEndCapture_params>([](const auto& p, CallDetails& d) {
       d.on(p.hStream);
       if (p.phGraph) d.graph = *p.phGraph;
     })},
});

}  // namespace

RecordedCall find_driver_call(const char* name) {
  std::string_view base(name);
  RecordedCall call;
  call.per_thread = take_per_thread_mark(base);
  for (const DriverCall& one : kDriverCalls) {
    if (one.name == base) return {one.op, true, call.per_thread, one.read, base};
  }
  return call;
}

}  // namespace tasktwin::gpu::capture
