#include <algorithm>
#include <functional>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/quick_processor.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/operations/allocators/malloc_memory.hpp"
#include "gpu/operations/allocators/pool_memory.hpp"
#include "gpu/probes/operation_probes.hpp"
#include "gpu/task_kernels/task_kernels.hpp"
#include "models/base/random.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

constexpr std::int64_t kMiB = 1 << 20;
constexpr int kRepeats = 15;
constexpr int kTurns = 7;

constexpr std::uint32_t kShort = 0;  // tasks by number
constexpr std::uint32_t kLong = 1;

TaskGraph kernels() {
  TaskGraphBuilder builder;
  builder.add_task("short", {.cost = {.time = Duration{1000}}});
  builder.add_task("long", {.cost = {.time = Duration{20'000}}});
  return std::move(builder).build();
}

class AllocationProbe {
 public:
  explicit AllocationProbe(std::int64_t segment) : segment_(segment > 0 ? segment : kMiB) { kernels_.reset(stream_); }

  /// For a while, what reaches the operating system or the driver's locks takes up to 1.5 times as long: medians of seven rounds, each on
  /// the processor that is quickest then.
  AllocationTimes measure() {
    std::vector<AllocationTimes> rounds;
    for (int turn = 0; turn < kTurns; ++turn) rounds.push_back(once());
    AllocationTimes times = rounds.front();
    const auto take_medians = [&](auto&& number) {
      std::vector<double> values;
      for (AllocationTimes& round : rounds) values.push_back(number(round));
      number(times) = median(values);
    };
    for (const auto list : {&AllocationTimes::malloc, &AllocationTimes::malloc_new, &AllocationTimes::free, &AllocationTimes::pool_grow}) {
      for (std::size_t i = 0; i < (times.*list).size(); ++i)
        take_medians([&](AllocationTimes& round) -> double& { return (round.*list)[i].ns; });
    }
    for (std::size_t i = 0; i < times.trims.size(); ++i) take_medians([&](AllocationTimes& round) -> double& { return round.trims[i].ns; });
    for (std::size_t i = 0; i < times.looks.size(); ++i) take_medians([&](AllocationTimes& round) -> double& { return round.looks[i].ns; });
    take_medians([](AllocationTimes& round) -> double& { return round.malloc_async_ns; });
    return times;
  }

 private:
  /// Of a device that must have the memory.
  static void* needed(void* memory) {
    if (memory == nullptr) throw RunError("probing allocations: the GPU's memory does not suffice");
    return memory;
  }

  AllocationTimes once() {
    move_to_quickest_processor([] { check(cudaFree(needed(device_malloc(2 * kMiB))), "freeing GPU memory"); });
    AllocationTimes times;
    for (const std::int64_t mib : {2, 16, 64, 256, 1024}) probe_malloc(mib * kMiB, times);
    for (const std::int64_t mib : {2, 16, 32, 64, 128}) times.malloc_new.push_back({mib * kMiB, malloc_new(mib * kMiB)});
    for (const int segments : {1, 2, 4, 8}) times.pool_grow.push_back(grow(segments * segment_));
    for (const int segments : {1, 2, 4, 8, 16}) times.trims.push_back({segments, trim(segments)});
    probe_pool(times);
    for (const int streams : {1, 2, 4, 8, 16}) times.looks.push_back({streams, look(streams)});
    return times;
  }

  void probe_malloc(std::int64_t bytes, AllocationTimes& times) const {
    std::vector<double> taken;
    std::vector<double> freed;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      void* memory = nullptr;
      taken.push_back(host_time_ns([&] { memory = device_malloc(bytes); }));
      needed(memory);
      freed.push_back(host_time_ns([&] { check(cudaFree(memory), "freeing GPU memory"); }));
    }
    times.malloc.push_back({bytes, median(taken)});
    times.free.push_back({bytes, median(freed)});
  }

  /// As a program has it whose cache grows: a kernel is launched after each call, and runs during the next. Such a call
  /// takes longer than one after another on an idle device; and as a program's time is the sum, the mean.
  double malloc_new(std::int64_t bytes) const {
    constexpr int kBlocks = 24;
    double ns = 0;
    std::vector<void*> blocks;
    for (int i = 0; i < kBlocks; ++i) {
      ns += host_time_ns([&] { blocks.push_back(device_malloc(bytes)); });
      needed(blocks.back());
      run_kernel(stream_, kLong);
    }
    for (void* const block : blocks) check(cudaFree(block), "freeing GPU memory");
    return ns / kBlocks;
  }

  /// Of a pool that has memory and keeps it, at addresses that it has not had before, as programs find it: from an empty one the first
  /// call takes 10 µs longer. One call takes up to twice as long as the next, and a program's time is the sum: the mean.
  AllocationTimes::Sized grow(std::int64_t bytes) {
    constexpr int kBlocks = 24;
    std::vector<void*> blocks{needed(keeping_.allocate(segment_, in_))};
    const std::int64_t before = keeping_.usage().reserved;
    double ns = 0;
    for (int i = 0; i < kBlocks; ++i) {
      void* memory = nullptr;
      ns += host_time_ns([&] { memory = keeping_.allocate(bytes, in_); });
      blocks.push_back(needed(memory));
    }
    const std::int64_t reserved = (keeping_.usage().reserved - before) / kBlocks;
    for (void* const block : blocks) keeping_.free(block, in_);
    stream_.synchronize();
    keeping_.give_back();
    return {reserved, ns / kBlocks};
  }

  void run_kernel(cudaStream_t stream, std::uint32_t kernel = kShort) const {
    launch_task(run_, {.task = kernel}, stream);
    check(cudaGetLastError(), "launching a probe");
  }

  /// As programs do: in several streams, of several sizes, with a kernel between the two; after a first half in which the pool grows.
  void probe_pool(AllocationTimes& times) const {
    constexpr int kCalls = 800;
    const std::vector<Stream> streams(8);
    PoolMemory pool(ReleaseThreshold::kMax, PoolReuse::kOwnStream);
    Random random(1);
    std::vector<double> taken;
    for (int i = 0; i < kCalls; ++i) {
      const PlannedStream in{0, streams[static_cast<std::size_t>(i) % streams.size()]};
      const std::int64_t bytes = random.between(1, 16 * kMiB);
      void* memory = nullptr;
      const double time = host_time_ns([&] { memory = pool.allocate(bytes, in); });
      needed(memory);
      run_kernel(in.stream);
      pool.free(memory, in);
      if (i >= kCalls / 2) taken.push_back(time);
    }
    check(cudaDeviceSynchronize(), "waiting for the GPU");
    times.malloc_async_ns = median(taken);
  }

  /// A stream that finds nothing in what it, or any of that many others alone, has freed. In the others a free comes last, and they are at
  /// its end; between the rounds the host synchronises, so that no stream has memory to itself.
  double look(int streams) {
    constexpr int kRounds = 40;
    const std::vector<Stream> others(static_cast<std::size_t>(streams));
    std::vector<double> times;
    for (int round = 0; round <= kRounds; ++round) {
      std::vector<void*> blocks;
      for (const Stream& other : others) blocks.push_back(needed(keeping_.allocate(kMiB, {0, other})));
      for (std::size_t i = 0; i < others.size(); ++i) {
        run_kernel(others[i]);
        keeping_.free(blocks[i], {0, others[i]});
      }
      for (const Stream& other : others) other.synchronize();
      void* memory = nullptr;
      const double time = host_time_ns([&] { memory = keeping_.allocate(2 * kMiB, in_); });
      if (round > 0) times.push_back(time);  // the first makes the pool grow
      run_kernel(stream_);
      keeping_.free(needed(memory), in_);
      check(cudaDeviceSynchronize(), "waiting for the GPU");
    }
    keeping_.give_back();
    return median(times);
  }

  double trim(int segments) { return std::max(0.0, block_for(trimming_, segments) - block_for(keeping_, segments)); }

  /// Blocking for a stream whose frees have all passed.
  double block_for(PoolMemory& pool, int segments) {
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      std::vector<void*> blocks;
      for (int i = 0; i < segments; ++i) blocks.push_back(needed(pool.allocate(segment_, in_)));
      for (void* const block : blocks) pool.free(block, in_);
      cudaError_t status = cudaErrorNotReady;
      while (status == cudaErrorNotReady) status = cudaStreamQuery(stream_);
      check(status, "freeing to the pool");
      times.push_back(host_time_ns([&] { stream_.synchronize(); }));
    }
    pool.give_back();
    return median(times);
  }

  std::int64_t segment_;
  TaskGraph graph_ = kernels();
  Machine machine_;
  Design design_ = named_design("cuda-streams");
  RunOptions options_;
  TaskKernels kernels_{ExecutorInputs{graph_, machine_, design_, options_}};
  StreamRun run_ = kernels_.describe(RunMode::kPlain);
  Stream stream_;
  PlannedStream in_{0, stream_};
  PoolMemory keeping_{ReleaseThreshold::kMax};
  PoolMemory trimming_{ReleaseThreshold::kZero};
};

}  // namespace

AllocationTimes probe_allocations(std::int64_t segment) { return AllocationProbe(segment).measure(); }

}  // namespace tasktwin::gpu
