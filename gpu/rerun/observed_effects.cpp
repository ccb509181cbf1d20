#include "gpu/rerun/observed_effects.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "gpu/rerun/memory_kernels.hpp"
#include "gpu/rerun/tape/cuda_check.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

constexpr const char* kWhat = "looking at a kernel's effects";
/// Memory is looked through for addresses up to here: tables of pointers are short.
constexpr std::size_t kMostLookedThrough = std::size_t{1} << 20;

using MemoryKind = ProgramMemory::Kind;

}  // namespace

EffectObserver::EffectObserver(const Tape& tape, const ProgramMemory& memory, const TouchedMemory& touched)
    : tape_(tape), memory_(memory), touched_(touched) {
  check(cuModuleLoadData(&module_, kMemoryKernels), "cuModuleLoadData");
  check(cuModuleGetFunction(&differing_, module_, "differing"), "cuModuleGetFunction");
}

EffectObserver::~EffectObserver() {
  for (const CUdeviceptr one : taken_) cuMemFree(one);
  for (const CUdeviceptr one : {counts_, zeros_}) {
    if (one) cuMemFree(one);
  }
  if (module_) cuModuleUnload(module_);
}

std::vector<EffectObserver::Effect> EffectObserver::observe(std::size_t operation, const std::function<void()>& run) {
  const std::vector<ArgumentWord> pointers = pointers_of(tape_.operations[operation]);
  std::vector<Extent> extents = extents_of(pointers);
  for (Extent& one : extents) copy(one.before, one.begin, one.bytes);
  run();
  for (Extent& one : extents) {
    copy(one.after, one.begin, one.bytes);
    one.changed = differs(one.before, one.after, one.bytes);
  }
  for (Extent& one : extents) {
    if (!holds_addresses(one)) try_with_zeros(extents, one, run);
  }
  for (const Extent& one : extents) copy(one.begin, one.after, one.bytes);
  for (const CUdeviceptr one : taken_) cuMemFree(one);
  taken_.clear();
  std::vector<Effect> effects;
  for (const ArgumentWord& pointer : pointers) {
    const auto own = std::ranges::find(extents, pointer.word, &Extent::begin);
    Effect effect{.parameter = pointer.parameter, .offset = pointer.offset};
    if (own != extents.end() && own->tried) effect.word = own->overwritten ? "write" : own->changed || own->written ? "read_write" : "read";
    effects.push_back(effect);
  }
  return effects;
}

std::vector<ArgumentWord> EffectObserver::pointers_of(const Operation& operation) const {
  std::vector<ArgumentWord> pointers = argument_words(operation);
  std::erase_if(pointers, [this](const ArgumentWord& one) { return memory_.find(one.word) == nullptr; });
  return pointers;
}

/// Up to the next address that an operation names in the allocation, or its end. Of no bytes where it is not on the device.
EffectObserver::Extent EffectObserver::extent_of(std::uint64_t address) const {
  const ProgramMemory::Block* const block = memory_.find(address);
  if (!block || block->kind != MemoryKind::kDevice) return {.begin = address};
  const auto next = std::ranges::upper_bound(touched_.uses, address, {}, &TouchedMemory::Use::address);
  const std::uint64_t end = block->base + block->bytes;
  return {.begin = address, .bytes = (next == touched_.uses.end() ? end : std::min(end, next->address)) - address};
}

std::vector<EffectObserver::Extent> EffectObserver::extents_of(const std::vector<ArgumentWord>& pointers) {
  std::vector<Extent> extents;
  for (const ArgumentWord& pointer : pointers) {
    if (std::ranges::find(extents, pointer.word, &Extent::begin) != extents.end()) continue;
    Extent one = extent_of(pointer.word);
    if (one.bytes == 0) continue;
    one.before = take(one.bytes);
    one.after = take(one.bytes);
    extents.push_back(one);
  }
  return extents;
}

bool EffectObserver::holds_addresses(const Extent& extent) const {
  std::vector<std::byte> head(std::min(extent.bytes, kMostLookedThrough));
  check(cuMemcpyDtoH(head.data(), extent.before, head.size()), kWhat);
  for (std::size_t at = 0; at + 8 <= head.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, head.data() + at, sizeof word);
    if (memory_.find(word)) return true;
  }
  return false;
}

void EffectObserver::restore(const std::vector<Extent>& extents) {
  for (const Extent& one : extents) copy(one.begin, one.before, one.bytes);
}

void EffectObserver::try_with_zeros(std::vector<Extent>& extents, Extent& one, const std::function<void()>& run) {
  restore(extents);
  if (zeros_bytes_ < one.bytes) {
    if (zeros_) cuMemFree(std::exchange(zeros_, 0));
    check(cuMemAlloc(&zeros_, one.bytes), kWhat);
    zeros_bytes_ = one.bytes;
    check(cuMemsetD8Async(zeros_, static_cast<unsigned char>(0), one.bytes, nullptr), kWhat);
  }
  copy(one.begin, zeros_, one.bytes);
  run();
  one.tried = true;
  one.written = differs(one.begin, zeros_, one.bytes);
  one.overwritten = (one.written || one.changed) &&
                    std::ranges::none_of(extents, [this](const Extent& each) { return differs(each.begin, each.after, each.bytes); });
}

bool EffectObserver::differs(CUdeviceptr left, CUdeviceptr right, std::size_t bytes) {
  const std::size_t chunks = (bytes + kChunkBytes - 1) / kChunkBytes;
  if (counts_bytes_ < chunks * sizeof(std::uint32_t)) {
    if (counts_) cuMemFree(std::exchange(counts_, 0));
    counts_bytes_ = chunks * sizeof(std::uint32_t);
    check(cuMemAlloc(&counts_, counts_bytes_), kWhat);
  }
  check(cuMemsetD32Async(counts_, 0, chunks, nullptr), kWhat);
  unsigned long long count = bytes;
  std::array<void*, 4> arguments{&left, &right, &count, &counts_};
  check(cuLaunchKernel(differing_, static_cast<unsigned int>(chunks), 1, 1, kThreadsPerChunk, 1, 1, 0, nullptr, arguments.data(), nullptr),
        kWhat);
  std::vector<std::uint32_t> counts(chunks);
  check(cuMemcpyDtoH(counts.data(), counts_, chunks * sizeof(std::uint32_t)), kWhat);
  return std::ranges::any_of(counts, [](std::uint32_t different) { return different > 0; });
}

CUdeviceptr EffectObserver::take(std::size_t bytes) {
  CUdeviceptr memory = 0;
  check(cuMemAlloc(&memory, bytes), "memory for looking at a kernel's effects");
  taken_.push_back(memory);
  return memory;
}

void EffectObserver::copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  check(cuMemcpyAsync(to, from, bytes, nullptr), kWhat);
  check(cuCtxSynchronize(), kWhat);
}

}  // namespace tasktwin::gpu::rerun
