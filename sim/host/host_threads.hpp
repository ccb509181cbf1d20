#pragma once

#include <cstdint>
#include <vector>

#include "models/program/host_program.hpp"
#include "sim/engine/run_context.hpp"
#include "sim/host/host_clock.hpp"

namespace tasktwin::sim {

/// The host under stream_wait `program`: each thread of the program makes its calls one after the other, from 0 on, with its own time
/// before each. A call keeps its thread for as long as the capture says, without what it waited for. One that blocks waits first: for the
/// end of its task, of what its stream has been given so far, of what was launched before its record, or of all that was launched; it
/// returns HostCall::call after that. So a call that had nothing to wait for when it was captured returns as long after an end that it now
/// waits for.
///
/// Threads meet on the device alone: what one waited for of another without a call is part of its own time. Into one stream launches go in
/// the order that was captured, and waits wait for the records that they waited for, whichever thread is ahead.
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
  struct Thread {
    HostClock clock;
    std::size_t next = 0;    ///< call
    bool prepared = false;   ///< its own time is spent
    bool blocked = false;    ///< in it
    bool launched = false;   ///< it has launched its task, and waits for it
    std::size_t all = 0;     ///< where it waits for the device: that many tasks had been launched
    LaunchedTasks target{};  ///< where it waits for one launch: that
  };

  void step(std::uint32_t number, TimePoint now);
  bool advance(Thread& thread, const HostCall& call);
  bool waits_over(const Thread& thread) const;
  void look_for_target(Thread& thread, const HostCall& call);
  void launch(Thread& thread, const HostCall& call);

  const HostProgram& program_;
  Calendar& calendar_;
  RunEvents& events_;
  Listener& listener_;
  std::vector<Thread> threads_;
  std::vector<LaunchedTasks> sources_;   ///< by record: the launch before it in its stream
  std::vector<LaunchedTasks> last_;      ///< by stream: the latest launch
  std::vector<std::uint32_t> first_of_;  ///< by task: the first of its launch
  std::vector<std::uint32_t> left_;      ///< by the first task of a launch: how many of it have not ended
  std::vector<std::uint32_t> launched_;  ///< tasks in the order of their launches
  std::size_t ended_before_ = 0;         ///< of these, all before here have ended
  std::vector<bool> has_ended_;          ///< by task
};

}  // namespace tasktwin::sim
