#pragma once

#include <span>
#include <string>

#include "models/design/design.hpp"

namespace tasktwin::verify {

/// What docs/designs.md and docs/reference/axes.md take from the tables, in Markdown.

/// A row a design: what it is, and which axes it does not leave at their default.
std::string designs_to_markdown(std::span<const Design> designs);

/// Each axis with its values, the named designs that set it, and the runtimes under which it counts.
std::string axes_to_markdown(std::span<const AxisField> axes);

/// A table a runtime: the axes that count under it, with which others, and what its executor on the GPU runs of each.
std::string runtimes_to_markdown();

}  // namespace tasktwin::verify
