#pragma once

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

/// `queue` and `memory`.
Json queue_columns(const Timeline& timeline);
Json memory_columns(const Timeline& timeline);
/// Copies between devices that a design put in, those that were observed.
Json transfer_columns(const Timeline& timeline);

}  // namespace tasktwin::verify
