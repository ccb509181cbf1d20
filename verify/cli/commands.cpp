#include "verify/cli/commands.hpp"

#include <array>

namespace tasktwin::verify {

std::span<const CommandEntry> commands() {
  static constexpr std::array entries{
      CommandEntry{"scenario", "list, show, validate, export or import scenarios", make_scenario_command},
      CommandEntry{"design", "list and show designs, and what their axes mean", make_design_command},
      CommandEntry{"machine", "list, show and validate machines and their constants", make_machine_command},
      CommandEntry{"simulate", "predict how scenarios run under their designs", make_simulate_command},
      CommandEntry{"run", "run scenarios on the GPU and measure them", make_run_command},
      CommandEntry{"verify", "hold predictions against measurements, live or recorded", make_verify_command},
      CommandEntry{"compare", "hold designs against each other, simulated", make_compare_command},
      CommandEntry{"explain", "say why one design beats another, simulated", make_explain_command},
      CommandEntry{"advise", "say what to change of a captured program, and what it would bring", make_advise_command},
      CommandEntry{"sweep", "simulate every combination of varied values", make_sweep_command},
      CommandEntry{"search", "look for the best design, values and parameters", make_search_command},
      CommandEntry{"calibrate", "fit a machine file's constants to the GPU's micro-benchmarks", make_calibrate_command},
      CommandEntry{"capture", "record what a CUDA program does, unmodified", make_capture_command},
      CommandEntry{"rerun", "run an iteration of a CUDA program again, unmodified, under other schedules", make_rerun_command},
      CommandEntry{"completion", "print what makes a shell complete tasktwin's command lines", make_completion_command},
  };
  return entries;
}

}  // namespace tasktwin::verify
