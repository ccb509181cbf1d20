#include "sim/control/state/queue_access.hpp"

#include <utility>

namespace tasktwin::sim {

namespace {

class PlainAccess final : public QueueAccess {
 public:
  Nanoseconds to_push(std::uint32_t /*who*/) override { return {}; }
  Nanoseconds to_take(std::uint32_t /*who*/) override { return {}; }
  void emptied(TimePoint /*at*/) override {}
  bool looks_filled(TimePoint /*now*/) const override { return false; }
};

class AccessOfThreads final : public QueueAccess {
 public:
  explicit AccessOfThreads(const mechanism::ControlLoop& times) : times_(times) {}

  Nanoseconds to_push(std::uint32_t who) override { return behind_another(who, Nanoseconds{0}); }
  Nanoseconds to_take(std::uint32_t who) override { return behind_another(who, times_.queue_fetch); }
  void emptied(TimePoint at) override { emptied_ = at; }
  bool looks_filled(TimePoint now) const override { return now < emptied_; }

 private:
  /// Less where no other has been there in between.
  Nanoseconds behind_another(std::uint32_t who, Nanoseconds further) {
    const std::optional<std::uint32_t> last = std::exchange(last_, who);
    if (!last) return {};
    return last == who ? -times_.queue_reuse : further;
  }

  const mechanism::ControlLoop& times_;
  std::optional<std::uint32_t> last_;  ///< who pushed or took last
  TimePoint emptied_{};
};

}  // namespace

std::unique_ptr<QueueAccess> make_plain_access() { return std::make_unique<PlainAccess>(); }

std::unique_ptr<QueueAccess> make_access_of_threads(const mechanism::ControlLoop& times) {
  return std::make_unique<AccessOfThreads>(times);
}

}  // namespace tasktwin::sim
