#include "verify/output/trace_run.hpp"

#include <fmt/format.h>

namespace tasktwin::verify {

namespace {

bool on_streams(const TraceRun& run) { return run.driver == Driver::kStreams; }

}  // namespace

std::string cores_title(const TraceRun& run) { return on_streams(run) ? "streams" : "compute cores"; }

std::string controls_title(const TraceRun& run) { return on_streams(run) ? "host" : "dispatchers"; }

std::string core_title(const TraceRun& run, std::size_t core) {
  const auto& cores = run.timeline->cores;
  if (core >= cores.size()) return "core not observed";
  return fmt::format("{} {}", on_streams(run) ? "stream" : to_word(cores[core]), core);
}

std::string control_title(const TraceRun& run, std::size_t control) {
  const auto& roles = run.timeline->roles;
  return fmt::format("{} {}", control < roles.size() ? to_word(roles[control]) : on_streams(run) ? "host" : "dispatcher", control);
}

}  // namespace tasktwin::verify
