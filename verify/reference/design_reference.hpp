#pragma once

#include <span>
#include <string>

#include "models/design.hpp"

namespace tasktwin::verify {

/// What docs/designs.md and docs/reference/axes.md take from the tables, in Markdown.

/// A row a design: what it is, and which axes it does not leave at their default.
std::string designs_to_markdown(std::span<const Design> designs);

/// Each axis with its values, where it counts, and which named designs and GPU executors read it.
std::string axes_to_markdown(std::span<const AxisField> axes);

}  // namespace tasktwin::verify
