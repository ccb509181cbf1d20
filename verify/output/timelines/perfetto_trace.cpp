#include "verify/output/timelines/perfetto_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "verify/output/files/atomic_file.hpp"
#include "verify/output/timelines/perfetto_packets.hpp"
#include "verify/output/timelines/slices.hpp"

namespace tasktwin::verify {

namespace {

constexpr std::uint64_t kFactsTrack = 1;

/// The numbers that all runs of a trace take theirs from.
struct Numbers {
  std::uint64_t uuid = kFactsTrack + 1;
  std::uint64_t pid = 1;
  std::uint64_t tid = 0;   ///< above all pids, so that no thread counts as its process's main one
  std::uint64_t flow = 1;  ///< 0 is none
  std::int64_t shift = 0;  ///< added to every time
};

class PacketWriter {
 public:
  PacketWriter(PerfettoPackets& packets, const TaskGraph& graph, const TraceRun& run, Numbers& numbers)
      : packets_(packets), graph_(graph), run_(run), timeline_(*run.timeline), lanes_(assign_lanes(timeline_)), numbers_(numbers) {}

  void write() {
    cores();
    slices();
    counters();
    controls();
  }

 private:
  std::int64_t ns(TimePoint time) const { return to_ns(time) + numbers_.shift; }

  void process(const std::string& title) {
    process_ = numbers_.uuid++;
    pid_ = numbers_.pid++;
    packets_.process(process_, pid_, run_.label + ": " + title);
  }

  std::uint64_t thread(const std::string& name) {
    const std::uint64_t uuid = numbers_.uuid++;
    packets_.thread(uuid, process_, pid_, numbers_.tid++, name);
    return uuid;
  }

  void cores() {
    process(cores_title(run_));
    for (std::size_t core = 0; core < lanes_.lanes_of.size(); ++core) {
      const std::string name = core_title(run_, core);
      const std::size_t lanes = std::max<std::size_t>(lanes_.lanes_of[core], core < timeline_.cores.size() ? 1 : 0);
      first_lane_.push_back(lane_tracks_.size());
      for (std::size_t lane = 0; lane < lanes; ++lane)
        lane_tracks_.push_back(thread(lane == 0 ? name : fmt::format("{} (overlap {})", name, lane)));
    }
  }

  /// In the order of their starts, so that of a lane's events each comes after the ones before it, also where times are equal.
  void slices() {
    number_edges();
    for (const std::uint32_t i : lanes_.in_order) {
      const Slice& slice = lanes_.slices[i];
      const std::uint64_t track = lane_tracks_[first_lane_[slice.core] + lanes_.lane_of[i]];
      PerfettoEvent event = details(slice);
      if (lanes_.first_of[index(slice.task)] == i) flows(event, slice.task);
      const std::uint64_t name = packets_.task_name(slice.task, graph_.name(slice.task));
      packets_.begin(ns(slice.started), track, "task", name, std::move(event));
      if (slice.publishes()) {
        packets_.begin(ns(slice.ended), track, "publish", packets_.name("publish"));
        packets_.end(ns(slice.published), track);
      }
      packets_.end(ns(slice.end()), track);
    }
  }

  PerfettoEvent details(const Slice& slice) {
    const TaskTimes& times = timeline_.tasks[index(slice.task)];
    PerfettoEvent event;
    packets_.annotate(event, "task", static_cast<std::int64_t>(index(slice.task)));
    packets_.annotate(event, "kernel", graph_.kernel_name(slice.task));
    const auto phase = [&](const char* name, TimePoint time) {
      if (is_present(time)) packets_.annotate(event, name, ns(time));
    };
    phase("ready_ns", times.ready);
    phase("dispatched_ns", times.dispatched);
    phase("received_ns", times.received);
    phase("ended_ns", slice.ended);
    if (slice.wave > 0) packets_.annotate(event, "wave", std::int64_t{slice.wave});
    return event;
  }

  /// An edge's flow is its position among all edges, by the task it leaves.
  void number_edges() {
    first_edge_.reserve(graph_.size());
    for (std::size_t i = 0; i < graph_.size(); ++i) {
      first_edge_.push_back(numbers_.flow);
      numbers_.flow += graph_.out_degree(task_id(i));
    }
  }

