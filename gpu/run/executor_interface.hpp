#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/run/residual.hpp"
#include "gpu/run/run_options.hpp"
#include "models/design/design.hpp"
#include "models/graph/task_graph.hpp"
#include "models/machine/machine.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::gpu {

enum class RunMode {
  kCheckOrder,  ///< every body checks that its predecessors are done
  kStamped,     ///< every phase is stamped
  kPlain,       ///< only what the makespan needs is stamped
  kRounds,      ///< and dispatchers' rounds are timed; executors with dispatchers
};

struct RunResult {
  Duration makespan{};
  double host_call_ns = 0;      ///< Measurement::host_call of this run; 0 where the order is checked
  double host_disturbance = 0;  ///< by how much its pace differed after the run and before it, as a share of it; of threads of the host,
                                ///< by how much longer they took to compute than the quickest processor just before
  std::int64_t ordering_violations = 0;        ///< kCheckOrder
  Timeline timeline;                           ///< kStamped
  std::vector<DispatchRound> dispatch_rounds;  ///< kStamped, kRounds
};

struct ExecutorInputs {
  const TaskGraph& graph;
  const Machine& machine;
  const Design& design;
  const RunOptions& options;
  const HostProgram* program = nullptr;  ///< that has launched the graph's tasks; null where there is none
};

/// A graph made ready to run on the device under one design, any number of times.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual RunResult run(RunMode mode) = 0;
  /// Judges the results the last run left.
  virtual std::optional<Residual> check_result() = 0;
};

}  // namespace tasktwin::gpu
