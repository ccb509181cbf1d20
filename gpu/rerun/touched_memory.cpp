#include "gpu/rerun/touched_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>

#include "gpu/rerun/memory_kernels.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

using MemoryKind = ProgramMemory::Kind;

void add_word(std::uint64_t word, std::vector<std::uint64_t>& words) {
  if (word >= (std::uint64_t{1} << 32)) words.push_back(word);  // no memory of the device lies below
}

void words_of(const std::byte* values, std::size_t bytes, std::vector<std::uint64_t>& words) {
  for (std::size_t at = 0; at + 8 <= bytes; at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, values + at, sizeof word);
    add_word(word, words);
  }
}

/// Null where it can be run again.
const char* why_not(CUgraphNodeType type) {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
    case CU_GRAPH_NODE_TYPE_MEMCPY:
    case CU_GRAPH_NODE_TYPE_MEMSET:
    case CU_GRAPH_NODE_TYPE_GRAPH:
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return nullptr;
    case CU_GRAPH_NODE_TYPE_HOST:
      return "a host function";
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return "an event";
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return "memory that is allocated or freed";
    default:
      return "a node of a kind that cannot be run again";
  }
}

/// What pointers among the nodes' arguments may be, and why the graph cannot be run again, if it cannot.
void look_into(CUgraph graph, std::vector<std::uint64_t>& words, const char*& why) {
  std::size_t count = 0;
  if (!graph || cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS) return;
  std::vector<CUgraphNode> nodes(count);
  cuGraphGetNodes(graph, nodes.data(), &count);
  for (CUgraphNode node : nodes) {
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    cuGraphNodeGetType(node, &type);
    if (const char* const reason = why_not(type)) why = reason;
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
      CUDA_KERNEL_NODE_PARAMS params{};
      if (cuGraphKernelNodeGetParams(node, &params) != CUDA_SUCCESS || !params.kernelParams) continue;
      std::size_t offset = 0;
      std::size_t bytes = 0;
      for (std::size_t i = 0; cuFuncGetParamInfo(params.func, i, &offset, &bytes) == CUDA_SUCCESS; ++i)
        words_of(static_cast<const std::byte*>(params.kernelParams[i]), bytes, words);
    } else if (type == CU_GRAPH_NODE_TYPE_MEMCPY) {
      CUDA_MEMCPY3D copy{};
      if (cuGraphMemcpyNodeGetParams(node, &copy) == CUDA_SUCCESS) words.insert(words.end(), {copy.srcDevice, copy.dstDevice});
    } else if (type == CU_GRAPH_NODE_TYPE_MEMSET) {
      CUDA_MEMSET_NODE_PARAMS set{};
      if (cuGraphMemsetNodeGetParams(node, &set) == CUDA_SUCCESS) words.push_back(set.dst);
    } else if (type == CU_GRAPH_NODE_TYPE_GRAPH) {
      CUgraph child = nullptr;
      if (cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS) look_into(child, words, why);
    }
  }
}

