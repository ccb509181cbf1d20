#include "sim/control/intake/polling.hpp"

#include <vector>

namespace tasktwin::sim {

namespace {

/// How long polling that many cores takes.
class PollTime {
 public:
  PollTime(const mechanism::ControlLoop& times, Lanes lanes) : times_(times), lanes_(lanes) {}
  Nanoseconds of(std::size_t cores) const { return times_.poll + static_cast<double>(lanes_.rounds(cores)) * times_.poll_per_core; }

 private:
  const mechanism::ControlLoop& times_;
  Lanes lanes_;
};

/// Polls all cores and sees all completions that are there as the sweep begins.
class WholeSweep final : public Polling {
 public:
  WholeSweep(Sweep which, PollTime time) : which_(which), time_(time) {}

  void sweep(std::uint32_t /*id*/, CoreShare& share, Iteration& iteration) override {
    iteration.sweep = time_.of(which_ == Sweep::kAllCores ? share.owned.count() : share.owned.busy());
    while (const auto core = share.take(iteration.began)) iteration.seen.push_back({*core, {}});
  }

 private:
  Sweep which_;
  PollTime time_;
};

/// Sees the next completion after the core it came to last, and polls no further than that.
class InterleavedSweep final : public Polling {
 public:
  InterleavedSweep(Sweep which, PollTime time, std::size_t control_cores, std::size_t cores)
      : which_(which), time_(time), cursors_(control_cores), visible_(cores) {}

  void sweep(std::uint32_t id, CoreShare& share, Iteration& iteration) override {
    while (const auto core = share.take(iteration.began)) ++visible_[*core];
    const std::vector<std::uint32_t>& cores = share.owned.cores();
    std::size_t polled = 0;
    for (std::size_t i = 0; i < cores.size(); ++i) {
      const std::size_t at = (cursors_[id] + i) % cores.size();
      if (which_ == Sweep::kAllCores || !share.owned.is_at(0, cores[at])) ++polled;
      if (visible_[cores[at]] == 0) continue;
      --visible_[cores[at]];
      cursors_[id] = (at + 1) % cores.size();
      iteration.seen.push_back({cores[at], {}});
      break;
    }
    iteration.sweep = time_.of(polled);
  }

 private:
  Sweep which_;
  PollTime time_;
  std::vector<std::size_t> cursors_;    ///< by control core: where its sweep continues
  std::vector<std::uint32_t> visible_;  ///< by CoreId: completions that a sweep could see
};

}  // namespace

std::unique_ptr<Polling> make_polling(const Design& design, const mechanism::ControlLoop& times, Lanes lanes, std::size_t control_cores,
                                      std::size_t cores) {
  const PollTime time(times, lanes);
  if (design.loop == Loop::kInterleaved) return std::make_unique<InterleavedSweep>(design.sweep, time, control_cores, cores);
  return std::make_unique<WholeSweep>(design.sweep, time);
}

}  // namespace tasktwin::sim
