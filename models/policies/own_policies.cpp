#include "models/policies/own_policies.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "models/base/names.hpp"
#include "models/policies/policy_call.hpp"
#include "models/policies/schedule_fault.hpp"

namespace tasktwin {

namespace {

/// What is declared, with what the design states in place of it.
PolicyParameters parameters_of(const OwnPolicy& policy) {
  PolicyParameters all;
  for (const PolicyParameter& declared : policy.entry->parameters) all[declared.name] = declared.value;
  for (const auto& [name, value] : policy.parameters) all[name] = value;
  return all;
}

template <class Make>
const Make& make_of(const OwnPolicy& policy) {
  return std::get<Make>(policy.entry->make);
}

/// What `policy` makes of `inputs` for a run. Throws if that is null.
template <class Make, class... Inputs>
auto made(const OwnPolicy& policy, const Inputs&... inputs) {
  const PolicyCall call(policy, "making it for a run");
  auto result = asked(call, [&] { return make_of<Make>(policy)(inputs..., parameters_of(policy)); });
  if (result == nullptr) call.refuse("it gave none (null)");
  return result;
}

/// Its destructor is a call like others.
template <class Policy>
void take_down(const OwnPolicy& policy, std::unique_ptr<Policy>& own) {
  const PolicyCall call(policy, "its destructor");
  own.reset();
}

/// Ascends as `rank` does, with room on either side for the number of a graph's tasks; whole numbers below 2^50 stay
/// apart.
std::int64_t key_of(double rank) {
  const auto bits = std::bit_cast<std::int64_t>(rank);
  constexpr std::int64_t kRoom = 4;
  return (bits < 0 ? INT64_MIN - bits : bits) / kRoom;
}

class StaticOrder final : public TaskOrderPolicy {
 public:
  StaticOrder(const OwnPolicy& policy, const PolicyInputs& inputs) {
    const PolicyCall call(policy, "ranks");
    const std::vector<double> ranks = asked(call, [&] { return make_of<MakeRanks>(policy)(inputs, parameters_of(policy)); });
    if (ranks.size() != inputs.graph.size()) {
      call.refuse("there are " + std::to_string(ranks.size()) + " ranks for " + std::to_string(inputs.graph.size()) +
                  " tasks; each task needs one");
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (std::isnan(ranks[i])) call.refuse("that of task '" + std::string(inputs.graph.name(task_id(i))) + "' is not a number (NaN)");
      keys_.push_back(key_of(ranks[i]));
    }
  }

  std::int64_t key(TaskId task, std::uint64_t) const override { return keys_[index(task)]; }

 private:
  std::vector<std::int64_t> keys_;
};

class CheckedOrder final : public TaskOrderPolicy {
 public:
  CheckedOrder(const OwnPolicy& policy, const PolicyInputs& inputs)
      : policy_(policy), graph_(inputs.graph), order_(made<MakeOrder>(policy_, inputs)) {
    const PolicyCall call(policy_, "changes");
    changes_ = asked(call, [this] { return order_->changes(); });
  }
  ~CheckedOrder() override { take_down(policy_, order_); }
  CheckedOrder(const CheckedOrder&) = delete;
  CheckedOrder& operator=(const CheckedOrder&) = delete;

  std::int64_t key(TaskId task, std::uint64_t arrival) const override { return key_at(task, {.arrival = arrival}); }
  std::int64_t key_at(TaskId task, const OrderMoment& moment) const override {
    const PolicyCall call(policy_, "rank", graph_, task);
    const double rank = asked(call, [&] { return order_->rank(task, moment); });
    if (std::isnan(rank)) call.refuse("is not a number (NaN)");
    return key_of(rank);
  }
  bool changes() const override { return changes_; }

