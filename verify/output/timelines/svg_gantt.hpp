#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "models/graph/task_graph.hpp"
#include "verify/output/timelines/traced_run.hpp"

namespace tasktwin::verify {

/// Rows of cores, and of control threads, that a drawing shows of each run: of more that did anything, evenly chosen ones.
inline constexpr std::size_t kMostSvgRows = 80;

/// Draws the control threads and cores of each run that did anything over one time axis, one run above the other: an SVG of at most
/// some megabytes for any graph. A slice of at least three pixels is drawn by itself, with its name where that fits and its
/// times as a tooltip; narrower ones are merged into pixel columns, each in the colour of what takes most of it, the paler the less
/// of it is busy. Colours are those of Okabe and Ito (2008), which the colour-blind tell apart; past seven kernels they are hatched.
/// Throws RunError if the file cannot be written.
void write_svg_gantt(const std::filesystem::path& path, const TaskGraph& graph, std::span<const TraceRun> runs, const std::string& title);

}  // namespace tasktwin::verify
