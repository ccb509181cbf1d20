#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include <cupti.h>

#include "gpu/capture/call_details.hpp"
#include "gpu/capture/kernel_functions.hpp"
#include "gpu/capture/range_gate.hpp"
#include "gpu/capture/range_sink.hpp"
#include "gpu/capture/spool_writer.hpp"

namespace tasktwin::gpu::capture {

/// What one thread of the program has open. Contract: used by that thread alone.
struct ThreadState {
  static constexpr std::size_t kPointers = 64;  ///< kept a launch; further ones are counted

  explicit ThreadState(SpoolWriter& spool);

  ThreadLog log;
  bool busy = false;  ///< the library itself is calling the driver
  std::uint32_t depth = 0;
  CallRecord call{};  ///< the outermost call that is in flight
  std::uint64_t inner_begin_ns = 0;
  KernelArguments kernel{};
  OtherArguments other{};
  std::array<PointerArgument, kPointers> pointers{};

  struct Pushed {
    std::uint64_t domain;
    bool wanted;  ///< it is the range that --range names
  };
  std::vector<Pushed> ranges{};

  // What was looked up last.
  struct StreamLookUp {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    bool per_thread = false;
    std::uint32_t generation = 0;
    std::uint32_t id = 0;
  };
  std::array<StreamLookUp, 8> streams{};
  struct FunctionLookUp {
    CUfunction handle = nullptr;
    const char* name = nullptr;
    const Function* function = nullptr;
  };
  std::array<FunctionLookUp, 64> functions{};
  CUcontext context = nullptr;
  std::uint32_t context_id = 0;
  std::uint32_t device = 0;
};

/// Everything that the library records of one process. It lives as long as the process.
class Recorder : public RangeSink {
 public:
  /// The process's own, created by the first caller; null where `tasktwin capture` has not started the process, or where the file
  /// could not be made.
  static Recorder* get();

  explicit Recorder(const std::string& folder);

  SpoolWriter& spool() { return spool_; }
  bool wants_device_records() const { return device_records_; }

  /// Of the calling thread; null in a child that the process forked, which has no part in this.
  ThreadState* thread();

  /// Counts a call of CUPTI's that failed. True if it did not.
  bool check(CUptiResult result, const char* call);

  void enter(const RecordedCall& call, ThreadState& thread);
  void leave(const RecordedCall& call, const CUpti_CallbackData& data, std::uint32_t cbid, bool driver, ThreadState& thread);

  /// `node` was added to a graph: by the call that is in flight, unless that copies a whole graph.
  static void note_node(std::uint64_t node, ThreadState& thread) {
    if (thread.depth > 0 && thread.call.op != Op::kGraphInstantiate && thread.call.op != Op::kGraphCreate) thread.call.node = node;
  }
  void note_device(CUcontext context, ThreadState& thread);
  /// Stream numbers that were looked up hold no longer.
  void forget_streams() { generation_.fetch_add(1, std::memory_order_relaxed); }

  int begin_range(std::string_view name, std::uint64_t id, std::uint64_t domain) override;
  int end_range(std::uint64_t id, std::uint64_t domain) override;

  KernelFunctions& functions() { return functions_; }
  bool wants_run(std::uint32_t correlation) const { return range_.lets_run(correlation); }

  void child_forked() { forked_.store(true, std::memory_order_relaxed); }

 private:
  void leave_inner(const RecordedCall& call, const CUpti_CallbackData& data, std::uint32_t cbid, ThreadState& thread);
  void read_details(const RecordedCall& call, const CUpti_CallbackData& data, ThreadState& thread);
  void take_details(CallDetails& details, const RecordedCall& call, const CUpti_CallbackData& data, CallRecord& record,
                    ThreadState& thread);
  void write_call(CallRecord record, ThreadState& thread);
  void find_context(CUcontext context, ThreadState& thread);
  std::uint32_t stream_id(const CallDetails& details, bool per_thread, ThreadState& thread);
  void write_stream(CUstream stream, bool per_thread, std::uint32_t id, ThreadState& thread);
  const Function& function_of(CUfunction handle, const char* name, ThreadState& thread);
  void note_memory(const CallDetails& details, std::int32_t result);

  SpoolWriter spool_;
  bool device_records_;
  RangeGate range_;
  KernelFunctions functions_;
  std::atomic<bool> forked_ = false;

  std::atomic<std::uint32_t> generation_ = 1;
  std::atomic<std::uint64_t> lowest_address_ = ~std::uint64_t{0};
  std::atomic<std::uint64_t> highest_address_ = 0;

  std::mutex mutex_;  ///< of what follows
  std::unordered_set<std::uint64_t> streams_written_;
  std::vector<std::uint32_t> devices_written_;
};

}  // namespace tasktwin::gpu::capture
