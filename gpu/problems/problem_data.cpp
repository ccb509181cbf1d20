#include "gpu/problems/problem_data.hpp"

#include "gpu/problems/check_problem.hpp"
#include "gpu/problems/cholesky_data.hpp"
#include "gpu/problems/decode_data.hpp"
#include "gpu/problems/own_data.hpp"
#include "gpu/problems/synthetic_data.hpp"

namespace tasktwin::gpu {

std::unique_ptr<ProblemData> make_problem_data(const TaskGraph& graph, const RunOptions& options) {
  check_problem(graph);
  if (std::holds_alternative<CholeskyProblem>(graph.problem())) return std::make_unique<CholeskyData>(graph);
  if (std::holds_alternative<DecodeProblem>(graph.problem())) return std::make_unique<DecodeData>(graph);
  if (std::holds_alternative<OwnKernels>(graph.problem())) return std::make_unique<OwnData>(graph, options);
  return std::make_unique<SyntheticData>(graph);
}

}  // namespace tasktwin::gpu
