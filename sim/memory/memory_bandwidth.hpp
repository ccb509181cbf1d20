#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "models/base/units.hpp"
#include "models/machine/memory_share.hpp"
#include "sim/engine/calendar.hpp"

namespace tasktwin::sim {

/// A memory that all flows share, each of which would have a rate of its own alone: together all of a path proceed at the same part of
/// those (memory_shares). So each ends when the time that it takes alone has passed on its path's clock, which runs at that part: virtual
/// time (Demers, Keshav, Shenker 1989). Ends lie between nanoseconds; they are reported at the next whole one.
class MemoryBandwidth final : public EventHandler {
 public:
  class Listener {
   public:
    virtual void flow_ended(std::uint32_t flow, TimePoint at) = 0;

   protected:
    ~Listener() = default;
  };

  /// Something that is not a flow of its own, and slows down where flows do.
  class Watcher {
   public:
    /// The memory serves at this part of what all would draw from it alone: 1 where nothing is held back.
    virtual void memory_serves(double share, TimePoint now) = 0;

   protected:
    ~Watcher() = default;
  };

  /// One who is told where there is one, of changes alone.
  class Watched {
   public:
    void by(Watcher& watcher) { watcher_ = &watcher; }
    void tell(const MemoryLaw& law, std::span<const double> demands, TimePoint now) {
      if (watcher_ == nullptr) return;
      const double served = memory_served(law, demands);
      if (served != std::exchange(served_, served)) watcher_->memory_serves(served, now);
    }

   private:
    Watcher* watcher_ = nullptr;
    double served_ = 1;  ///< as it was told
  };

  /// Contract: law.total is positive, and there is a path. The listener must not start a flow from within its callback.
  MemoryBandwidth(Calendar& calendar, const MemoryLaw& law, std::size_t paths, Listener& listener);

  /// `rate`: bytes per nanosecond alone. Contract: called in the order of `now`; bytes and rate are positive.
  void start(std::uint32_t flow, Bytes bytes, double rate, std::size_t path, TimePoint now);

  /// The flow would have another rate alone from `now` on; nothing where it has ended by then.
  void set_rate(std::uint32_t flow, double rate, std::size_t path, TimePoint now);

  /// The flows share another total from `now` on. Contract: positive.
  void set_total(double total, TimePoint now);

  /// It is told of each change. Contract: it outlives this, and starts no flow when told.
  void watch(Watcher& watcher) { watched_.by(watcher); }

  void handle(EventKind kind, std::uint32_t subject, TimePoint now) override;

  /// What a run has changed of it.
  struct State;
  State state() const;
  void resume(const State& state);

 private:
  struct Flow {
    double end;   ///< on its path's clock
    double rate;  ///< alone
    std::uint64_t sequence;
    std::uint32_t id;
  };
  struct Later {
    bool operator()(const Flow& a, const Flow& b) const { return a.end != b.end ? a.end > b.end : a.sequence > b.sequence; }
  };
  struct Path {
    std::vector<Flow> flows;  ///< a binary heap, the first to end first
    long double rates = 0;    ///< sum of theirs
    double clock = 0;         ///< virtual, ns
  };
  struct NextEnd {
    std::size_t path = 0;
    double in = 0;  ///< ns from now; infinite where there is no flow
  };

  void sum_up(std::size_t path, double rate);
  void share();
  NextEnd next_end() const;
  void pass(double ns);
  void advance(TimePoint now);
  void schedule_next();

  Calendar& calendar_;
  MemoryLaw law_;
  Listener& listener_;
  std::vector<Path> paths_;
  std::vector<double> demands_;  ///< by path: its rates
  std::vector<double> shares_;   ///< by path: the part of them that its flows get
  std::uint64_t next_sequence_ = 0;
  TimePoint now_{};
  TimePoint alarm_ = kAbsent;  ///< the earliest event scheduled
  Watched watched_;
};

struct MemoryBandwidth::State {
  double total = 0;
  std::vector<Path> paths;
  std::vector<double> demands;
  std::vector<double> shares;
  std::uint64_t next_sequence = 0;
  TimePoint now{};
  TimePoint alarm = kAbsent;
};

}  // namespace tasktwin::sim
