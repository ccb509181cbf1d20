#include <algorithm>

#include "models/layers.hpp"
#include "models/policies.hpp"
#include "sim/backoff.hpp"
#include "sim/core.hpp"
#include "sim/fetch_unit.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

/// Each core runs its tasks of a layer, from a list written beforehand, then waits for all others. The last completion of the
/// layer written at t opens the next one at
///   ready = t + barrier + barrier_per_core · cores
/// and each core notices that late by a back-off of its own. A fetch that begins at f, and not before that, takes
/// read_latency. Nobody is told of a completion, so publishing one takes `retire`.
class LayerBarrier final : public Wiring, public EventHandler, private Cores::Listener {
 public:
  explicit LayerBarrier(const WiringInputs& inputs)
      : calendar_(inputs.calendar),
        timeline_(inputs.timeline),
        schedule_(frozen_schedule(inputs.graph, inputs.machine, inputs.design, inputs.replayed)),
        layers_(layers_of(inputs.graph)),
        read_(round_ns(inputs.machine.constants.read_latency)),
        barrier_(round_ns(inputs.machine.constants.barrier +
                          static_cast<double>(timeline_.cores.size()) * inputs.machine.constants.barrier_per_core)),
        backoff_(inputs.design, inputs.chance),
        cores_(inputs, PublishCost{inputs.machine.constants.retire, Nanoseconds{0}, inputs.machine.constants.retire}, *this),
        fetches_(timeline_.cores.size(), FetchUnit(inputs.design.mailbox_depth)),
        next_(timeline_.cores.size()) {
    sort_by_layer(schedule_, layers_);
    for (const std::size_t layer : layers_) {
      left_.resize(std::max(left_.size(), layer + 1));
      ++left_[layer];
    }
  }

  void begin() override {
    for (std::size_t core = 0; core < fetches_.size(); ++core) fetch(core_id(core));
  }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kSlotFree) {
      fetches_[subject].slot_freed(now);
      fetch(CoreId{subject});
      return;
    }
    if (--left_[layer_] > 0) return;
    ++layer_;
    opened_ = now + barrier_;
    for (std::size_t core = 0; core < fetches_.size(); ++core) fetch(core_id(core));
  }

 private:
  void fetch(CoreId core) {
    std::uint32_t& next = next_[index(core)];
    const std::vector<TaskId>& list = schedule_[index(core)];
    while (next < list.size() && layers_[index(list[next])] == layer_) {
      const std::optional<TimePoint> begin = fetches_[index(core)].begin();
      if (!begin) return;
      const TaskId task = list[next++];
      TaskTimes& times = timeline_.tasks[index(task)];
      times.ready = opened_;
      const Duration late = layer_ == 0 ? Duration{0} : backoff_.draw(index(core), layer_);
      times.dispatched = std::max(*begin, opened_ + late);
      const TimePoint received = times.dispatched + read_;
      fetches_[index(core)].received(received);
      cores_.receive(core, task, received);
    }
  }

  void will_publish(CoreId core, TaskId task, TimePoint slot_free, TimePoint published) override {
    calendar_.schedule(slot_free, EventKind::kSlotFree, static_cast<std::uint32_t>(index(core)), *this);
    calendar_.schedule(published, EventKind::kPublished, static_cast<std::uint32_t>(index(task)), *this);
  }

  Calendar& calendar_;
  Timeline& timeline_;
  FrozenSchedule schedule_;
  std::vector<std::size_t> layers_;  ///< by TaskId
  std::vector<std::size_t> left_;    ///< by layer: tasks whose completion is not written
  std::size_t layer_ = 0;            ///< the one that is open
  TimePoint opened_{};               ///< since when
  Duration read_;
  Duration barrier_;
  Backoff backoff_;
  Cores cores_;
  std::vector<FetchUnit> fetches_;   ///< by CoreId
  std::vector<std::uint32_t> next_;  ///< by CoreId: place in its list
};

}  // namespace

std::unique_ptr<Wiring> make_layer_barrier(const WiringInputs& inputs) { return std::make_unique<LayerBarrier>(inputs); }

}  // namespace tasktwin::sim