 private:
  OwnPolicy policy_;
  const TaskGraph& graph_;
  std::unique_ptr<OnlineOrder> order_;
  bool changes_ = false;
};

class CheckedPlacement final : public CorePolicy {
 public:
  CheckedPlacement(const OwnPolicy& policy, const TaskGraph& graph, std::span<const PastRun> so_far)
      : policy_(policy), graph_(graph), placement_(made<MakePlacement>(policy_, graph, so_far)) {}
  ~CheckedPlacement() override { take_down(policy_, placement_); }
  CheckedPlacement(const CheckedPlacement&) = delete;
  CheckedPlacement& operator=(const CheckedPlacement&) = delete;

  std::optional<std::size_t> choose(TaskId task, std::span<const Candidate> candidates) const override {
    if (candidates.empty()) return std::nullopt;
    const PolicyCall call(policy_, "core", graph_, task);
    const auto chosen = asked(call, [&] { return placement_->choose(task, candidates); });
    if (!chosen) call.refuse("it chose none of " + std::to_string(candidates.size()) + " candidates; a task needs a core");
    if (*chosen >= candidates.size()) {
      call.refuse("it chose candidate " + std::to_string(*chosen) + ", which does not exist; there are 0 to " +
                  std::to_string(candidates.size() - 1));
    }
    return chosen;
  }

 private:
  OwnPolicy policy_;
  const TaskGraph& graph_;
  std::unique_ptr<CorePolicy> placement_;
};

class CheckedVictim final : public VictimPolicy {
 public:
  CheckedVictim(const OwnPolicy& policy, std::uint64_t seed) : policy_(policy), victim_(made<MakeVictim>(policy_, seed)) {}
  ~CheckedVictim() override { take_down(policy_, victim_); }
  CheckedVictim(const CheckedVictim&) = delete;
  CheckedVictim& operator=(const CheckedVictim&) = delete;

  std::optional<std::size_t> next_victim(std::size_t thief, std::uint64_t round, std::size_t attempt,
                                         std::span<const std::size_t> lengths) const override {
    const PolicyCall call(policy_, "victim of thief", thief);
    const auto victim = asked(call, [&] { return victim_->next_victim(thief, round, attempt, lengths); });
    if (!victim) return std::nullopt;
    if (*victim >= lengths.size()) {
      call.refuse("it chose queue " + std::to_string(*victim) + ", which does not exist; there are 0 to " +
                  std::to_string(lengths.size() - 1));
    }
    if (*victim == thief) call.refuse("it chose the thief's own queue");
    if (attempt >= lengths.size())
      call.refuse("it went on after " + std::to_string(attempt) + " attempts in a round, but there are " +
                  std::to_string(lengths.size() - 1) + " other queues; a round ends with none");
    return victim;
  }

