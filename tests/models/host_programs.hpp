#pragma once

#include <cstdint>

#include "models/design/design.hpp"
#include "models/program/host_program.hpp"
#include "models/runtimes/runtimes.hpp"

namespace tasktwin {

/// A captured program, whose calls are added in order.
class HostProgramBuilder {
 public:
  explicit HostProgramBuilder(std::uint32_t streams) { program_.streams = streams; }

  HostProgramBuilder& call(HostCall call, std::int64_t own, std::int64_t takes, std::uint32_t thread = 0) {
    call.own = Duration{own};
    call.call = Duration{takes};
    while (program_.threads.size() <= thread) program_.threads.push_back({"thread", {}});
    program_.order.emplace_back(thread, static_cast<std::uint32_t>(program_.threads[thread].calls.size()));
    program_.threads[thread].calls.push_back(call);
    return *this;
  }
  HostProgramBuilder& launch(std::uint32_t task, std::uint32_t stream, std::int64_t own, std::int64_t takes, std::uint32_t thread = 0) {
    return call({.kind = HostCallKind::kLaunch, .stream = stream, .first = task_id(task), .tasks = 1}, own, takes, thread);
  }
  std::uint32_t record(std::uint32_t stream) {
    call({.kind = HostCallKind::kRecord, .stream = stream, .record = program_.records}, 0, 1);
    return program_.records++;
  }
  HostProgram build() const { return program_; }

 private:
  HostProgram program_;
};

/// Under which the program's own calls are made again.
inline Design as_captured(int streams) {
  Design design = named_design("cuda-streams");
  design.streams = streams;
  design.stream_granularity = StreamGranularity::kHinted;
  design.stream_wait = StreamWait::kProgram;
  return design;
}

}  // namespace tasktwin
