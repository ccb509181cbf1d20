#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/design/design.hpp"
#include "models/program/host_program.hpp"
#include "models/run/timeline.hpp"

namespace tasktwin::verify {

/// One timeline in a trace or a drawing; several are shown side by side.
struct TraceRun {
  std::string label;  ///< "predicted", "measured"
  const Timeline* timeline = nullptr;
  Driver driver = Driver::kPersistent;   ///< `streams`: cores are called streams and the control core the host
  const HostProgram* program = nullptr;  ///< of a captured program that was simulated: what its host called
};

/// What a control core was at: a call of a captured program's host by its name, a step where steps were recorded, else that it was busy.
struct ControlSlice {
  std::string name;
  TimePoint begin;
  TimePoint end;
};
/// By time, disjoint.
std::vector<ControlSlice> control_slices(const TraceRun& run, std::size_t control);

/// The timelines of `runs` with, after each whose cores are streams, its kernels' blocks on the compute cores, as far as they were
/// observed.
class RunsWithBlocks {
 public:
  /// Contract: the timelines outlive this.
  explicit RunsWithBlocks(std::span<const TraceRun> runs);
  std::span<const TraceRun> runs() const { return runs_; }

 private:
  std::deque<Timeline> on_cores_;
  std::vector<TraceRun> runs_;
};

/// "streams" or "compute cores", "host" or "dispatchers": what a run's two groups of rows are called.
std::string cores_title(const TraceRun& run);
std::string controls_title(const TraceRun& run);

/// "3", of several workers a core "3 worker 1".
std::string core_number(const Timeline& timeline, std::size_t core);
/// "aic 3", "stream 3", on several devices "device 1 stream 3", each device's from 0 on; "core not observed" for the number of cores.
std::string core_title(const TraceRun& run, std::size_t core);
/// The transfers that a design put in, by the devices between which they went, each way's by their begin; those that were observed.
std::map<std::pair<std::int32_t, std::int32_t>, std::vector<PeerTransfer>> transfers_by_way(const Timeline& timeline);
/// "device 0 to 1".
std::string link_title(const PeerTransfer& transfer);
/// "scheduler 0", "host 0".
std::string control_title(const TraceRun& run, std::size_t control);

}  // namespace tasktwin::verify
