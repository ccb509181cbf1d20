#include "gpu/rerun/tape/recording.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

constexpr std::size_t kMaxParameters = 4096;

bool is_collective(std::string_view kernel) {
  return kernel.find("ncclDevKernel") != std::string_view::npos || kernel.find("ncclKernel") != std::string_view::npos ||
         kernel.find("nvshmem") != std::string_view::npos;
}

bool is_array(CUmemorytype type) { return type == CU_MEMORYTYPE_ARRAY; }

/// The bytes that a copy touches in memory of a pitch, from the first to the last.
std::size_t span_of(const CUDA_MEMCPY3D& copy, std::size_t pitch, std::size_t height) {
  const std::size_t row = pitch > 0 ? pitch : copy.WidthInBytes;
  const std::size_t rows = height > 0 ? height : copy.Height;
  return ((copy.Depth - 1) * rows + copy.Height - 1) * row + copy.WidthInBytes;
}

}  // namespace

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

void Recording::begin() {
  tape_ = {};
  events_.clear();
  next_event_ = 0;
  tape_.begin_ns = now_ns();
  open_ = true;
}

Tape Recording::end() {
  open_ = false;
  tape_.end_ns = now_ns();
  return std::move(tape_);
}

int Recording::stream_of(const Call& call, CUstream stream) {
  if (stream == CU_STREAM_LEGACY) stream = nullptr;
  const bool own = stream == CU_STREAM_PER_THREAD || (!stream && call.per_thread);
  const std::uint64_t thread = own ? call.thread : 0;
  auto* const handle = own ? CU_STREAM_PER_THREAD : stream;
  for (std::size_t i = 0; i < tape_.streams.size(); ++i) {
    const TapeStream& known = tape_.streams[i];
    if (known.handle == handle && known.thread == thread && !known.gone) return static_cast<int>(i);
  }
  TapeStream fresh{.handle = handle, .kind = StreamKind::kLegacy, .priority = 0, .thread = thread, .gone = false};
  if (own) {
    fresh.kind = StreamKind::kBlocking;
  } else if (handle) {
    unsigned int flags = 0;
    cuStreamGetFlags(handle, &flags);
    cuStreamGetPriority(handle, &fresh.priority);
    fresh.kind = (flags & CU_STREAM_NON_BLOCKING) != 0 ? StreamKind::kNonBlocking : StreamKind::kBlocking;
  }
  tape_.streams.push_back(fresh);
  return static_cast<int>(tape_.streams.size()) - 1;
}

int Recording::event_of(CUevent event) {
  const auto [found, fresh] = events_.try_emplace(event, next_event_);
  if (fresh) ++next_event_;
  return found->second;
}

const Recording::Parameters& Recording::parameters_of(CUfunction function, const char* name) {
  const auto [found, fresh] = functions_.try_emplace({function, name ? name : ""});
  Parameters& known = found->second;
  if (!fresh) return known;
  known.function = function;
  int registers = 0;
  // A CUkernel may take a CUfunction's place, which questions and graphs then refuse.
  if (cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function) != CUDA_SUCCESS) {
    CUfunction loaded = nullptr;
    if (cuKernelGetFunction(&loaded, reinterpret_cast<CUkernel>(function)) == CUDA_SUCCESS) known.function = loaded;
  }
  while (known.places.size() < kMaxParameters) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const CUresult result = cuFuncGetParamInfo(known.function, known.places.size(), &offset, &bytes);
    known.known = result == CUDA_SUCCESS || result == CUDA_ERROR_INVALID_VALUE;  // the latter: there is no such parameter
    if (result != CUDA_SUCCESS) break;
    known.places.emplace_back(offset, bytes);
  }
  return known;
}

bool Recording::keep_arguments(Operation& operation, const Parameters& known, void** parameters, void** extra) {
  if (parameters) {
    if (!known.known) return false;
    for (std::size_t i = 0; i < known.places.size(); ++i) {
      const auto [offset, bytes] = known.places[i];
      if (operation.arguments.size() < offset + bytes) operation.arguments.resize(offset + bytes);
      std::memcpy(operation.arguments.data() + offset, parameters[i], bytes);
      operation.offsets.push_back(offset);
    }
    return true;
  }
  if (!extra) return known.known && known.places.empty();
  const std::byte* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<const std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  if (!buffer) return false;
  operation.arguments.assign(buffer, buffer + bytes);
  operation.packed = true;
  return true;
}

