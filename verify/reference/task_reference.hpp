#pragma once

#include <string>

namespace tasktwin::verify {

/// What docs/reference/tasks.md takes from the schema, in Markdown: the fields of a task, the built-in kernels with the costs that each
/// takes, and the generators with their parameters.
std::string scenario_fields_to_markdown();

/// A task's fields and the built-in kernels, for a terminal.
std::string scenario_fields_to_text();

}  // namespace tasktwin::verify
