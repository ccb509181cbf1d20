#pragma once

#include <cstdint>
#include <string_view>

namespace tasktwin::gpu::capture {

/// What a library that is loaded into a program does with its NVTX ranges.
class RangeSink {
 public:
  virtual ~RangeSink() = default;

  /// A range: pushed and popped where `id` is 0, else started and ended. Return how many stay open on this thread and domain.
  virtual int begin_range(std::string_view name, std::uint64_t id, std::uint64_t domain) = 0;
  virtual int end_range(std::uint64_t id, std::uint64_t domain) = 0;

  /// The library's own, which each library defines; null where no command of tasktwin has started the process.
  static RangeSink* of_process();
};

}  // namespace tasktwin::gpu::capture