void Recording::add(const Call& call, Operation operation, CUstream stream) {
  if (!tape_.context) tape_.context = call.context;
  if (call.context && tape_.context != call.context) refuse("it uses several devices or contexts");
  const int number = static_cast<int>(tape_.operations.size());
  tape_.steps.push_back({StepKind::kOperation, stream_of(call, stream), -1, number});
  tape_.operations.push_back(std::move(operation));
}

void Recording::kernel(const Call& call, CUfunction function, CUstream stream, Operation shape, void** parameters, void** extra) {
  if (!keeps()) return;
  const char* const name = call.symbol ? call.symbol : "(unnamed)";
  const Parameters& known = parameters_of(function, name);
  shape.kind = Operation::Kind::kKernel;
  shape.name = name;
  shape.function = known.function;
  if (is_collective(name)) refuse(std::string("a collective, kernel ") + name);
  if (!keep_arguments(shape, known, parameters, extra)) refuse(std::string("the arguments of kernel ") + name + " cannot be known");
  for (const CUlaunchAttribute& one : shape.attributes) {
    if (one.id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT || one.id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
      refuse(std::string("an event within kernel ") + name);
    if (one.id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) refuse(std::string("a node that the device updates, kernel ") + name);
  }
  add(call, std::move(shape), stream);
}

CUmemorytype Recording::type_of(std::uint64_t address, bool& pinned) const {
  pinned = false;
  if (const ProgramMemory::Block* const block = memory_.find(address)) {
    pinned = block->kind == ProgramMemory::Kind::kHost;
    return pinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
  }
  unsigned int type = 0;
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) != CUDA_SUCCESS) return CU_MEMORYTYPE_HOST;
  pinned = type == CU_MEMORYTYPE_HOST;
  return static_cast<CUmemorytype>(type);
}

void Recording::copy(const Call& call, std::uint64_t to, std::uint64_t from, std::size_t bytes, CUstream stream, bool blocking) {
  if (!keeps()) return;
  CUDA_MEMCPY3D what{};
  what.srcMemoryType = what.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  what.srcDevice = from;
  what.dstDevice = to;
  what.WidthInBytes = bytes;
  what.Height = what.Depth = 1;
  copy(call, what, stream, blocking);
}

void Recording::copy(const Call& call, CUDA_MEMCPY3D what, CUstream stream, bool blocking) {
  if (!keeps() || what.WidthInBytes * what.Height * what.Depth == 0) return;
  bool pinned_source = false;
  bool pinned_target = false;
  const auto settle = [this](CUmemorytype& type, CUdeviceptr& device, const void* host, bool& pinned) {
    if (is_array(type)) return;
    if (type == CU_MEMORYTYPE_HOST) device = reinterpret_cast<std::uint64_t>(host);
    const bool told = type == CU_MEMORYTYPE_DEVICE;
    type = type_of(device, pinned);
    if (told) type = CU_MEMORYTYPE_DEVICE;
  };
  settle(what.srcMemoryType, what.srcDevice, what.srcHost, pinned_source);
  settle(what.dstMemoryType, what.dstDevice, what.dstHost, pinned_target);
  const bool from_host = what.srcMemoryType == CU_MEMORYTYPE_HOST;
  const bool to_host = what.dstMemoryType == CU_MEMORYTYPE_HOST;
  if (from_host && to_host) return refuse("a copy from host to host");
  Operation operation;
  operation.kind = Operation::Kind::kCopy;
  operation.flat = what.Height == 1 && what.Depth == 1 && !is_array(what.srcMemoryType) && !is_array(what.dstMemoryType);
  if (from_host) {
    const std::size_t row = what.srcPitch > 0 ? what.srcPitch : what.WidthInBytes;
    const std::size_t rows = what.srcHeight > 0 ? what.srcHeight : what.Height;
    const std::uint64_t first = what.srcDevice + (what.srcZ * rows + what.srcY) * row + what.srcXInBytes;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver's calls name memory of the host by numbers too
    const void* const contents = reinterpret_cast<const void*>(first);
    operation.host_side = HostSide::kSource;
    operation.host = std::make_shared<HostBuffer>(contents, span_of(what, what.srcPitch, what.srcHeight), pinned_source);
    what.srcXInBytes = what.srcY = what.srcZ = 0;
  } else if (to_host) {
    operation.host_side = HostSide::kTarget;
    operation.host = std::make_shared<HostBuffer>(nullptr, span_of(what, what.dstPitch, what.dstHeight), pinned_target);
    what.dstXInBytes = what.dstY = what.dstZ = 0;
  }
  operation.copy = what;
  add(call, std::move(operation), stream);
  if (blocking) sync_stream(call, stream);
}

