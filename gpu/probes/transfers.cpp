#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>

#include "gpu/cuda/stream_handle.hpp"
#include "gpu/host/timed_calls.hpp"
#include "gpu/operations/operation_memory.hpp"
#include "gpu/operations/timed_events.hpp"
#include "gpu/probes/operation_probes.hpp"
#include "gpu/task_kernels/task_kernels.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin::gpu {

namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kKiB = 1 << 10;
constexpr std::int64_t kMiB = 1 << 20;
constexpr std::int64_t kMostBytes = 256 * kMiB;
constexpr std::int64_t kMostHostBytes = 64 * kMiB;
constexpr int kRepeats = 7;
constexpr int kManyStreams = 8;  // enough that an engine never waits for what is between two copies of one stream
constexpr Duration kGateTime = 3'000'000ns;

TaskGraph gate_graph() {
  TaskGraphBuilder builder;
  builder.add_task("gate", {.cost = {.time = kGateTime}});
  return std::move(builder).build();
}

class TransferProbe {
 public:
  TransferProbe() : kernels_({graph_, machine_, design_, options_}), run_(kernels_.describe(RunMode::kPlain)) {
    std::memset(pinned_.data(), 1, kMostHostBytes);
    std::fill_n(pageable_.get(), kMostHostBytes, std::byte{1});
    streams_.resize(kManyStreams);
    joins_.resize(kManyStreams);
    check(cudaMemset(device_.data(), 1, device_.bytes()), "setting GPU memory");
    kernels_.reset(streams_.front());
  }

  TransferTimes measure() {
    TransferTimes times;
    for (const Operation operation : {Operation::kCopyH2d, Operation::kCopyD2h}) {
      for (const int streams : {1, kManyStreams}) {
        for (const std::int64_t bytes : {16 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB, 16 * kMiB})
          times.queued.push_back({operation, streams, bytes, queued(operation, bytes, streams)});
      }
      for (const std::int64_t bytes : {8 * kMiB, 16 * kMiB, 32 * kMiB, 64 * kMiB})
        times.pageable.push_back({operation, bytes, staged(operation, bytes)});
    }
    for (const std::int64_t bytes : {16 * kKiB, 256 * kKiB, 4 * kMiB, 64 * kMiB, 256 * kMiB})
      times.queued.push_back({Operation::kMemset, 1, bytes, queued(Operation::kMemset, bytes, 1)});
    constexpr std::int64_t kEachWay = 16 * kMiB;
    times.duplex_bytes_per_ns = 2.0 * static_cast<double>(kEachWay) / both_ways(kEachWay);
    times.call_ns = call_time();
    times.first_word_ns = first_word();
    return times;
  }

 private:
  void transfer(Operation operation, std::byte* host, std::int64_t bytes, cudaStream_t stream) const {
    const auto size = static_cast<std::size_t>(bytes);
    switch (operation) {
      case Operation::kCopyH2d:
        return check(cudaMemcpyAsync(device_.data(), host, size, cudaMemcpyHostToDevice, stream), "copying to the GPU");
      case Operation::kCopyD2h:
        return check(cudaMemcpyAsync(host, device_.data(), size, cudaMemcpyDeviceToHost, stream), "copying from the GPU");
      default:
        return check(cudaMemsetAsync(device_.data(), 1, size, stream), "setting GPU memory");
    }
  }

  void close_gate() const {
    launch_task(run_, {}, streams_.front());
    check(cudaGetLastError(), "launching a probe");
  }

  /// From the end of a kernel that outlasts the calls of `submit` to the end of what these put into the first that many streams.
  double behind_gate(int streams, const std::function<void()>& submit) const {
    const auto count = static_cast<std::size_t>(streams);
    close_gate();
    begin_.record(streams_.front());
    for (std::size_t i = 1; i < count; ++i) check(cudaStreamWaitEvent(streams_[i], begin_, 0), "waiting for an event");
    submit();
    for (std::size_t i = 1; i < count; ++i) {
      check(cudaEventRecord(joins_[i], streams_[i]), "recording an event");
      check(cudaStreamWaitEvent(streams_.front(), joins_[i], 0), "waiting for an event");
    }
    end_.record(streams_.front());
    streams_.front().synchronize();
    return ns_between(begin_, end_);
  }

