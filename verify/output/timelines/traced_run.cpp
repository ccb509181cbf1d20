#include "verify/output/timelines/traced_run.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace tasktwin::verify {

namespace {

bool on_streams(const TraceRun& run) { return run.driver == Driver::kStreams; }

/// The blocks alone, on the cores that they took.
Timeline blocks_on_cores(const Timeline& timeline) {
  Timeline on_cores;
  on_cores.cores = timeline.compute_cores;
  on_cores.core_devices = timeline.compute_core_devices;
  on_cores.blocks = timeline.blocks;
  on_cores.tasks.resize(timeline.tasks.size());
  for (const BlockTimes& block : timeline.blocks) {
    TaskTimes& times = on_cores.tasks[index(block.task)];
    const CoreId core = std::min(times.core, block.core);  // kNoCore is after all cores
    times = timeline.tasks[index(block.task)];
    times.core = core;
  }
  return on_cores;
}

}  // namespace

RunsWithBlocks::RunsWithBlocks(std::span<const TraceRun> runs) {
  for (const TraceRun& run : runs) {
    runs_.push_back(run);
    if (!run.timeline->on_streams || run.timeline->blocks.empty()) continue;
    on_cores_.push_back(blocks_on_cores(*run.timeline));
    runs_.push_back({run.label + ", blocks", &on_cores_.back(), Driver::kCudaGraph});
  }
}

std::vector<ControlSlice> control_slices(const TraceRun& run, std::size_t control) {
  const Timeline& timeline = *run.timeline;
  std::vector<ControlSlice> slices;
  if (run.program != nullptr && !timeline.host_steps.empty()) {
    for (const HostStep& step : timeline.host_steps) {
      if (step.thread != control) continue;
      if (step.began > step.own) slices.push_back({"own time", step.own, step.began});
      const std::string& name = run.program->names[run.program->threads[step.thread].calls[step.call].name];
      if (step.ended > step.began) slices.push_back({name.empty() ? "call" : name, step.began, step.ended});
    }
  } else if (control < timeline.steps.size()) {
    for (const Step& step : timeline.steps[control]) slices.push_back({std::string(to_word(step.kind)), step.begin, step.end});
  } else {
    for (const Span& span : timeline.dispatchers[control]) slices.push_back({"busy", span.begin, span.end});
  }
  return slices;
}

std::string cores_title(const TraceRun& run) { return on_streams(run) ? "streams" : "compute cores"; }

std::string controls_title(const TraceRun& run) { return on_streams(run) ? "host" : "dispatchers"; }

std::string core_number(const Timeline& timeline, std::size_t core) {
  const int several = timeline.workers_per_core;
  if (several == 1) return std::to_string(core);
  const std::size_t cores = timeline.cores.size() / static_cast<std::size_t>(several);
  return fmt::format("{} worker {}", core_of_worker(core, timeline.cores.size(), several), core / cores);
}

std::string core_title(const TraceRun& run, std::size_t core) {
  const auto& cores = run.timeline->cores;
  if (core >= cores.size()) return "core not observed";
  const std::string_view word = on_streams(run) ? "stream" : to_word(cores[core]);
  const auto& devices = run.timeline->core_devices;
  if (core >= devices.size()) return fmt::format("{} {}", word, core_number(*run.timeline, core));
  const auto first = std::ranges::find(devices, devices[core]) - devices.begin();  // those of a device are neighbours
  return fmt::format("device {} {} {}", devices[core], word, core - static_cast<std::size_t>(first));
}

std::string link_title(const PeerTransfer& transfer) { return fmt::format("device {} to {}", transfer.from, transfer.to); }

std::map<std::pair<std::int32_t, std::int32_t>, std::vector<PeerTransfer>> transfers_by_way(const Timeline& timeline) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<PeerTransfer>> ways;
  for (const PeerTransfer& transfer : timeline.transfers) {
    if (is_present(transfer.began) && is_present(transfer.ended)) ways[{transfer.from, transfer.to}].push_back(transfer);
  }
  for (auto& [way, transfers] : ways) std::ranges::stable_sort(transfers, {}, &PeerTransfer::began);
  return ways;
}

std::string control_title(const TraceRun& run, std::size_t control) {
  const auto& roles = run.timeline->roles;
  return fmt::format("{} {}", control < roles.size() ? to_word(roles[control]) : on_streams(run) ? "host" : "dispatcher", control);
}

}  // namespace tasktwin::verify