void Recording::set(const Call& call, const CUDA_MEMSET_NODE_PARAMS& what, CUstream stream) {
  if (!keeps() || what.width * what.height == 0) return;
  Operation operation;
  operation.kind = Operation::Kind::kSet;
  operation.set = what;
  add(call, std::move(operation), stream);
}

void Recording::graph_launch(const Call& call, CUgraphExec exec, CUstream stream) {
  if (!keeps()) return;
  Operation operation;
  operation.kind = Operation::Kind::kGraph;
  operation.exec = exec;
  if (const auto kept = graphs_.find(exec); kept != graphs_.end() && !kept->second.changed) operation.graph = kept->second.clone;
  add(call, std::move(operation), stream);
}

void Recording::record(const Call& call, CUevent event, CUstream stream) {
  if (keeps()) tape_.steps.push_back({StepKind::kRecord, stream_of(call, stream), event_of(event), -1});
}

void Recording::wait(const Call& call, CUevent event, CUstream stream) {
  // Whatever was recorded before the range is done before it, or nearly: the device is idle where the range is run again.
  if (keeps() && events_.contains(event)) tape_.steps.push_back({StepKind::kWait, stream_of(call, stream), event_of(event), -1});
}

void Recording::sync_stream(const Call& call, CUstream stream) {
  if (keeps()) tape_.steps.push_back({StepKind::kSyncStream, stream_of(call, stream), -1, -1});
}

void Recording::sync_event(CUevent event) {
  if (keeps() && events_.contains(event)) tape_.steps.push_back({StepKind::kSyncEvent, -1, event_of(event), -1});
}

void Recording::sync_all() {
  if (keeps()) tape_.steps.push_back({StepKind::kSyncAll, -1, -1, -1});
}

void Recording::stream_destroyed(CUstream stream) {
  for (TapeStream& known : tape_.streams) known.gone |= open_ && known.handle == stream;
}

void Recording::event_destroyed(CUevent event) {
  if (open_) events_.erase(event);  // its handle may be given to another
}

void Recording::refuse(const std::string& why) {
  if (open_) tape_.refuse(why);
}

void Recording::capture_begins() {
  ++capturing_;
  refuse("the capture of a CUDA graph");
}

void Recording::capture_ends() { capturing_ = std::max(capturing_ - 1, 0); }

void Recording::freed(std::uint64_t base, const char* call) {
  const ProgramMemory::Block block = memory_.remove(base);
  if (!open_ || base == 0) return;
  if (block.kind == ProgramMemory::Kind::kHost) {
    tape_.freed_host.push_back({block.base, block.base + block.bytes});
    return;
  }
  refuse("memory is freed inside of the range (" + std::string(call) +
         "), so that its kernels cannot be run again; allocate it before the range, or free it behind");
}

void Recording::instantiated(CUgraphExec exec, CUgraph graph) {
  Kept& kept = graphs_[exec];
  if (kept.clone) cuGraphDestroy(kept.clone);
  kept = {};
  if (graph && cuGraphClone(&kept.clone, graph) != CUDA_SUCCESS) kept.clone = nullptr;
}

void Recording::exec_destroyed(CUgraphExec exec) {
  const auto kept = graphs_.find(exec);
  if (kept == graphs_.end()) return;
  // Inside of a range it may have been launched before: its clone stays for the rerun, but it could not be launched as captured.
  if (open_) {
    const auto launched = [exec](const Operation& one) { return one.exec == exec; };
    if (std::ranges::any_of(tape_.operations, launched)) refuse("a graph that it launches is destroyed inside of the range");
  } else if (kept->second.clone) {
    cuGraphDestroy(kept->second.clone);
  }
  graphs_.erase(kept);
}

}  // namespace tasktwin::gpu::rerun
