#include "scenarios/generators/matrix_vector_times.hpp"

#include "scenarios/generators/body.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::string_view kMatrixCores = "matrix_core_type";
constexpr std::string_view kVectorCores = "vector_core_type";

Work work_on(std::string_view core_type, const ParameterValues& values, const WorkDefault& work) {
  return {*from_word<CoreType>(values.word(core_type)), Duration{values.whole(work.time_name)},
          static_cast<std::uint32_t>(values.whole(work.sigma_name))};
}

}  // namespace

Task Work::task(std::int32_t layer) const {
  Task task;
  task.core_type = core_type;
  task.cost = {.time = time, .flops = {}, .bytes = {}, .sigma_ns = sigma_ns};
  task.layer = layer;
  return task;
}

std::vector<Parameter> with_works(std::vector<Parameter> own, std::span<const WorkDefault> works) {
  constexpr auto core_types = all_words<CoreType>();
  for (const WorkDefault& work : works) {
    own.push_back({.name = work.time_name, .meaning = work.meaning, .min = 0, .max = kMaxTimeNs, .value = work.time_ns});
    own.push_back({.name = work.sigma_name, .meaning = "its standard deviation", .min = 0, .max = 1'000'000'000, .value = work.sigma_ns});
  }
  const auto core_type = [&](std::string_view name, std::string_view meaning, CoreType preset) {
    own.push_back({.name = name, .meaning = meaning, .words = {core_types.begin(), core_types.end()}, .word = to_word(preset)});
  };
  core_type(kMatrixCores, "the kind of core that multiplies matrices", CoreType::kAic);
  core_type(kVectorCores, "the kind of core that does the rest", CoreType::kAiv);
  return own;
}

Work matrix_work(const ParameterValues& values, const WorkDefault& work) { return work_on(kMatrixCores, values, work); }
Work vector_work(const ParameterValues& values, const WorkDefault& work) { return work_on(kVectorCores, values, work); }

}  // namespace tasktwin::scenarios
