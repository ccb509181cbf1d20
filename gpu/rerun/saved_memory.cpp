#include "gpu/rerun/saved_memory.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <new>
#include <string>

#include "gpu/rerun/memory_kernels.hpp"
#include "gpu/rerun/tape/cuda_check.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxPlaces = 4096;
/// Left free on the device, for graphs and for what kernels take while they run.
constexpr std::size_t kReserveBytes = std::size_t{1} << 30;

bool device_has_room(std::size_t bytes) {
  std::size_t free = 0;
  std::size_t all = 0;
  return cuMemGetInfo(&free, &all) == CUDA_SUCCESS && free >= bytes + std::min(kReserveBytes, all / 20);
}

bool host_has_room(std::size_t bytes) {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;) {
    std::size_t kilobytes = 0;
    if (word == "MemAvailable:" && file >> kilobytes) return bytes < kilobytes * 1024 / 10 * 8;
  }
  return false;
}

}  // namespace

void SavedMemory::save() {
  check(cuModuleLoadData(&module_, kMemoryKernels), "cuModuleLoadData");
  check(cuModuleGetFunction(&differing_, module_, "differing"), "cuModuleGetFunction");
  check(cuModuleGetFunction(&put_back_, module_, "put_back"), "cuModuleGetFunction");
  check(cuStreamCreate(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    total_bytes_ += regions_[r].bytes;
    for (std::size_t at = 0; at < regions_[r].bytes; at += kPieceBytes) {
      const std::size_t bytes = std::min(kPieceBytes, regions_[r].bytes - at);
      const std::size_t chunks = (bytes + kChunkBytes - 1) / kChunkBytes;
      pieces_.push_back({.region = r, .live = regions_[r].base + at, .bytes = bytes, .first_chunk = chunks_, .chunks = chunks});
      chunks_ += chunks;
    }
  }
  changed_.assign(chunks_, 0);
  unreproducible_.assign(chunks_, false);
  const std::size_t bytes = std::max<std::size_t>(chunks_, 1) * sizeof(std::uint32_t);
  check(cuMemAlloc(&counts_, bytes), "memory for comparing");
  check(cuMemAlloc(&marks_, bytes), "memory for comparing");
  for (Piece& piece : pieces_) keep(piece, piece.saved);
}

SavedMemory::~SavedMemory() {
  for (Piece& piece : pieces_) {
    for (Copy* copy : {&piece.saved, &piece.expected}) {
      if (copy->device) cuMemFree(copy->device);
    }
  }
  for (const CUdeviceptr memory : {counts_, marks_, staging_}) {
    if (memory) cuMemFree(memory);
  }
  if (stream_) cuStreamDestroy(stream_);
  if (module_) cuModuleUnload(module_);
}

void SavedMemory::keep(const Piece& piece, Copy& copy) {
  if (!copy.is_there()) {
    if (!device_has_room(piece.bytes) || cuMemAlloc(&copy.device, piece.bytes) != CUDA_SUCCESS) {
      copy.device = 0;
      if (!host_has_room(piece.bytes)) throw std::bad_alloc();
      copy.host = std::make_unique_for_overwrite<std::byte[]>(piece.bytes);  // NOLINT(modernize-avoid-c-arrays)
      host_bytes_ += piece.bytes;
    }
  }
  if (copy.device) {
    check(cuMemcpyAsync(copy.device, piece.live, piece.bytes, stream_), "copying the program's memory");
    check(cuStreamSynchronize(stream_), "copying the program's memory");
  } else {
    check(cuMemcpyDtoH(copy.host.get(), piece.live, piece.bytes), "copying the program's memory");
  }
}

CUdeviceptr SavedMemory::on_device(const Piece& piece, const Copy& copy) {
  if (copy.device) return copy.device;
  if (!staging_) check(cuMemAlloc(&staging_, kPieceBytes), "memory for comparing");
  check(cuStreamSynchronize(stream_), "comparing memory");
  check(cuMemcpyHtoD(staging_, copy.host.get(), piece.bytes), "comparing memory");
  return staging_;
}

void SavedMemory::launch(CUfunction function, const Piece& piece, CUdeviceptr first, CUdeviceptr second, CUdeviceptr words) {
  unsigned long long bytes = piece.bytes;
  CUdeviceptr place = words + piece.first_chunk * sizeof(std::uint32_t);
  std::array<void*, 4> arguments{&first, &second, &bytes, &place};
  check(cuLaunchKernel(function, static_cast<unsigned int>(piece.chunks), 1, 1, kThreadsPerChunk, 1, 1, 0, stream_, arguments.data(),
                       nullptr),
        "comparing memory");
}

std::vector<std::uint32_t> SavedMemory::count(const Copy& (*of)(const Piece&)) {
  std::vector<std::uint32_t> counts(chunks_);
  if (chunks_ == 0) return counts;
  check(cuMemsetD32Async(counts_, 0, chunks_, stream_), "comparing memory");
  for (const Piece& piece : pieces_) launch(differing_, piece, piece.live, on_device(piece, of(piece)), counts_);
  check(cuStreamSynchronize(stream_), "comparing memory");
  check(cuMemcpyDtoH(counts.data(), counts_, chunks_ * sizeof(std::uint32_t)), "comparing memory");
  return counts;
}

void SavedMemory::expect() {
  changed_ = count([](const Piece& piece) -> const Copy& { return piece.saved; });
  changed_bytes_ = 0;
  for (const std::uint32_t bytes : changed_) changed_bytes_ += bytes;
  mark_changed();
  for (Piece& piece : pieces_) {
    if (piece.dirty) keep(piece, piece.expected);
  }
}

void SavedMemory::mark_changed() {
  for (Piece& piece : pieces_) {
    const auto first = changed_.begin() + static_cast<std::ptrdiff_t>(piece.first_chunk);
    piece.dirty = std::any_of(first, first + static_cast<std::ptrdiff_t>(piece.chunks), [](std::uint32_t bytes) { return bytes > 0; });
  }
  if (chunks_ > 0) check(cuMemcpyHtoD(marks_, changed_.data(), chunks_ * sizeof(std::uint32_t)), "comparing memory");
}

std::vector<std::uint32_t> SavedMemory::differing() {
  return count([](const Piece& piece) -> const Copy& { return piece.expected.is_there() ? piece.expected : piece.saved; });
}

bool SavedMemory::learn(const std::vector<std::uint32_t>& differing) {
  bool news = false;
  for (std::size_t i = 0; i < chunks_; ++i) {
    if (differing[i] == 0 || unreproducible_[i]) continue;
    news = unreproducible_[i] = true;
    unreproducible_bytes_ += differing[i];
    changed_[i] += differing[i];
  }
  if (news) mark_changed();
  return news;
}

Differences SavedMemory::differences(const std::vector<std::uint32_t>& differing) const {
  Differences found;
  for (const Piece& piece : pieces_) {
    for (std::size_t i = 0; i < piece.chunks; ++i) {
      const std::uint32_t bytes = differing[piece.first_chunk + i];
      if (bytes == 0) continue;
      if (unreproducible_[piece.first_chunk + i]) {
        found.unreproducible_bytes += bytes;
        continue;
      }
      found.bytes += bytes;
      if (found.places.size() < kMaxPlaces) found.places.push_back({piece.region, piece.live + i * kChunkBytes, bytes});
    }
  }
  return found;
}

void SavedMemory::restore() {
  for (const Piece& piece : pieces_) {
    if (piece.dirty) launch(put_back_, piece, piece.live, on_device(piece, piece.saved), marks_);
  }
  check(cuStreamSynchronize(stream_), "putting memory back");
}

void SavedMemory::restore_everything() {
  for (const Piece& piece : pieces_) {
    if (piece.saved.device) {
      check(cuMemcpyAsync(piece.live, piece.saved.device, piece.bytes, stream_), "putting memory back");
    } else {
      check(cuMemcpyHtoD(piece.live, piece.saved.host.get(), piece.bytes), "putting memory back");
    }
  }
  check(cuStreamSynchronize(stream_), "putting memory back");
}

}  // namespace tasktwin::gpu::rerun