std::vector<std::uint64_t> words_of(const Operation& operation) {
  std::vector<std::uint64_t> words;
  switch (operation.kind) {
    case Operation::Kind::kKernel:
      for (const ArgumentWord& one : argument_words(operation)) add_word(one.word, words);
      break;
    case Operation::Kind::kCopy:
      if (operation.host_side != HostSide::kSource && operation.copy.srcMemoryType != CU_MEMORYTYPE_ARRAY)
        words.push_back(operation.copy.srcDevice);
      if (operation.host_side != HostSide::kTarget && operation.copy.dstMemoryType != CU_MEMORYTYPE_ARRAY)
        words.push_back(operation.copy.dstDevice);
      break;
    case Operation::Kind::kSet:
      words.push_back(operation.set.dst);
      break;
    case Operation::Kind::kGraph:
      break;
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

/// What the driver knows of memory whose allocation was not seen, as a variable of a module; of size 0 where that is none.
ProgramMemory::Block asked(std::uint64_t address, bool& managed) {
  CUdeviceptr base = 0;
  std::size_t bytes = 0;
  unsigned int is_managed = 0;
  std::array<CUpointer_attribute, 3> attributes{CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
                                                CU_POINTER_ATTRIBUTE_IS_MANAGED};
  std::array<void*, 3> values{&base, &bytes, &is_managed};
  if (cuPointerGetAttributes(attributes.size(), attributes.data(), values.data(), address) != CUDA_SUCCESS || base == 0) return {};
  managed = is_managed != 0;
  return {base, bytes, MemoryKind::kDevice, nullptr};
}

class Search {
 public:
  Search(Tape& tape, const ProgramMemory& memory) : tape_(tape), memory_(memory) {
    for (const auto& [base, block] : memory.blocks()) {
      if (block.kind == MemoryKind::kDevice && block.context == tape.context) found_.regions.push_back({base, block.bytes});
    }
  }

  TouchedMemory run() {
    for (std::size_t i = 0; i < tape_.operations.size(); ++i) {
      if (tape_.operations[i].kind == Operation::Kind::kGraph) look_at_graph(tape_.operations[i], static_cast<int>(i));
      for (const std::uint64_t address : words_of(tape_.operations[i])) look_at(address, static_cast<int>(i));
    }
    settle();
    return std::move(found_);
  }

 private:
  void look_at_graph(const Operation& launch, int operation) {
    if (!launch.graph) return tape_.refuse("what a graph that it launches consists of is not known");
    std::vector<std::uint64_t> words;
    const char* why = nullptr;
    look_into(launch.graph, words, why);
    if (why) tape_.refuse(std::string(why) + " in a graph that it launches");
    for (const std::uint64_t address : words) look_at(address, operation);
  }
  void look_at(std::uint64_t address, int operation) {
    for (const Tape::Span& span : tape_.freed_host) {
      if (address >= span.begin && address < span.end)
        tape_.refuse("memory of the host is freed inside of the range that " + describe(tape_, operation) + " uses");
    }
    if (const ProgramMemory::Block* const block = memory_.find(address)) {
      if (block->kind == MemoryKind::kManaged) tape_.refuse("managed memory, which " + describe(tape_, operation) + " uses");
      if (block->kind == MemoryKind::kOtherProcess)
        tape_.refuse("memory of another process (IPC), which " + describe(tape_, operation) + " uses");
      if (block->kind == MemoryKind::kHost) found_.regions.push_back({block->base, block->bytes});
      found_.uses.push_back({address, operation});
      return;
    }
    bool managed = false;
    const ProgramMemory::Block block = asked(address, managed);
    if (block.bytes == 0 || holds_allocations(block)) return;
    if (managed) tape_.refuse("managed memory, which " + describe(tape_, operation) + " uses");
    found_.regions.push_back({block.base, block.bytes});
    found_.uses.push_back({address, operation});
  }

  /// As a range of addresses does that was reserved for memory to be mapped in: what is there is known, and this address is not.
  bool holds_allocations(const ProgramMemory::Block& block) const {
    const auto first = memory_.blocks().lower_bound(block.base);
    return first != memory_.blocks().end() && first->first < block.base + block.bytes;
  }

  void settle() {
    std::ranges::sort(found_.regions, {}, [](const Region& one) { return std::tuple(one.base, ~one.bytes); });
    std::vector<Region> apart;
    for (const Region& one : found_.regions) {
      if (apart.empty() || one.base >= apart.back().base + apart.back().bytes) apart.push_back(one);
    }
    found_.regions = std::move(apart);
    std::ranges::sort(found_.uses, {}, [](const TouchedMemory::Use& one) { return std::tuple(one.address, one.operation); });
  }

  Tape& tape_;
  const ProgramMemory& memory_;
  TouchedMemory found_;
};

}  // namespace

int TouchedMemory::named_by(const Region& region, std::uint64_t address) const {
  // Differences are known by chunk: an operation may name memory within the chunk.
  const std::uint64_t end = std::min<std::uint64_t>(address + kChunkBytes, region.base + region.bytes);
  const auto after = std::ranges::lower_bound(uses, end, {}, &Use::address);
  if (after == uses.begin()) return -1;
  const Use& last = *std::prev(after);
  return last.address >= region.base ? last.operation : -1;
}

TouchedMemory touched_memory(Tape& tape, const ProgramMemory& memory) { return Search(tape, memory).run(); }

}  // namespace tasktwin::gpu::rerun
