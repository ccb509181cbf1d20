#include "tests/gpu/rerun/host_driver.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include <cuda.h>

#include "gpu/rerun/memory_kernels.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::tests {

namespace {

using gpu::rerun::kChunkBytes;

struct Graph {
  std::vector<std::function<void()>> operations{};
};

std::function<void(int, bool)> called_after_set;
int sets = 0;
bool in_graph = false;
enum class Kernel : std::uintptr_t { kDiffering = 1, kPutBack };
constexpr std::size_t kRoom = std::size_t{1} << 40U;

template <class Handle, class Value>
Handle handle(Value value) {
  return reinterpret_cast<Handle>(value);
}
template <class Byte = std::byte>
Byte* at(CUdeviceptr address) {
  return reinterpret_cast<Byte*>(address);
}

CUresult succeed() { return CUDA_SUCCESS; }

CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));  // NOLINT: as the driver does
  return CUDA_SUCCESS;
}
CUresult release(CUdeviceptr address) {
  std::free(at(address));  // NOLINT: see allocate
  return CUDA_SUCCESS;
}
CUresult tell_room(std::size_t* left, std::size_t* all) {
  *left = *all = kRoom;
  return CUDA_SUCCESS;
}

CUresult copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream /*stream*/) {
  std::memcpy(at(to), at(from), bytes);
  return CUDA_SUCCESS;
}
CUresult copy_to_host(void* to, CUdeviceptr from, std::size_t bytes) {
  std::memcpy(to, at(from), bytes);
  return CUDA_SUCCESS;
}
CUresult copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes) {
  std::memcpy(at(to), from, bytes);
  return CUDA_SUCCESS;
}
void copy(const CUDA_MEMCPY3D& what) {
  const void* const from = what.srcMemoryType == CU_MEMORYTYPE_HOST ? what.srcHost : at(what.srcDevice);
  void* const to = what.dstMemoryType == CU_MEMORYTYPE_HOST ? what.dstHost : at(what.dstDevice);
  std::memcpy(to, from, what.WidthInBytes);
}
CUresult copy_in_stream(const CUDA_MEMCPY3D* what, CUstream /*stream*/) {
  copy(*what);
  return CUDA_SUCCESS;
}

CUresult set_words(CUdeviceptr address, unsigned int value, std::size_t count, CUstream /*stream*/) {
  for (std::size_t i = 0; i < count; ++i) at<unsigned int>(address)[i] = value;
  return CUDA_SUCCESS;
}
CUresult set_bytes(CUdeviceptr address, unsigned char value, std::size_t count, CUstream /*stream*/) {
  std::memset(at(address), value, count);
  ++sets;
  if (called_after_set) called_after_set(sets, in_graph);
  return CUDA_SUCCESS;
}

CUresult find_kernel(CUfunction* function, CUmodule /*module*/, const char* name) {
  *function = handle<CUfunction>(std::string_view(name) == "differing" ? Kernel::kDiffering : Kernel::kPutBack);
  return CUDA_SUCCESS;
}
CUresult launch(CUfunction function, unsigned int chunks, unsigned int /*y*/, unsigned int /*z*/, unsigned int /*block_x*/,
                unsigned int /*block_y*/, unsigned int /*block_z*/, unsigned int /*shared*/, CUstream /*stream*/, void** arguments,
                void** /*extra*/) {
  std::byte* const left = at(*static_cast<CUdeviceptr*>(arguments[0]));
  const std::byte* const right = at(*static_cast<CUdeviceptr*>(arguments[1]));
  const unsigned long long bytes = *static_cast<unsigned long long*>(arguments[2]);
  unsigned int* const words = at<unsigned int>(*static_cast<CUdeviceptr*>(arguments[3]));
  for (unsigned long long i = 0; i < bytes && i < chunks * kChunkBytes; ++i) {
    unsigned int& word = words[i / kChunkBytes];
    if (function == handle<CUfunction>(Kernel::kDiffering)) {
      word += left[i] != right[i] ? 1 : 0;
    } else if (word != 0) {
      left[i] = right[i];
    }
  }
  return CUDA_SUCCESS;
}

