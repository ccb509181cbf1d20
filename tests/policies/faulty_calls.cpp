// Policies that do wrong when they are asked: each is refused by its name.
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include <unistd.h>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

namespace {

class Order final : public OnlineOrder {
 public:
  explicit Order(double (*give)()) : give_(give) {}
  double rank(TaskId task, const OrderMoment&) override { return index(task) >= 3 ? give_() : 0; }

 private:
  double (*give_)();
};

class Core final : public CorePolicy {
 public:
  explicit Core(std::optional<std::size_t> chosen) : chosen_(chosen) {}
  std::optional<std::size_t> choose(TaskId, std::span<const Candidate>) const override { return chosen_; }

 private:
  std::optional<std::size_t> chosen_;
};

class Queue final : public VictimPolicy {
 public:
  Queue(bool own, std::size_t chosen) : own_(own), chosen_(chosen) {}
  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t, std::size_t,
                                         std::span<const std::size_t> lengths) const override {
    return own_ ? thief : chosen_ < lengths.size() ? (thief + 1) % lengths.size() : chosen_;
  }

 private:
  bool own_;
  std::size_t chosen_;
};

[[gnu::noinline]] double deep(int depth) {
  char room[1024] = {static_cast<char>(depth)};
  return depth < 0 ? 0 : deep(depth + 1) + room[depth % 1000];
}

int zero = 0;

class Endless final : public OnlineOrder {
 public:
  double rank(TaskId, const OrderMoment&) override { return 0; }
  ~Endless() override {
    while (zero == 0) ::usleep(1000);
  }
};

/// With the process, if the environment says so.
struct AtEnd {
  ~AtEnd() {
    while (std::getenv("FAULTY_AT_END") != nullptr) ::usleep(1000);
  }
} at_end;

}  // namespace

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) {
  const auto order = [&table](const char* name, double (*give)()) {
    table.add(name, MakeOrder([give](const PolicyInputs&, const PolicyParameters&) { return std::make_unique<Order>(give); }));
  };
  order("throws", []() -> double { throw std::runtime_error("not on Sundays"); });
  order("throws-a-number", []() -> double { throw 1; });
  order("no-number", [] { return std::nan(""); });
  order("hangs", [] {
    while (zero == 0) ::usleep(1000);
    return 0.0;
  });
  order("exits", []() -> double { std::exit(0); });
  order("aborts", []() -> double { std::abort(); });
  order("faults", [] {
    ::raise(SIGSEGV);
    return 0.0;
  });
  order("recurses", [] { return deep(zero); });
  order("right", [] { return 1.0; });
  table.add("hangs-at-its-end", MakeOrder([](const PolicyInputs&, const PolicyParameters&) { return std::make_unique<Endless>(); }));
  table.add("makes-none", MakeOrder([](const PolicyInputs&, const PolicyParameters&) { return nullptr; }));
  table.add("too-few", MakeRanks([](const PolicyInputs&, const PolicyParameters&) { return std::vector<double>(2); }));
  table.add("like-nothing", MakeRanks([](const PolicyInputs&, const PolicyParameters&) { return std::vector<double>(2); })).like = "fifo";

  const auto placement = [&table](const char* name, std::optional<std::size_t> chosen) {
    table.add(name, MakePlacement([chosen](const TaskGraph&, std::span<const PastRun>, const PolicyParameters&) {
                return std::make_unique<Core>(chosen);
              }));
  };
  placement("nowhere", std::nullopt);
  placement("core-1000", 1000);

  const auto schedule = [&table](const char* name, void (*change)(FrozenSchedule&)) {
    table.add(name, MakeSchedule([change](const StaticInputs& inputs, const PolicyParameters&) {
                FrozenSchedule lists = make_frozen_schedule(Placement::kRoundRobin, inputs);
                change(lists);
                return lists;
              }));
  };
  schedule("forgets", [](FrozenSchedule& lists) { lists.front().clear(); });
  schedule("twice", [](FrozenSchedule& lists) { lists.front().push_back(lists.front().front()); });
  schedule("core-too-many", [](FrozenSchedule& lists) { lists.push_back({lists.front().front()}); });
  schedule("no-such-task", [](FrozenSchedule& lists) { lists.front().push_back(task_id(1'000'000)); });
  table.add("backwards", MakeSchedule([](const StaticInputs& inputs, const PolicyParameters&) {
              FrozenSchedule lists(1);
              for (const TaskId task : inputs.graph.topological_order()) lists.front().insert(lists.front().begin(), task);
              return lists;
            }));

  const auto victim = [&table](const char* name, bool own, std::size_t chosen) {
    table.add(name, MakeVictim([own, chosen](std::uint64_t, const PolicyParameters&) { return std::make_unique<Queue>(own, chosen); }));
  };
  victim("itself", true, 0);
  victim("queue-1000", false, 1000);
  victim("endless", false, 0);
  table.add("nothing", StealSizeRule([](std::uint32_t, const PolicyParameters&) { return 0u; }));
  table.add("too-much", StealSizeRule([](std::uint32_t there, const PolicyParameters&) { return there + 1; }));
  table.add("throws", FillRuleOfOwn([](const rules::FillView&, const PolicyParameters&) -> bool { throw std::runtime_error("full up"); }));
}
