#include "scenarios/importers/trace/kernel_room.hpp"

#include <algorithm>
#include <limits>

#include "models/cost/occupancy.hpp"

namespace tasktwin::scenarios {

namespace {

/// Blocks that a multiprocessor of such a compute capability holds (CUDA C++ Programming Guide, "Technical Specifications per Compute
/// Capability"); as of 9.0 where the file does not say which it is.
int blocks_of(const TraceDevice& device) {
  if (device.major == 7 && device.minor == 5) return 16;
  if (device.major == 8 && device.minor == 9) return 24;
  if (device.major == 8 && device.minor != 0) return 16;
  return device.major > 10 ? 24 : 32;
}

/// What one multiprocessor of the device holds. From compute capability 8.0 on each block takes 1 KiB of shared memory beside its own.
CoreLimits limits_of(const TraceDevice& device) {
  const auto whole = [](std::int64_t number) {
    return static_cast<int>(std::clamp<std::int64_t>(number, 0, std::numeric_limits<int>::max()));
  };
  return {.blocks = device.blocks > 0 ? whole(device.blocks) : blocks_of(device),
          .threads = whole(device.threads),
          .registers = whole(device.registers),
          .shared_memory = device.shared_memory,
          .reserved = device.major == 0 || device.major >= 8 ? 1024 : 0};
}

}  // namespace

const TraceDevice* device_of(const TraceRun& run) {
  const auto found = std::ranges::find(run.trace->devices, run.ops.front().device, &TraceDevice::id);
  return found == run.trace->devices.end() || found->cores <= 0 ? nullptr : &*found;
}

TaskTraits traits_of(const TraceShape& shape, const TraceDevice* device) {
  TaskTraits traits;
  if (device == nullptr || shape.threads <= 0) return traits;
  traits.blocks = static_cast<int>(std::min(shape.blocks, device->cores));
  const CoreLimits limits = limits_of(*device);
  const BlockRoom block = block_room(shape.threads, shape.registers, shape.shared_memory, limits);
  const std::int64_t each = (shape.blocks + device->cores - 1) / device->cores;
  const std::int64_t most = std::max<std::int64_t>(1, blocks_a_core(block, limits));
  const std::int64_t together = std::min(each, most);
  const std::int64_t least = each > most ? limits.threads : limits.threads * together / std::max(1, limits.blocks);
  traits.threads = static_cast<int>(std::max(block.threads * together, least));
  const bool has_more = traits.threads > block.threads * together;  // threads than run: not so many registers each
  traits.registers = has_more ? static_cast<int>(block.registers * together / traits.threads) : shape.registers;
  traits.shared_memory = shape.shared_memory * together;
  return traits;
}

Widths::Widths(const TraceRun& run) : run_(run), device_(device_of(run)) {
  if (device_ == nullptr || run.stream_count < 2) return;
  traits_.resize(run.ops.size());
  streams_.resize(run.stream_count);
  for (std::uint32_t task = 0; task < run.ops.size(); ++task) {
    if (run.ops[task].operation != Operation::kKernel) continue;
    traits_[task] = traits_of(run.trace->shapes[run.ops[task].shape], device_);
    if (traits_[task].blocks < device_->cores) streams_[run.streams[task]].push_back(task);
  }
  for (std::vector<std::uint32_t>& own : streams_) std::ranges::sort(own, {}, [&run](std::uint32_t task) { return run.ops[task].end; });
}

int Widths::of(std::uint32_t task, int blocks) const {
  if (traits_.empty() || run_.ops[task].operation != Operation::kKernel) return blocks;
  std::int64_t left = device_->cores;
  for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
    if (stream != run_.streams[task]) left -= held_by(streams_[stream], task);
  }
  const bool all = blocks == device_->cores;
  if (!all && 2 * left < device_->cores) return blocks;  // of several that are narrow none need have waited for the others
  return static_cast<int>(std::clamp<std::int64_t>(left, std::min<std::int64_t>(blocks, (device_->cores + 3) / 4), blocks));
}

int Widths::held_by(const std::vector<std::uint32_t>& others, std::uint32_t task) const {
  constexpr std::int64_t kPart = 10;
  const TraceOp& op = run_.ops[task];
  int held = 0;
  for (auto at = std::ranges::upper_bound(others, op.start, {}, [this](std::uint32_t other) { return run_.ops[other].end; });
       at != others.end(); ++at) {
    const TraceOp& other = run_.ops[*at];
    if (other.start >= op.end) break;
    const std::int64_t both = std::min(op.end, other.end) - std::max(op.start, other.start);
    if (both * kPart >= op.end - op.start && !have_room_together(traits_[task], traits_[*at])) held = std::max(held, traits_[*at].blocks);
  }
  return held;
}

bool Widths::have_room_together(const TaskTraits& a, const TaskTraits& b) const {
  const CoreLimits limits = limits_of(*device_);
  const auto fit = [](std::int64_t both, std::int64_t most) { return most == 0 || both <= most; };
  return fit(std::int64_t{a.threads} + b.threads, limits.threads) &&
         fit(std::int64_t{a.threads} * a.registers + std::int64_t{b.threads} * b.registers, limits.registers) &&
         fit(a.shared_memory + b.shared_memory + 2 * limits.reserved, limits.shared_memory);
}

}  // namespace tasktwin::scenarios
