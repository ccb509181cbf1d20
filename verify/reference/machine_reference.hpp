#pragma once

#include <span>
#include <string>
#include <string_view>

#include "models/machine/machine.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// The page below docs/ that says what the mechanism does; of a section of machine files, or "kernels".
std::string page_of_section(std::string_view section);

/// Every constant of `sections`, for any machine: what it means and who pays it.
Json constants_to_json(std::span<const MachineSection* const> sections);
std::string constants_to_text(std::span<const MachineSection* const> sections);
/// What docs/reference/constants.md takes from the tables: all sections, what `kernels` takes, and limits.
std::string constants_to_markdown();

/// Named designs that read `section`, for any graph.
std::vector<std::string_view> designs_that_read(std::string_view section);

}  // namespace tasktwin::verify
