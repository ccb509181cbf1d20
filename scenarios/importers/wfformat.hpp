#pragma once

#include "scenarios/importers/imported_graph.hpp"
#include "scenarios/importers/json_file.hpp"

namespace tasktwin::scenarios {

/// A workflow instance in WfCommons' WfFormat: 1.4 and later (`workflow.specification.tasks` with parents and children, times under
/// `workflow.execution.tasks`) or older (`workflow.tasks`, or `workflow.jobs`, with times in them). Tasks take runtimeInSeconds, or
/// `runtime`, on one core; files' bytes are not edges' bytes and are left out. An edge may stand as a parent, as a child or as both.
/// Throws InputError with the field's path for what is missing, of another kind, out of range or unknown.
ImportedGraph read_wfformat(const JsonPlace& root);

Importer wfformat_importer();

}  // namespace tasktwin::scenarios