CUresult make_graph(CUgraph* graph, unsigned int /*flags*/) {
  *graph = handle<CUgraph>(new Graph);  // NOLINT: a handle owns it
  return CUDA_SUCCESS;
}
CUresult add_node(CUgraphNode* node, CUgraph graph, std::function<void()> what) {
  std::vector<std::function<void()>>& operations = handle<Graph*>(graph)->operations;
  operations.push_back(std::move(what));
  *node = handle<CUgraphNode>(operations.size());
  return CUDA_SUCCESS;
}
CUresult add_copy(CUgraphNode* node, CUgraph graph, const CUgraphNode* /*after*/, std::size_t /*count*/, const CUDA_MEMCPY3D* what,
                  CUcontext /*context*/) {
  return add_node(node, graph, [what = *what] { copy(what); });
}
CUresult add_set(CUgraphNode* node, CUgraph graph, const CUgraphNode* /*after*/, std::size_t /*count*/, const CUDA_MEMSET_NODE_PARAMS* what,
                 CUcontext /*context*/) {
  return add_node(node, graph, [what = *what] { set_bytes(what.dst, static_cast<unsigned char>(what.value), what.width, nullptr); });
}
CUresult instantiate(CUgraphExec* made, CUgraph graph, unsigned long long /*flags*/) {
  *made = handle<CUgraphExec>(new Graph(*handle<Graph*>(graph)));  // NOLINT: a handle owns it
  return CUDA_SUCCESS;
}
CUresult launch_graph(CUgraphExec graph, CUstream /*stream*/) {
  in_graph = true;
  for (const auto& operation : handle<Graph*>(graph)->operations) operation();
  in_graph = false;
  return CUDA_SUCCESS;
}
CUresult forget_graph(CUgraph graph) {
  delete handle<Graph*>(graph);  // NOLINT: see make_graph
  return CUDA_SUCCESS;
}

CUresult tell_milliseconds(float* milliseconds, CUevent /*begin*/, CUevent /*end*/) {
  *milliseconds = 0.01F;
  return CUDA_SUCCESS;
}

template <class Function>
void* address(Function function) {
  return reinterpret_cast<void*>(function);
}

}  // namespace

void HostDriver::after_set(std::function<void(int, bool)> call) {
  called_after_set = std::move(call);
  sets = 0;
}

}  // namespace tasktwin::tests

namespace tasktwin::gpu::rerun {

void* find_driver_function(const char* name) {
  using namespace tasktwin::tests;
  static const std::map<std::string_view, void*> known{
      {"cuMemAlloc_v2", address(allocate)},
      {"cuMemFree_v2", address(release)},
      {"cuMemGetInfo_v2", address(tell_room)},
      {"cuMemcpyAsync", address(copy_on_device)},
      {"cuMemcpyDtoH_v2", address(copy_to_host)},
      {"cuMemcpyHtoD_v2", address(copy_to_device)},
      {"cuMemcpy3DAsync_v2", address(copy_in_stream)},
      {"cuMemsetD32Async", address(set_words)},
      {"cuMemsetD8Async", address(set_bytes)},
      {"cuModuleGetFunction", address(find_kernel)},
      {"cuLaunchKernel", address(launch)},
      {"cuGraphCreate", address(make_graph)},
      {"cuGraphAddMemcpyNode", address(add_copy)},
      {"cuGraphAddMemsetNode", address(add_set)},
      {"cuGraphInstantiateWithFlags", address(instantiate)},
      {"cuGraphLaunch", address(launch_graph)},
      {"cuGraphDestroy", address(forget_graph)},
      {"cuGraphExecDestroy", address(forget_graph)},
      {"cuEventElapsedTime", address(tell_milliseconds)},
      {"cuEventElapsedTime_v2", address(tell_milliseconds)},
  };
  const auto found = known.find(name);
  return found == known.end() ? address(succeed) : found->second;
}

}  // namespace tasktwin::gpu::rerun
