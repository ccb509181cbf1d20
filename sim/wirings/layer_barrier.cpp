#include <algorithm>
#include <utility>

#include "models/base/sparse.hpp"
#include "models/policies/layers.hpp"
#include "models/policies/policies.hpp"
#include "sim/cores/core.hpp"
#include "sim/wirings.hpp"
#include "sim/workers/backoff.hpp"
#include "sim/workers/fetch_unit.hpp"

namespace tasktwin::sim {

namespace {

/// Each core runs its tasks of a layer, from a list written beforehand, and arrives at the layer's barrier when it has published the last
/// of them. Arrivals are counted one after the other, each barriers.arrive after the one before or after the arrival itself, whichever
/// is later; so cores that arrive together wait for each other there, and one that comes by itself does not. (Cores without tasks in the
/// layer have arrived long before.) After the last, counted at t, the next layer opens at
///   ready = t + barriers.leave
/// and each core notices that late by a back-off of its own. A fetch that begins at f, and not before that, takes
/// read_latency. A completion is not signalled, so publishing one takes no time.
class LayerBarrier final : public Wiring, public EventHandler, private Cores::Listener {
 public:
  explicit LayerBarrier(const WiringInputs& inputs)
      : calendar_(inputs.calendar),
        events_(inputs.events),
        schedule_(inputs.lists.size()),
        layers_(layers_of(inputs.graph)),
        arrives_(inputs.graph.size()),
        read_(round_ns(inputs.machine.memory->read_latency)),
        barrier_(inputs.machine.barriers->leave),
        arrival_(inputs.machine.barriers->arrive),
        backoff_(inputs.design, inputs.chance),
        cores_(inputs, PublishCost{}, *this),
        fetches_(inputs.cores.size(), inputs.design.mailbox_depth),
        next_(inputs.cores.size()) {
    left_.resize(layers_.empty() ? 0 : *std::ranges::max_element(layers_) + 1);
    cores_of_.resize(left_.size());
    for (std::size_t core = 0; core < schedule_.size(); ++core) {
      if (inputs.lists[core].empty()) continue;
      FrozenSchedule sorted{inputs.lists[core]};
      sort_by_layer(sorted, layers_);
      const std::vector<TaskId>& list = schedule_[core] = std::move(sorted.front());
      for (std::size_t i = 0; i < list.size(); ++i) {
        arrives_[index(list[i])] = i + 1 == list.size() || layers_[index(list[i + 1])] != layers_[index(list[i])];
        if (arrives_[index(list[i])]) cores_of_[layers_[index(list[i])]].push_back(core_id(core));
      }
    }
    for (std::size_t task = 0; task < layers_.size(); ++task) left_[layers_[task]] += arrives_[task] ? 1 : 0;
  }

  void begin() override { open_layer(); }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override {
    if (kind == EventKind::kSlotFree) {
      fetches_[subject].slot_freed(now);
      fetch(CoreId{subject});
      return;
    }
    if (!arrives_[subject]) return;
    counted_ = std::max(counted_, Nanoseconds{now.time_since_epoch()}) + arrival_;
    if (--left_[layer_] > 0) return;
    ++layer_;
    opened_ = TimePoint{round_ns(counted_ + barrier_)};
    open_layer();
  }

 private:
  void open_layer() {
    if (layer_ == cores_of_.size()) return;
    for (const CoreId core : cores_of_[layer_]) fetch(core);
  }

  void fetch(CoreId core) {
    std::uint32_t& next = next_[index(core)];
    const std::vector<TaskId>& list = schedule_[index(core)];
    while (next < list.size() && layers_[index(list[next])] == layer_) {
      const std::optional<TimePoint> begin = fetches_[index(core)].begin();
      if (!begin) return;
      const TaskId task = list[next++];
      events_.ready(task, opened_);
      const Duration late = layer_ == 0 ? Duration{0} : backoff_.draw(index(core), layer_);
      const TimePoint dispatched = std::max(*begin, opened_ + late);
      events_.dispatched(task, dispatched);
      const TimePoint received = dispatched + read_;
      fetches_[index(core)].received(received);
      cores_.receive(core, task, received);
    }
  }

  void will_publish(const Cores::Completion& completion) override {
    calendar_.schedule(completion.slot_free, EventKind::kSlotFree, static_cast<std::uint32_t>(index(completion.core)), *this);
    calendar_.schedule(completion.published, EventKind::kPublished, static_cast<std::uint32_t>(index(completion.task)), *this);
  }

  Calendar& calendar_;
  RunEvents& events_;
  Sparse<std::vector<TaskId>> schedule_;       ///< by CoreId
  std::vector<std::size_t> layers_;            ///< by TaskId
  std::vector<bool> arrives_;                  ///< by TaskId: whether its core arrives at the barrier after it
  std::vector<std::size_t> left_;              ///< by layer: cores that have yet to arrive
  std::vector<std::vector<CoreId>> cores_of_;  ///< by layer: those that have tasks in it
  std::size_t layer_ = 0;                      ///< the one that is open
  TimePoint opened_{};                         ///< since when
  Duration read_;
  Nanoseconds barrier_;
  Nanoseconds arrival_;
  Nanoseconds counted_{};  ///< when the last arrival was, since the begin
  Backoff backoff_;
  Cores cores_;
  FetchUnits fetches_;
  Sparse<std::uint32_t> next_;  ///< by CoreId: place in its list
};

}  // namespace

std::unique_ptr<Wiring> make_layer_barrier(const WiringInputs& inputs) { return std::make_unique<LayerBarrier>(inputs); }

}  // namespace tasktwin::sim
