#include "models/program/race_check.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "models/program/stream_clock.hpp"

namespace tasktwin {

namespace {

/// The place of a piece of work in its stream; at time 0 there was none, which comes before everything.
struct Stamp {
  std::uint32_t stream = 0;
  std::uint32_t time = 0;
  std::size_t step = 0;
  bool is_before(const StreamClock& clock) const { return clock[stream] >= time; }
};

/// Accesses to one range of bytes that may still race with later ones: the last write, and reads since, the last of each stream.
struct Accesses {
  std::uint64_t end = 0;
  Stamp write;
  std::vector<Stamp> reads;
};

/// Memory from its allocation to its free.
struct Life {
  std::uint64_t end = 0;
  Stamp allocated;            ///< in stream order
  std::uint64_t longest = 0;  ///< of the ranges that were accessed
  std::map<std::uint64_t, Accesses> accesses;
};

struct Freed {
  std::uint64_t end = 0;
  std::size_t step = 0;
};

class Checker {
 public:
  explicit Checker(std::span<const StreamOrder> orders) : orders_(orders), host_(orders.size(), 0), streams_(orders.size(), host_) {}

  std::vector<Race> run(std::span<const OrderStep> steps) {
    for (std::size_t i = 0; i < steps.size(); ++i) take(steps[i], i);
    return std::move(races_);
  }

 private:
  void take(const OrderStep& step, std::size_t number) {
    switch (step.kind) {
      case OrderStepKind::kWork: {
        const Stamp stamp = begin_work(step.stream, number);
        for (const MemoryAccess& access : step.accesses) use(access, stamp);
        end_work(step.stream);
        if (step.host_waits) join(host_, streams_[step.stream]);
        break;
      }
      case OrderStepKind::kRecord:
        records_[step.record] = known_by(step.stream);
        break;
      case OrderStepKind::kStreamWait:
        if (const StreamClock* recorded = find_record(step)) join(streams_[step.stream], *recorded);
        break;
      case OrderStepKind::kHostWaitRecord:
        if (const StreamClock* recorded = find_record(step)) join(host_, *recorded);
        break;
      case OrderStepKind::kHostWaitStream:
        join(host_, known_by(step.stream));
        break;
      case OrderStepKind::kHostWaitAll:
        wait_for_all();
        break;
      case OrderStepKind::kAllocate:
        allocate(step, number);
        break;
      case OrderStepKind::kFree:
        free(step, number);
        break;
    }
  }

  /// What precedes the next work in `stream`.
  StreamClock known_by(std::uint32_t stream) const {
    StreamClock clock = streams_[stream];
    if (orders_[stream] != StreamOrder::kLegacy) return clock;
    for (std::size_t other = 0; other < orders_.size(); ++other) {
      if (orders_[other] == StreamOrder::kBlocking) join(clock, streams_[other]);
    }
    return clock;
  }

  Stamp begin_work(std::uint32_t stream, std::size_t step) {
    streams_[stream] = known_by(stream);
    join(streams_[stream], host_);
    return {stream, ++streams_[stream][stream], step};
  }

  void end_work(std::uint32_t stream) {
    if (orders_[stream] != StreamOrder::kLegacy) return;
    for (std::size_t other = 0; other < orders_.size(); ++other) {
      if (orders_[other] == StreamOrder::kBlocking) join(streams_[other], streams_[stream]);
    }
  }

  void wait_for_all() {
    for (const StreamClock& clock : streams_) join(host_, clock);
  }

  const StreamClock* find_record(const OrderStep& step) const {
    const auto found = records_.find(step.record);
    return found == records_.end() ? nullptr : &found->second;
  }

  void allocate(const OrderStep& step, std::size_t number) {
    const std::uint64_t end = step.address + step.bytes;
    freed_.erase(freed_.lower_bound(step.address), freed_.lower_bound(end));
    Life life{.end = end, .allocated = {}, .longest = 0, .accesses = {}};
    if (step.stream != OrderStep::kNone) life.allocated = begin_work(step.stream, number);
    lives_[step.address] = std::move(life);
  }

