#pragma once

#include "scenarios/importers/imported_graph.hpp"
#include "scenarios/importers/json_file.hpp"

namespace tasktwin::scenarios {

/// The task_graph.json of a Mirage persistent kernel: tasks that arrive at an event, and events that, once all have arrived, release a
/// range of tasks and those that name them as `dependent_event`. An event of one arriver or one released task is edges; of several of both
/// it is one join, a task "event N" with an empty body, never every pair. The file has no times: bodies are empty. Throws InputError with
/// the field's path for what is missing, of another kind or out of range, and for an event that releases a task that does not exist.
ImportedGraph read_mpk(const JsonPlace& root);

Importer mpk_importer();

}  // namespace tasktwin::scenarios
