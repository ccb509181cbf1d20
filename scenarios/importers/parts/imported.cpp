#include "scenarios/importers/parts/imported.hpp"

#include <array>

namespace tasktwin::scenarios {

std::span<const ImportOptionField> import_option_fields() {
  static constexpr std::array fields{
      ImportOptionField{.name = "with", .meaning = "a second file that the first goes with", .text = &ImportOptions::with, .files = true},
      ImportOptionField{.name = "range",
                        .meaning = "only what the host launched within this range of the program's own (NVTX or profiler), by name",
                        .text = &ImportOptions::range},
      ImportOptionField{.name = "device", .meaning = "only this device of several", .number = &ImportOptions::device},
      ImportOptionField{.name = "independent",
                        .meaning =
                            "work that does not depend on each other's: patterns of ranges ('branch_*') or of kernels and copies, or "
                            "'FROM..TO' for what begins with one of these and ends with another",
                        .list = &ImportOptions::independent},
      ImportOptionField{.name = "unknown_waits",
                        .meaning =
                            "what a wait for an event waits for whose stream the file does not say: observed (the default), what was "
                            "launched before it and had ended when the work behind it began; none; or all that was launched before",
                        .text = &ImportOptions::unknown_waits},
      ImportOptionField{.name = "drop_edges",
                        .meaning =
                            "dependencies that are none: all of a source by the format's own word (data_deps, stream), one as FROM->TO, or "
                            "those behind tasks of these names or patterns",
                        .list = &ImportOptions::drop_edges},
      ImportOptionField{.name = "dependences",
                        .meaning =
                            "ordered: what streams, events and the host order (the default); needed: what tasks need of each other, by "
                            "the memory that they read and write, where the file says so; own_memory: the same without what only memory "
                            "makes which is given out again",
                        .text = &ImportOptions::dependences},
      ImportOptionField{.name = "effects",
                        .meaning = "a file that says what kernels read and write of what they point to",
                        .text = &ImportOptions::effects,
                        .files = true},
      ImportOptionField{
          .name = "time_unit", .meaning = "what a time of a file without units is in: ns, us, ms or s", .text = &ImportOptions::time_unit},
      ImportOptionField{.name = "core_type",
                        .meaning = "the kind of core that bodies need of which the file says none; sm where it is left out",
                        .text = &ImportOptions::core_type},
      ImportOptionField{.name = "ranks",
                        .meaning = "files of the other ranks of the run: rank r, by the last number in a file's name, is device r",
                        .list = &ImportOptions::ranks,
                        .files = true},
  };
  return fields;
}

}  // namespace tasktwin::scenarios
