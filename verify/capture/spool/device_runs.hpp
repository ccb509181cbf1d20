#pragma once

#include <vector>

#include "verify/capture/spool/capture_index.hpp"

namespace tasktwin::verify {

/// Calls `each` with every KernelRun, CopyRun and MemsetRun that belongs to a call of --range, or with all of them.
template <class Each>
void visit_wanted_runs(const CaptureIndex& index, bool only_in_range, const Each& each) {
  std::vector<bool> wanted;
  if (only_in_range) {
    for (const CapturedCall& call : index.calls) {
      if (!is_wanted(call)) continue;
      if (wanted.size() <= call.record->correlation) wanted.resize(call.record->correlation + 1);
      wanted[call.record->correlation] = true;
    }
  }
  const auto hand_on = [&](const auto& run) {
    if (!only_in_range || (run.correlation < wanted.size() && wanted[run.correlation])) each(run);
  };
  index.file.visit([&](const spool::RecordHead& record, std::uint32_t) {
    if (record.kind == spool::RecordKind::kKernelRun) hand_on(as<spool::KernelRun>(record));
    if (record.kind == spool::RecordKind::kCopyRun) hand_on(as<spool::CopyRun>(record));
    if (record.kind == spool::RecordKind::kMemsetRun) hand_on(as<spool::MemsetRun>(record));
  });
}

}  // namespace tasktwin::verify
