#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "verify/capture/spool/capture_index.hpp"

namespace tasktwin::verify {

/// For each call of a run of a program, the number of the same call in `other`, another run of it: threads are paired in the order of their
/// first call, and of each pair calls that do the same in the same order. None where the runs differ, and of calls that are not `taken`.
std::vector<std::optional<std::size_t>> twin_calls(const CaptureIndex& run, const CaptureIndex& other,
                                                   const std::function<bool(const spool::CallRecord&)>& taken);

}  // namespace tasktwin::verify
