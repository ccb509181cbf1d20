#include "sim/cores/input_reads.hpp"

#include <map>

#include "models/machine/interconnect.hpp"

namespace tasktwin::sim {

InputReads::InputReads(Calendar& calendar, const TaskGraph& graph, const AsRun& machine, int device, Listener& listener)
    : calendar_(calendar),
      graph_(graph),
      machine_(machine),
      listener_(listener),
      reads_(calendar, machine, device, static_cast<PeerReads::Listener&>(*this)) {}

void InputReads::begin(std::uint32_t runner, TaskId task, TimePoint start) {
  if (readings_.size() <= runner) readings_.resize(runner + 1);
  readings_[runner].task = task;
  calendar_.schedule(start + round_ns(machine_.peers->read_latency), EventKind::kReadMoves, runner, *this);
}

void InputReads::handle(EventKind /*kind*/, std::uint32_t runner, TimePoint now) {
  Reading& reading = readings_[runner];
  const std::map<int, std::int64_t> remote = remote_inputs(graph_, reading.task);
  reading.open = remote.size();
  reads_.start(runner, remote, 1, now);
}

void InputReads::peer_read_ended(std::uint32_t runner, TimePoint now) {
  if (--readings_[runner].open == 0) listener_.inputs_read(runner, now);
}

}  // namespace tasktwin::sim
