#include "verify/compare/case_record.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <utility>

namespace tasktwin::verify {

namespace {

/// Puts members into a list, in order.
class Writer {
 public:
  template <class T>
  void operator()(const T& value) {
    list_.push_back(json_of(value));
  }
  Json take() { return std::move(list_); }

 private:
  template <class T>
  static Json json_of(const T& value) {
    if constexpr (std::same_as<T, Duration>)
      return to_ns(value);
    else if constexpr (std::same_as<T, std::array<double, kPathCauseCount>>)
      return std::vector<double>(value.begin(), value.end());
    else
      return value;
  }
  template <class T>
  static Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  static Json json_of(const MemoryComparison& memory) {
    return Json::array({to_ns(memory.predicted.time), memory.predicted.used, memory.predicted.reserved, to_ns(memory.measured.time),
                        memory.measured.used, memory.measured.reserved});
  }

  Json list_ = Json::array();
};

/// Takes them out again.
class Reader {
 public:
  explicit Reader(const Json& list) : list_(list) {}

  template <class T>
  void operator()(T& value) {
    read(list_[next_++], value);
  }

 private:
  template <class T>
  static void read(const Json& json, T& value) {
    if constexpr (std::same_as<T, Duration>)
      value = Duration{json.get<std::int64_t>()};
    else
      json.get_to(value);
  }
  template <class T>
  static void read(const Json& json, std::optional<T>& value) {
    if (!json.is_null()) read(json, value.emplace());
  }
  static void read(const Json& json, MemoryComparison& memory) {
    const auto sample = [&json](std::size_t from) {
      return MemorySample{at_ns(json[from].get<std::int64_t>()), json[from + 1].get<std::int64_t>(), json[from + 2].get<std::int64_t>()};
    };
    memory = {sample(0), sample(3)};
  }

  const Json& list_;
  std::size_t next_ = 0;
};

/// Calls visit(member) for each.
template <class Case, class Visit>
void members(Case& one, Visit& visit) {
  auto& comparison = one.comparison;
  visit(comparison.scenario);
  visit(comparison.design);
  visit(comparison.machine);
  visit(comparison.predicted_makespan);
  visit(comparison.measured_makespan);
  visit(comparison.stamped_makespan);
  visit(comparison.makespan_error);
  visit(comparison.stamped_makespan_error);
  visit(comparison.measured_noise);
  visit(comparison.start_error_p50);
  visit(comparison.start_error_p95);
  visit(comparison.repeats);
  visit(comparison.ordering_violations);
  visit(comparison.timeline_inversions);
  visit(comparison.residual);
  visit(comparison.residual_limit);
  visit(comparison.memory);
  visit(comparison.moved_tasks);
  visit(one.host_pace);
  visit(one.result);
}

template <class Breakdown, class Visit>
void breakdown_members(Breakdown& breakdown, Visit& visit) {
  visit(breakdown.scenario);
  visit(breakdown.design);
  visit(breakdown.stamps);
  visit(breakdown.error);
  visit(breakdown.scheduling);
  visit(breakdown.bodies);
  visit(breakdown.predicted_busy);
  visit(breakdown.measured_busy);
  visit(breakdown.by_cause);
}

}  // namespace

JudgedCase judged(const VerifiedCase& verified, const scenarios::Scenario& scenario, const RecordedCase& measured, double limit) {
  return {verified.comparison, to_json(verified, scenario, measured, limit), verified.host_pace, verified.breakdown};
}

Json to_record(const JudgedCase& one) {
  Writer whole;
  members(one, whole);
  Json record = Json::array({whole.take(), nullptr});
  if (one.breakdown) {
    Writer breakdown;
    breakdown_members(*one.breakdown, breakdown);
    record[1] = breakdown.take();
  }
  return record;
}

JudgedCase judged_from(const Json& record) {
  JudgedCase one;
  Reader whole(record[0]);
  members(one, whole);
  if (!record[1].is_null()) {
    Reader breakdown(record[1]);
    breakdown_members(one.breakdown.emplace(), breakdown);
  }
  return one;
}

}  // namespace tasktwin::verify