  /// Each edge that both ends show, as a flow with one end here.
  void flows(PerfettoEvent& event, TaskId task) const {
    for (const TaskId predecessor : graph_.predecessors(task)) {
      if (lanes_.first_slice(predecessor) == nullptr) continue;
      const auto successors = graph_.successors(predecessor);
      const auto position = std::ranges::lower_bound(successors, task) - successors.begin();
      event.flow(first_edge_[index(predecessor)] + static_cast<std::uint64_t>(position));
    }
    std::uint64_t flow = first_edge_[index(task)];
    for (const TaskId successor : graph_.successors(task)) {
      if (lanes_.first_slice(successor) != nullptr) event.flow(flow);
      ++flow;
    }
  }

  /// What a control core did: its steps where they were recorded, else only that it was busy.
  void controls() {
    if (timeline_.dispatchers.empty()) return;
    process(controls_title(run_));
    for (std::size_t d = 0; d < timeline_.dispatchers.size(); ++d) {
      const std::uint64_t track = thread(control_title(run_, d));
      for (const ControlSlice& slice : control_slices(run_, d)) {
        packets_.begin(ns(slice.begin), track, "dispatcher", packets_.name(slice.name));
        packets_.end(ns(slice.end), track);
      }
    }
  }

  template <class Samples, class Value>
  void count(const Samples& samples, const std::string& name, PerfettoPackets::Unit unit, Value value) {
    if (samples.empty()) return;
    const std::uint64_t track = numbers_.uuid++;
    packets_.counter(track, process_, name, unit);
    for (const auto& sample : samples) packets_.value(ns(sample.time), track, value(sample));
  }

  void counters() {
    count(timeline_.ready_queue, "ready tasks", PerfettoPackets::kCount, [](const QueueSample& sample) { return sample.length; });
    const auto bytes = PerfettoPackets::kSizeBytes;
    count(timeline_.memory, "device memory used", bytes, [](const MemorySample& sample) { return sample.used; });
    count(timeline_.memory, "device memory reserved", bytes, [](const MemorySample& sample) { return sample.reserved; });
  }

  PerfettoPackets& packets_;
  const TaskGraph& graph_;
  const TraceRun& run_;
  const Timeline& timeline_;
  Lanes lanes_;
  Numbers& numbers_;
  std::uint64_t process_ = 0;  ///< the process described last
  std::uint64_t pid_ = 0;
  std::vector<std::uint64_t> lane_tracks_;
  std::vector<std::size_t> first_lane_;    ///< by core, into lane_tracks_
  std::vector<std::uint64_t> first_edge_;  ///< by TaskId: the flow of its first edge
};

/// The earliest time that a trace of the run shows, at most 0.
std::int64_t earliest_ns(const Timeline& timeline) {
  std::int64_t earliest = 0;
  const auto see = [&earliest](TimePoint time) {
    if (is_present(time)) earliest = std::min(earliest, to_ns(time));
  };
  for (const TaskTimes& times : timeline.tasks) see(times.started);
  for (const BlockTimes& block : timeline.blocks) see(block.started);
  for (const auto& spans : timeline.dispatchers) {
    if (!spans.empty()) see(spans.front().begin);
  }
  for (const auto& steps : timeline.steps) {
    if (!steps.empty()) see(steps.front().begin);
  }
  if (!timeline.ready_queue.empty()) see(timeline.ready_queue.front().time);
  if (!timeline.memory.empty()) see(timeline.memory.front().time);
  return earliest;
}

void write_facts(PerfettoPackets& packets, const nlohmann::ordered_json& facts) {
  packets.track(kFactsTrack, "facts");
  PerfettoEvent event;
  for (const auto& [name, value] : facts.items()) {
    const auto text =
        value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    packets.annotate(event, name, std::string_view(text));
  }
  packets.instant(0, kFactsTrack, packets.name("run"), std::move(event));
}

}  // namespace

void write_perfetto_trace(const std::filesystem::path& path, const TaskGraph& graph, std::span<const TraceRun> runs,
                          const nlohmann::ordered_json& facts) {
  AtomicFile file(path);
  PerfettoPackets packets(file, graph.size());
  write_facts(packets, facts);
  Numbers numbers;
  const RunsWithBlocks shown(runs);
  numbers.tid = 2 * shown.runs().size() + 1;
  for (const TraceRun& run : runs) numbers.shift = std::max(numbers.shift, -earliest_ns(*run.timeline));
  for (const TraceRun& run : shown.runs()) PacketWriter(packets, graph, run, numbers).write();
  file.commit();
}

}  // namespace tasktwin::verify