 private:
  OwnPolicy policy_;
  std::unique_ptr<VictimPolicy> victim_;
};

template <class Make>
bool makes(const PolicyEntry& entry) {
  return std::holds_alternative<Make>(entry.make);
}

/// The word of the axis whose costs it has.
std::string_view stand_in(const PolicyEntry& entry) {
  if (!entry.like.empty()) return entry.like;
  if (makes<MakePlacement>(entry)) return to_word(Placement::kLeastLoaded);
  if (makes<MakeSchedule>(entry)) return to_word(Placement::kHeft);
  if (makes<MakeVictim>(entry)) return to_word(Victim::kRandom);
  if (makes<StealSizeRule>(entry)) return to_word(Stealing::kHalf);
  if (makes<FillRuleOfOwn>(entry)) return to_word(Fill::kNotInTail);
  return to_word(TaskOrder::kPriority);
}

/// Words that `like` may have; none where it is not read.
std::vector<std::string_view> words_like(const PolicyEntry& entry) {
  if (makes<MakePlacement>(entry)) return {to_word(Placement::kLeastLoaded), to_word(Placement::kLocality)};
  if (makes<MakeVictim>(entry)) {
    static constexpr auto all = all_words<Victim>();
    return {all.begin(), all.end()};
  }
  return {};
}

}  // namespace

std::string_view axis_of(const PolicyEntry& entry) {
  if (makes<MakeRanks>(entry) || makes<MakeOrder>(entry)) return "order";
  if (makes<MakePlacement>(entry) || makes<MakeSchedule>(entry)) return "placement";
  if (makes<MakeVictim>(entry)) return "victim";
  return makes<StealSizeRule>(entry) ? "stealing" : "fill";
}

bool is_asked_before(const OwnPolicy& policy) { return makes<MakeRanks>(*policy.entry) || makes<MakeSchedule>(*policy.entry); }

void set_own(Design& design, std::string_view axis, OwnPolicy policy) {
  const PolicyEntry& entry = *policy.entry;
  const auto refuse = [&policy](const std::string& why) { throw InputError("policy '" + policy.text() + "' " + why); };
  if (axis_of(entry) != axis) refuse("is one of " + std::string(axis_of(entry)) + ", not of " + std::string(axis));
  if (const auto words = words_like(entry); !entry.like.empty() && std::ranges::find(words, entry.like) == words.end())
    refuse(words.empty() ? "has a 'like', which is for placements asked in the run and for victims"
                         : "is like '" + entry.like + "', which is unknown" + suggest(entry.like, words));
  std::vector<std::string_view> declared;
  for (const PolicyParameter& parameter : entry.parameters) declared.push_back(parameter.name);
  for (const auto& [name, value] : policy.parameters) {
    if (std::ranges::find(declared, std::string_view(name)) == declared.end())
      refuse(declared.empty() ? "has no parameters, so none '" + name + "'" : "has no parameter '" + name + "'" + suggest(name, declared));
    if (!std::isfinite(value)) refuse("has parameter '" + name + "', which is not finite");
  }
  const AxisField& field = axis_named(axis);
  field.set_word(design, stand_in(entry));
  policy.draws = entry.draws;
  design.own.*field.own = std::move(policy);
}

std::unique_ptr<TaskOrderPolicy> make_own_order(const OwnPolicy& policy, const PolicyInputs& inputs) {
  if (makes<MakeRanks>(*policy.entry)) return std::make_unique<StaticOrder>(policy, inputs);
  return std::make_unique<CheckedOrder>(policy, inputs);
}

std::unique_ptr<CorePolicy> make_own_placement(const OwnPolicy& policy, const TaskGraph& graph, std::span<const PastRun> so_far) {
  return std::make_unique<CheckedPlacement>(policy, graph, so_far);
}

std::unique_ptr<VictimPolicy> make_own_victim(const OwnPolicy& policy, std::uint64_t seed) {
  return std::make_unique<CheckedVictim>(policy, seed);
}

std::function<std::uint32_t(std::uint32_t there)> make_own_steal_size(const OwnPolicy& policy) {
  return [policy, parameters = parameters_of(policy)](std::uint32_t there) {
    const PolicyCall call(policy, "steal size of a queue of", there);
    const std::uint32_t size = asked(call, [&] { return make_of<StealSizeRule>(policy)(there, parameters); });
    if (size == 0 || size > there) call.refuse("it is " + std::to_string(size) + "; it must be 1 to " + std::to_string(there));
    return size;
  };
}

std::function<bool(const rules::FillView& view)> make_own_fill(const OwnPolicy& policy) {
  return [policy, parameters = parameters_of(policy)](const rules::FillView& view) {
    const PolicyCall call(policy, "whether to fill");
    return asked(call, [&] { return make_of<FillRuleOfOwn>(policy)(view, parameters); });
  };
}

FrozenSchedule make_own_schedule(const OwnPolicy& policy, const StaticInputs& inputs) {
  const PolicyCall call(policy, "schedule");
  FrozenSchedule lists = asked(call, [&] { return make_of<MakeSchedule>(policy)(inputs, parameters_of(policy)); });
  if (const std::string fault = schedule_fault(inputs, lists); !fault.empty()) call.refuse(fault);
  lists.resize(inputs.workers);
  return lists;
}

}  // namespace tasktwin
