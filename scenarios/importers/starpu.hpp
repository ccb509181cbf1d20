#pragma once

#include <string>
#include <string_view>

#include "scenarios/importers/imported_graph.hpp"

namespace tasktwin::scenarios {

/// The tasks.rec of a StarPU run (starpu_fxt_tool): records of `Field: value`, parted by blank lines. Taken are Name, JobId or
/// SubmitOrder, DependsOn, StartTime and EndTime in ms, and Priority. A record without times did not run: its body is empty, which a
/// remark counts, as it does workers and ranks, which are not kept. Throws InputError with line and column for a line of another
/// form, a field that occurs twice in a record, an id that occurs twice or is unknown, and times that are no numbers or out of order.
ImportedGraph read_starpu(const std::string& file, std::string_view text);

Importer starpu_importer();

}  // namespace tasktwin::scenarios
