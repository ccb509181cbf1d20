#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cupti.h>

#include "gpu/capture/range_sink.hpp"
#include "gpu/rerun/report.hpp"
#include "gpu/rerun/session.hpp"
#include "gpu/rerun/tape/calls.hpp"
#include "gpu/rerun/tape/recording.hpp"

namespace tasktwin::gpu::rerun {

/// What `tasktwin rerun` does within a program: follows its calls until the iteration that is asked for is over, runs that again, and
/// then lets the program be. It lives as long as the process.
class Rerun : public capture::RangeSink {
 public:
  /// The process's own; null where `tasktwin rerun` has not started it.
  static Rerun* get();

  explicit Rerun(const std::string& folder);

  /// CUDA has loaded the library.
  void start();
  void finish();

  int begin_range(std::string_view name, std::uint64_t id, std::uint64_t domain) override;
  int end_range(std::uint64_t id, std::uint64_t domain) override;

  void on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data);

 private:
  bool by_range() const { return !range_.empty(); }
  void subscribe();
  /// Callbacks of the calls that count only while a range is open.
  void listen(bool on);
  /// CUPTI leaves the process: where it is, kernels that follow each other take longer.
  void detach();
  /// Tells of streams that are captured, while which nothing may wait for the device.
  void attach_to_captures();
  bool check(CUptiResult result, const char* call);

  void open();
  void close();
  void take(const KnownCall& known, const CUpti_CallbackData& data, bool failed);
  void device_synchronized();
  /// An iteration is over: runs it again, where it is the one that is asked for.
  void over(Tape tape);
  bool is_asked_for(const Tape& tape);
  /// Memory that the program frees from now on stays, or no longer. In ranges alone: a program may never wait for the device. Contract:
  /// the mutex is free.
  void keep_freed(bool on);
  void time_own(bool begins);

  Report report_;
  std::string range_;
  std::uint64_t instance_ = 0;  ///< 0: the first that is like the one before
  Settings settings_;
  std::string wrong_settings_;

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::vector<KnownCall> calls_;     ///< by callback id of the driver
  std::vector<bool> synchronizing_;  ///< by callback id of the runtime: cudaDeviceSynchronize
  std::atomic<bool> done_ = false;

  std::mutex mutex_;  ///< of what follows
  Recording recording_;
  int open_ranges_ = 0;
  std::vector<std::uint64_t> started_;  ///< ids of ranges that are open and count
  std::uint64_t iterations_ = 0;        ///< that are over
  std::optional<Tape> before_;
  bool cuda_started_ = false;
  CUcontext context_ = nullptr;  ///< of what was run again
  std::size_t own_times_ = 0;
  std::uint64_t own_begin_ns_ = 0;
};

}  // namespace tasktwin::gpu::rerun
