#include "gpu/capture/device_records.hpp"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace tasktwin::gpu::capture {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
constexpr std::size_t kMostBuffers = 256;
constexpr std::size_t kPreparedBuffers = 8;
constexpr std::size_t kAlignment = 4096;
/// A process that is killed or leaves by _exit hands over no records; this bounds what it takes along.
constexpr std::uint32_t kFlushPeriodMs = 200;

/// Buffers for CUPTI to fill. It asks for them on the program's own threads, so that they are kept, zeroed, for the next time.
class BufferPool {
 public:
  BufferPool() {
    for (std::size_t i = 0; i < kPreparedBuffers; ++i) free_.push_back(make());
  }

  std::uint8_t* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return made_ < kMostBuffers ? make() : nullptr;
    std::uint8_t* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }

  void give_back(std::uint8_t* buffer, std::size_t used) {
    std::memset(buffer, 0, used);
    const std::lock_guard lock(mutex_);
    free_.push_back(buffer);
  }

 private:
  std::uint8_t* make() {
    void* const buffer = std::aligned_alloc(kAlignment, kBufferBytes);
    if (!buffer) return nullptr;
    ++made_;
    std::memset(buffer, 0, kBufferBytes);
    return static_cast<std::uint8_t*>(buffer);
  }

  std::mutex mutex_;
  std::size_t made_ = 0;
  std::vector<std::uint8_t*> free_;
};

BufferPool& pool() {
  static auto* const buffers = new BufferPool;  // CUPTI may ask until the process has ended
  return *buffers;
}

std::array<std::uint32_t, 3> dimensions(auto x, auto y, auto z) {
  return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), static_cast<std::uint32_t>(z)};
}

/// What runs of every kind have: when, after which call, where, and as which node of a graph.
template <class Run>
Run begun(const auto& activity) {
  Run run{};
  run.begin_ns = activity.start;
  run.end_ns = activity.end;
  run.correlation = activity.correlationId;
  run.device = activity.deviceId;
  run.context = activity.contextId;
  run.stream = activity.streamId;
  run.node = activity.graphNodeId;
  run.graph = activity.graphId;
  return run;
}

KernelRun kernel_run(const CUpti_ActivityKernel10& k, std::uint32_t function) {
  auto run = begun<KernelRun>(k);
  run.function = function;
  run.grid = dimensions(k.gridX, k.gridY, k.gridZ);
  run.block = dimensions(k.blockX, k.blockY, k.blockZ);
  run.cluster = dimensions(k.clusterX, k.clusterY, k.clusterZ);
  run.registers = k.registersPerThread;
  run.static_shared_bytes = static_cast<std::uint32_t>(k.staticSharedMemory);
  run.dynamic_shared_bytes = static_cast<std::uint32_t>(k.dynamicSharedMemory);
  run.executed_shared_bytes = k.sharedMemoryExecuted;
  run.local_bytes = k.localMemoryPerThread;
  run.channel = k.channelID;
  run.carveout_percent = static_cast<std::int16_t>(k.isSharedMemoryCarveoutRequested != 0 ? int{k.sharedMemoryCarveoutRequested} : -1);
  run.device_launched = k.isDeviceLaunched;
  return run;
}

/// What copies of one device and between two have in common.
CopyRun copy_run(const auto& c) {
  auto run = begun<CopyRun>(c);
  run.bytes = c.bytes;
  run.copy_kind = c.copyKind;
  run.source_kind = c.srcKind;
  run.target_kind = c.dstKind;
  return run;
}

CopyRun peer_copy_run(const CUpti_ActivityMemcpyPtoP4& c) {
  CopyRun run = copy_run(c);
  run.peer = 1;
  run.source_device = c.srcDeviceId;
  run.target_device = c.dstDeviceId;
  return run;
}

MemsetRun memset_run(const CUpti_ActivityMemset4& m) {
  auto run = begun<MemsetRun>(m);
  run.bytes = m.bytes;
  run.value = m.value;
  run.memory_kind = m.memoryKind;
  return run;
}

template <class Run>
void write_run(Recorder& recorder, ThreadLog& log, const Run& run) {
  if (!recorder.wants_run(run.correlation)) return;
  if (!log.write(run)) ++recorder.spool().head().runs_dropped;
}

void take_record(Recorder& recorder, ThreadLog& log, const CUpti_Activity& record) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL: {
      const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      if (recorder.wants_run(kernel.correlationId)) write_run(recorder, log, kernel_run(kernel, recorder.functions().id(kernel.name, log)));
      return;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return write_run(recorder, log, copy_run(reinterpret_cast<const CUpti_ActivityMemcpy6&>(record)));
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return write_run(recorder, log, peer_copy_run(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record)));
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return write_run(recorder, log, memset_run(reinterpret_cast<const CUpti_ActivityMemset4&>(record)));
    default:
      return;
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = pool().take();
  *size = *buffer ? kBufferBytes : 0;
  *records = 0;
  if (!*buffer) {
    if (Recorder* const recorder = Recorder::get()) ++recorder->spool().head().buffers_refused;
  }
}

void CUPTIAPI take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t /*size*/, std::size_t valid) {
  Recorder* const recorder = Recorder::get();
  ThreadState* const thread = recorder ? recorder->thread() : nullptr;
  if (thread) {
    CUpti_Activity* record = nullptr;
    while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) take_record(*recorder, thread->log, *record);
    std::size_t dropped = 0;
    if (cuptiActivityGetNumDroppedRecords(context, stream, &dropped) == CUPTI_SUCCESS) recorder->spool().head().records_dropped += dropped;
  }
  if (buffer) pool().give_back(buffer, kBufferBytes);
}

}  // namespace

void start_device_records(Recorder& recorder) {
  pool();
  std::uint8_t zeroed = 1;
  std::size_t bytes = sizeof zeroed;
  recorder.check(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, &bytes, &zeroed), "cuptiActivitySetAttribute");
  recorder.check(cuptiActivityRegisterTimestampCallback(now_ns), "cuptiActivityRegisterTimestampCallback");
  recorder.check(cuptiActivityRegisterCallbacks(give_buffer, take_buffer), "cuptiActivityRegisterCallbacks");
  for (const auto kind :
       {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMSET}) {
    recorder.check(cuptiActivityEnable(kind), "cuptiActivityEnable");
  }
  recorder.check(cuptiActivityFlushPeriod(kFlushPeriodMs), "cuptiActivityFlushPeriod");
}

void finish_device_records(Recorder& recorder) {
  recorder.check(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "cuptiActivityFlushAll");
}

}  // namespace tasktwin::gpu::capture
