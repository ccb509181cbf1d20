#include "scenarios/generators/parts/matrix_vector_times.hpp"

#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/parts/synthetic_body.hpp"

namespace tasktwin::scenarios {

Task Work::task(std::int32_t layer) const {
  Task task;
  task.core_type = core_type;
  task.cost = {.time = time, .flops = {}, .bytes = {}, .sigma_ns = sigma_ns};
  task.layer = layer;
  return task;
}

void work_parameters(ParameterTable& table, std::string_view time_name, std::string_view meaning, std::string_view sigma_name, Work& work) {
  table.number(time_name, meaning, work.time, 0, kMaxTimeNs);
  table.number(sigma_name, "its standard deviation", work.sigma_ns, 0, kMaxSigmaNs);
}

void core_type_parameters(ParameterTable& table, const std::vector<Work*>& matrix, const std::vector<Work*>& vector) {
  const auto shared = [&table](std::string_view name, std::string_view meaning, const std::vector<Work*>& works) {
    CoreType core_type = works.front()->core_type;
    table.word(name, meaning, core_type);
    for (Work* work : works) work->core_type = core_type;
  };
  shared("matrix_core_type", "the kind of core that multiplies matrices", matrix);
  shared("vector_core_type", "the kind of core that does the rest", vector);
}

}  // namespace tasktwin::scenarios
