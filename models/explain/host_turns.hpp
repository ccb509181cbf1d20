#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin {

/// Of the host's own time before a call: how long its thread, it seems, waited for calls of another, since it made none while that made
/// several, as PyTorch's thread that calls backward() and the one that goes backward wait for each other. It is the first part of the own
/// time.
struct HostTurn {
  Duration waited{};
  std::uint32_t thread = 0;  ///< the other
  std::uint32_t first = 0;   ///< the places of its first and last call meanwhile
  std::uint32_t last = 0;
};

/// By thread and call.
struct HostTurns {
  std::vector<std::vector<std::optional<HostTurn>>> of_call;
  std::vector<std::vector<Duration>> blocked;  ///< how long the call itself waited, beyond HostCall::call

  bool any() const;
};

/// What a run of the program as it was captured shows of it. `steps`: all of its calls, of each thread in their order.
HostTurns host_turns(const HostProgram& program, std::span<const HostStep> steps);

/// The same program, in which the time that a thread waited is in no range of its own, and what the other did meanwhile outside of all
/// ranges is in the one that the waiting thread was in.
HostProgram with_lent_ranges(HostProgram program, const HostTurns& turns);

/// without() of a program that runs as it was captured: waits for calls of another thread are as much shorter as these calls, the own time
/// between them, and what they waited for.
HostProgram without(const HostProgram& program, const HostTurns& turns, HostPart part, std::optional<std::uint32_t> name = {});

}  // namespace tasktwin
