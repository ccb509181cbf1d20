#pragma once

#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// The columns of RunData in page/src/data.ts, under its names. What was not observed is null.

/// TaskColumns: a row a task, in TaskId order.
Json task_columns(const Timeline& timeline);

/// PartColumns: a row a part of a task on several cores. None under driver `streams`, where blocks lie on no row of the page.
Json part_columns(const Timeline& timeline);

/// StepColumns by control core; a busy span is a step of kind 0 where steps were not recorded.
Json step_columns(const Timeline& timeline);
/// The meaning of the kinds.
Json step_kinds(const Timeline& timeline);

/// Both of a captured program's host, by its threads: its own time, each call by name, and apart from these what a call waits for.
/// Contract: the timeline has host steps of `program`. Names beyond the most frequent kMostStepKinds are "other calls".
struct HostRows {
  Json kinds = {};
  Json steps = {};
};
inline constexpr std::size_t kMostStepKinds = 255;  ///< a kind is a byte on the page
HostRows host_rows(const Timeline& timeline, const HostProgram& program);

/// `queue` and `memory`.
Json queue_columns(const Timeline& timeline);
Json memory_columns(const Timeline& timeline);
/// Copies between devices that a design put in, those that were observed.
Json transfer_columns(const Timeline& timeline);

}  // namespace tasktwin::verify
