#pragma once

#include <cstdint>
#include <vector>

#include "models/program/host_program.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_clock.hpp"

namespace tasktwin::sim {

/// The host under stream_wait `program`: each thread of the program makes its calls one after the other, from 0 on, with its own time
/// before each. A call keeps its thread for as long as the capture says, without what it waited for. One that blocks waits first: for the
/// end of its task, of what was launched before it into its stream, before its record, or at all; it returns HostCall::call after that. So
/// a call that had nothing to wait for when it was captured returns as long after an end that it now waits for.
///
/// Threads meet on the device alone: what one waited for of another without a call is part of its own time. Into one stream launches go in
/// the order that was captured, waits wait for the records that they waited for, and synchronisations for what was launched before them,
/// whichever thread is ahead. Everything waits for what came before it in that order alone, so a program ends at any pace of its host.
class HostThreads final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void launched(const HostCall& call, TimePoint begin, TimePoint end) = 0;

   protected:
    ~Listener() = default;
  };

  HostThreads(const WiringInputs& inputs, Listener& listener);

  void begin();
  void ended(std::uint32_t task, TimePoint now);

  void handle(EventKind kind, std::uint32_t thread, TimePoint now) override;

 private:
  /// What a call waits for.
  struct Target {
    std::size_t before = 0;  ///< all tasks with ids below
    LaunchedTasks launch{};  ///< and those of one launch
  };

  struct Thread {
    HostClock clock;
    std::vector<Target> targets{};  ///< by call
    std::size_t next = 0;           ///< call
    bool prepared = false;          ///< its own time is spent
    bool blocked = false;           ///< in it
    bool launched = false;          ///< it has launched its task, and waits for it
    HostStep step{};                ///< of the call
  };

  void find_targets();
  void step(std::uint32_t number, TimePoint now);
  bool advance(Thread& thread, std::uint32_t number, const HostCall& call);
  bool waits_over(const Target& target) const;
  void launch(Thread& thread, const HostCall& call);

  const HostProgram& program_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> first_of_;  ///< by task: the first of its launch
  std::vector<std::uint32_t> left_;      ///< by the first task of a launch: how many of it have not ended
  std::vector<bool> has_ended_;          ///< by task
  std::size_t ended_before_ = 0;         ///< all tasks with ids below have ended
};

}  // namespace tasktwin::sim
