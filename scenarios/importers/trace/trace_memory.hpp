#pragma once

#include <string>

#include "scenarios/importers/trace/selected_run.hpp"

namespace tasktwin::scenarios {

/// Which memory the tasks of a run read and write. Copies and memsets say it exactly. A kernel touches each allocation that one of its
/// pointers points into, whole: it reads what a pointer to `const` points to, and reads and writes the rest; the file `effects`
/// (kernel_effects.hpp; none where it is empty) says it better. Memory that no allocation of the file has may be any. Contract: `program`
/// is of `run`. Throws InputError for a file of effects that is wrong, or of kernels that the run does not have.
ProgramNeeds program_needs(const TraceRun& run, const HostProgram& program, const std::string& effects);

}  // namespace tasktwin::scenarios
