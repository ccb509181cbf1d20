// A listener that is told every event of a simulated run: counts the tasks that were published, and says which one waited longest for a
// core after it had become ready.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "scenarios/load/scenario.hpp"
#include "sim/engine/run_observer.hpp"
#include "sim/simulator.hpp"

using namespace tasktwin;

namespace {

class LongestWait final : public sim::RunObserver {
 public:
  void run_begins(std::size_t tasks, std::span<const CoreType> /*cores*/) override { ready_.resize(tasks); }
  void ready(TaskId task, TimePoint at) override { ready_[index(task)] = at; }
  void started(TaskId task, TimePoint at) override {
    if (at - ready_[index(task)] <= longest_) return;
    longest_ = at - ready_[index(task)];
    task_ = task;
  }
  void published(TaskId /*task*/, TimePoint /*at*/) override { ++published_; }

  int published() const { return published_; }
  TaskId task() const { return task_; }
  Duration longest() const { return longest_; }

 private:
  std::vector<TimePoint> ready_;
  TaskId task_{};
  Duration longest_{};
  int published_ = 0;
};

}  // namespace

int main() try {
  const scenarios::Scenario scenario = scenarios::load_scenario("cholesky");
  LongestWait listener;
  sim::simulate(scenario.graph, scenario.machine, named_design("shared-queue"), {.observer = &listener});
  std::printf("%d tasks published; '%s' waited longest for a core: %lld ns\n", listener.published(),
              std::string(scenario.graph.name(listener.task())).c_str(), static_cast<long long>(to_ns(listener.longest())));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
