#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/rerun/order/plan.hpp"
#include "gpu/rerun/order/schedules.hpp"
#include "gpu/rerun/report.hpp"
#include "gpu/rerun/tape/program_memory.hpp"
#include "gpu/rerun/tape/tape.hpp"

namespace tasktwin::gpu::rerun {

struct Settings {
  std::vector<Schedule> schedules{};
  std::size_t repeats = 20;
  bool check = true;
  std::size_t checks = 5;        ///< runs of each schedule whose results are compared
  std::optional<Plan> needed{};  ///< what the operations need of each other
  std::vector<Plan> plans{};
  bool times = false;    ///< also take when each operation runs under each schedule, in a run of its own
  bool effects = false;  ///< also find what kernels read and write
};

/// Runs an iteration again under each schedule and reports what came of it; memory is then as the program left it, unless it was not
/// checked. Ends the process where a schedule does not end, or where a kernel of it fails, with what was measured reported. Contract: the
/// tape's context is current, the device idle, and CUPTI's callbacks are off or not the program's.
void run_again(Tape& tape, const ProgramMemory& memory, const Settings& settings, Report& report);

}  // namespace tasktwin::gpu::rerun
