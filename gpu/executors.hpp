#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gpu/executor.hpp"
#include "gpu/problem_data.hpp"
#include "gpu/supported.hpp"
#include "models/host_program.hpp"

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

/// An executor and the designs it runs. To add one: a file in executors/ and a line in the table, and what it runs in supported/.
struct ExecutorEntry {
  const Supported* supported;
  std::unique_ptr<Executor> (*make)(const ExecutorInputs&);
};

template <class T>
std::unique_ptr<Executor> make_executor(const ExecutorInputs& inputs) {
  return std::make_unique<T>(inputs);
}

std::span<const ExecutorEntry> executors();
/// Those over several devices.
std::span<const ExecutorEntry> peer_executors();

}  // namespace tasktwin::gpu
