#pragma once

#include <string>

#include "scenarios/importers/imported.hpp"

namespace tasktwin::scenarios {

/// A trace of the PyTorch profiler (libkineto), or one in Chrome's format whose events have Kineto's categories and arguments; packed by
/// gzip or not. Read as a stream. Of calls, the arguments `call_stream`, `record` and `graph_exec`, which `tasktwin capture` writes, count
/// where they are there; what a file of the profiler does not say of waits is counted in remarks.
bool is_kineto(const FileHead& head);

/// Throws InputError with the place for what is no JSON, truncated, nested too deep or more than one document, events without times, and as
/// program_of does.
Imported read_kineto(const std::string& path, const ImportOptions& options);

/// The file of `tasktwin capture`, which is the same with every argument of the calls.
bool is_capture(const FileHead& head);
Imported read_capture_file(const std::string& path, const ImportOptions& options);

}  // namespace tasktwin::scenarios
