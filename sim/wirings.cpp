#include "sim/wirings.hpp"

#include <string>

#include "models/error.hpp"
#include "sim/launcher.hpp"

namespace tasktwin::sim {

namespace {

struct Entry {
  Driver driver;
  Release release;
  ReadyQueue ready_queue;
  std::unique_ptr<Wiring> (*make)(const WiringInputs&);
};

constexpr Entry kWirings[] = {
    {Driver::kStreams, Release::kEvents, ReadyQueue::kPerWorker, make_cuda_streams},
    {Driver::kPersistent, Release::kDispatcher, ReadyQueue::kShared, make_central_dispatcher},
    {Driver::kPersistent, Release::kCounters, ReadyQueue::kPerWorker, make_static_queues},
    {Driver::kPersistent, Release::kCounters, ReadyQueue::kShared, make_shared_queue},
};

}  // namespace

std::vector<CoreType> timeline_cores(const TaskGraph& graph, const Machine& machine, const Design& design) {
  return design.driver == Driver::kStreams ? stream_types(graph, machine, design) : worker_cores(design, machine);
}

std::unique_ptr<Wiring> make_wiring(const WiringInputs& inputs) {
  const Design& design = inputs.design;
  std::string valid;
  for (const Entry& entry : kWirings) {
    if (entry.driver == design.driver && entry.release == design.release && entry.ready_queue == design.ready_queue) {
      return entry.make(inputs);
    }
    valid += (valid.empty() ? "" : "; ") + std::string(to_word(entry.driver)) + ", " + std::string(to_word(entry.release)) + ", " +
             std::string(to_word(entry.ready_queue));
  }
  throw InputError("design '" + design.name + "': the simulator has no driver '" + std::string(to_word(design.driver)) +
                   "' with release '" + std::string(to_word(design.release)) + "' and ready_queue '" +
                   std::string(to_word(design.ready_queue)) + "' (it has: " + valid + ")");
}

}  // namespace tasktwin::sim
