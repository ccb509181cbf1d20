#include "sim/control/state/queue_access.hpp"

#include <utility>

namespace tasktwin::sim {

namespace {

class PlainAccess final : public QueueAccess {
 public:
  void pushes(std::uint32_t /*who*/) override {}
  Nanoseconds to_take(std::uint32_t /*who*/) override { return {}; }
  void emptied(TimePoint /*at*/) override {}
  bool looks_filled(TimePoint /*now*/) const override { return false; }
};

class AccessOfThreads final : public QueueAccess {
 public:
  explicit AccessOfThreads(const mechanism::ControlLoop& times) : times_(times) {}

  void pushes(std::uint32_t who) override { last_ = who; }
  Nanoseconds to_take(std::uint32_t who) override {
    const std::optional<std::uint32_t> last = std::exchange(last_, who);
    return last && last != who ? times_.queue_fetch : Nanoseconds{0};
  }
  void emptied(TimePoint at) override { emptied_ = at; }
  bool looks_filled(TimePoint now) const override { return now < emptied_; }

 private:
  const mechanism::ControlLoop& times_;
  std::optional<std::uint32_t> last_;  ///< the processor that pushed or took last
  TimePoint emptied_{};
};

}  // namespace

std::unique_ptr<QueueAccess> make_plain_access() { return std::make_unique<PlainAccess>(); }

std::unique_ptr<QueueAccess> make_access_of_threads(const mechanism::ControlLoop& times) {
  return std::make_unique<AccessOfThreads>(times);
}

}  // namespace tasktwin::sim
