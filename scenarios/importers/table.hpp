#pragma once

#include <string>
#include <string_view>

#include "scenarios/importers/imported_graph.hpp"
#include "scenarios/importers/json_file.hpp"

namespace tasktwin::scenarios {

/// A table of tasks, a row each, as a spreadsheet or a script writes it. Columns, in any order:
///   name          unique
///   time_ns, time_us, time_ms or time_s   how long its body takes; one of them, or none where every row has bytes
///   kind          spin (the default), empty, host, copy_h2d, copy_d2h, copy_p2p, memset; the last four move `bytes`, in that
///                 time where there is one, else in what the machine's links take
///   predecessors  names of the tasks it waits for, separated by ';'
///   bytes, blocks, stream, priority       as tasks of scenarios have them
/// Columns of other names are not read, which a remark says. Throws InputError with line and column for all that a task may not be.
ImportedGraph read_csv_table(const std::string& file, std::string_view text);

/// The same as JSON: a list of objects with these keys, or an object with such a list under "tasks"; `predecessors` is a list of names.
ImportedGraph read_json_table(const JsonPlace& root);

Importer csv_importer();
Importer json_importer();

}  // namespace tasktwin::scenarios