  void free(const OrderStep& step, std::size_t number) {
    const auto life = lives_.find(step.address);
    if (step.stream != OrderStep::kNone) {
      const Stamp stamp = begin_work(step.stream, number);
      if (life != lives_.end()) check_freed(life->second, stamp);
    } else {
      wait_for_all();
    }
    if (life == lives_.end()) return;
    freed_[step.address] = {life->second.end, number};
    lives_.erase(life);
  }

  /// Every use of the memory must come before its free.
  void check_freed(const Life& life, const Stamp& free) {
    const StreamClock& clock = streams_[free.stream];
    for (const auto& [address, accesses] : life.accesses) {
      if (!accesses.write.is_before(clock)) add(RaceKind::kUseAfterFree, accesses.write.step, free.step, address);
      for (const Stamp& read : accesses.reads) {
        if (!read.is_before(clock)) add(RaceKind::kUseAfterFree, read.step, free.step, address);
      }
    }
  }

  void use(const MemoryAccess& access, const Stamp& stamp) {
    const auto next = lives_.upper_bound(access.begin);
    if (next != lives_.begin() && access.begin < std::prev(next)->second.end) return use(std::prev(next)->second, access, stamp);
    const auto gone = freed_.upper_bound(access.begin);
    if (gone != freed_.begin() && access.begin < std::prev(gone)->second.end)
      add(RaceKind::kUseAfterFree, std::prev(gone)->second.step, stamp.step, access.begin);
  }

  void use(Life& life, const MemoryAccess& access, const Stamp& stamp) {
    const StreamClock& clock = streams_[stamp.stream];
    if (!life.allocated.is_before(clock)) add(RaceKind::kUseWithoutWait, life.allocated.step, stamp.step, access.begin);
    const std::uint64_t from = access.begin - std::min(access.begin, life.longest);
    for (auto other = life.accesses.lower_bound(from); other != life.accesses.end() && other->first < access.end; ++other) {
      if (other->second.end > access.begin) compare(other->second, access, stamp);
    }
    life.longest = std::max(life.longest, access.end - access.begin);
    Accesses& own = life.accesses[access.begin];
    own.end = std::max(own.end, access.end);
    if (access.write) {
      own.write = stamp;
      own.reads.clear();
      return;
    }
    std::erase_if(own.reads, [&stamp](const Stamp& read) { return read.stream == stamp.stream; });
    own.reads.push_back(stamp);
  }

  void compare(const Accesses& earlier, const MemoryAccess& access, const Stamp& stamp) {
    const StreamClock& clock = streams_[stamp.stream];
    if (earlier.write.step != stamp.step && !earlier.write.is_before(clock))
      add(RaceKind::kUseWithoutWait, earlier.write.step, stamp.step, access.begin);
    if (!access.write) return;
    for (const Stamp& read : earlier.reads) {
      if (read.step != stamp.step && !read.is_before(clock)) add(RaceKind::kUseWithoutWait, read.step, stamp.step, access.begin);
    }
  }

  void add(RaceKind kind, std::size_t first, std::size_t second, std::uint64_t address) {
    if (known_.emplace(kind, first, second).second) races_.push_back({kind, first, second, address});
  }

  std::span<const StreamOrder> orders_;
  StreamClock host_;                  ///< what the host knows to be done
  std::vector<StreamClock> streams_;  ///< what precedes the next work
  std::unordered_map<std::uint32_t, StreamClock> records_;
  std::map<std::uint64_t, Life> lives_;
  std::map<std::uint64_t, Freed> freed_;
  std::vector<Race> races_;
  std::set<std::tuple<RaceKind, std::size_t, std::size_t>> known_;
};

}  // namespace

std::vector<Race> find_races(std::span<const OrderStep> steps, std::span<const StreamOrder> streams) { return Checker(streams).run(steps); }

}  // namespace tasktwin
