#pragma once

#include <memory>
#include <optional>

#include <cuda_runtime_api.h>

#include "gpu/bodies/body_context.hpp"
#include "gpu/run/residual.hpp"
#include "gpu/run/run_options.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin::gpu {

/// The device memory that the bodies of one graph work on.
class ProblemData {
 public:
  virtual ~ProblemData() = default;
  /// Stays the same, and valid, as long as this object lives.
  virtual BodyContext context() const = 0;
  /// Queues on `stream` what puts the inputs back and spoils the last run's results. To be called before each run.
  virtual void reset(cudaStream_t stream) = 0;
  /// Contract: reset and one run of the whole graph are complete. nullopt for synthetic kernels alone.
  virtual std::optional<Residual> check() const = 0;
};

/// Allocates and generates what `graph` needs; both outlive it. Throws InputError for a graph whose tasks the bodies cannot run
/// (problems/check_problem.hpp), RunError if the device's memory does not suffice.
std::unique_ptr<ProblemData> make_problem_data(const TaskGraph& graph, const RunOptions& options);

}  // namespace tasktwin::gpu