  /// What each of `count` adds to a run of as many before it.
  template <class Submit>
  double each(int count, int streams, Submit submit) const {
    const auto timed = [&](int some) {
      std::vector<double> times;
      for (int repeat = 0; repeat < kRepeats; ++repeat) times.push_back(behind_gate(streams, [&] { submit(some); }));
      return median(times);
    };
    return std::max(0.0, (timed(2 * count) - timed(count)) / count);
  }

  double queued(Operation operation, std::int64_t bytes, int streams) const {
    const auto count = static_cast<int>(std::clamp<std::int64_t>(512 * kMiB / bytes, 8, 64));
    return each(count, streams, [&](int some) {
      for (int i = 0; i < some; ++i) transfer(operation, pinned_.data(), bytes, streams_[static_cast<std::size_t>(i % streams)]);
    });
  }

  /// Of one copy each way, side by side.
  double both_ways(std::int64_t bytes) const {
    return each(16, 2, [&](int some) {
      for (int i = 0; i < some; ++i) {
        transfer(Operation::kCopyH2d, pinned_.data(), bytes, streams_[0]);
        check(cudaMemcpyAsync(pinned_.data() + kMostHostBytes / 2, device_.data() + kMostBytes / 2, static_cast<std::size_t>(bytes),
                              cudaMemcpyDeviceToHost, streams_[1]),
              "copying from the GPU");
      }
    });
  }

  double staged(Operation operation, std::int64_t bytes) const {
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      times.push_back(host_time_ns([&] {
        transfer(operation, pageable_.get(), bytes, streams_.front());
        streams_.front().synchronize();
      }));
    }
    return median(times);
  }

  double call_time() const {
    constexpr int kCalls = 32;
    std::vector<double> times;
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      close_gate();
      for (int i = 0; i < kCalls; ++i)
        times.push_back(host_time_ns([&] { transfer(Operation::kCopyH2d, pinned_.data(), 64 * kKiB, streams_.front()); }));
      streams_.front().synchronize();
    }
    return median(times);
  }

  double first_word() const {
    constexpr int kWords = 50;
    constexpr std::int64_t kBytes = sizeof(std::uint32_t);
    auto& word = *reinterpret_cast<std::uint32_t*>(pinned_.data());
    const std::atomic_ref seen(word);
    std::vector<double> times;
    for (int i = 0; i < kWords; ++i) {
      check(cudaDeviceSynchronize(), "waiting for the GPU");
      seen.store(0);
      const auto deadline = std::chrono::steady_clock::now() + options_.watchdog;
      times.push_back(host_time_ns([&] {
        transfer(Operation::kCopyD2h, pinned_.data(), kBytes, streams_.front());
        while (seen.load() == 0 && std::chrono::steady_clock::now() < deadline) {
        }
      }));
      if (seen.load() == 0) throw RunError("probing copies: a word copied to the host did not arrive");
    }
    return median(times);
  }

  TaskGraph graph_ = gate_graph();
  Machine machine_;
  Design design_ = named_design("cuda-streams");
  RunOptions options_;
  TaskKernels kernels_;
  StreamRun run_;
  DeviceBuffer<std::byte> device_{static_cast<std::size_t>(kMostBytes), "probing copies"};
  PinnedMemory pinned_{static_cast<std::size_t>(kMostHostBytes)};
  std::unique_ptr<std::byte[]> pageable_ = std::make_unique<std::byte[]>(static_cast<std::size_t>(kMostHostBytes));
  std::vector<Stream> streams_;
  std::vector<Event> joins_;
  TimedEvent begin_;
  TimedEvent end_;
};

}  // namespace

TransferTimes probe_transfers() { return TransferProbe().measure(); }

}  // namespace tasktwin::gpu
