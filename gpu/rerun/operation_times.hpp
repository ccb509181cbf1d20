#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include <cupti.h>

namespace tasktwin::gpu::rerun {

/// Which node a node of a graph that is instantiated while this lives was made from, by CUPTI's numbers. Contract: nothing else of the
/// process has subscribed to CUPTI's callbacks.
class NodeClones {
 public:
  NodeClones();
  ~NodeClones();
  NodeClones(const NodeClones&) = delete;
  NodeClones& operator=(const NodeClones&) = delete;

  std::uint64_t original(std::uint64_t node) const;
  static std::uint64_t number_of(CUgraphNode node);

 private:
  static void CUPTIAPI take(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::map<std::uint64_t, std::uint64_t> originals_;
};

/// When the device worked on something, in ns of CUPTI's clock.
struct DeviceSpan {
  std::uint32_t call = 0;  ///< CUPTI's number of the call that gave it: larger for later calls of a thread
  std::uint64_t node = 0;  ///< of the graph that was instantiated; 0 where a stream was launched into
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

/// CUPTI's records of kernels, copies and memsets between start and stop. They make work longer: what is timed otherwise is without.
class OperationTimes {
 public:
  /// False where CUPTI does not give them.
  bool start();
  /// Contract: the device is idle.
  std::vector<DeviceSpan> stop();
};

}  // namespace tasktwin::gpu::rerun
