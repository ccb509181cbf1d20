#include "verify/output/timelines/chrome_trace.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "verify/output/files/atomic_file.hpp"
#include "verify/output/timelines/slices.hpp"

namespace tasktwin::verify {

namespace {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Microseconds, exact to the nanosecond.
std::string microseconds(std::int64_t ns) {
  const std::int64_t size = ns < 0 ? -ns : ns;
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}
std::string microseconds(TimePoint time) { return microseconds(to_ns(time)); }

/// Writes the events of one run; threads of process `pid` are numbered from 1.
class RunWriter {
 public:
  RunWriter(AtomicFile& file, const TaskGraph& graph, const TraceRun& run, std::size_t number)
      : file_(file),
        graph_(graph),
        run_(run),
        timeline_(*run.timeline),
        lanes_(assign_lanes(timeline_)),
        cores_pid_(2 * number + 1),
        dispatchers_pid_(2 * number + 2),
        first_flow_(number * graph.edge_count()) {}

  void write() {
    names();
    tasks();
    dispatchers();
    links();
    counters();
    flows();
  }

 private:
  std::size_t thread(std::size_t core, std::size_t lane) const { return 1 + core + lane * (timeline_.cores.size() + 1); }
  std::size_t thread(std::size_t slice) const { return thread(lanes_.slices[slice].core, lanes_.lane_of[slice]); }

  template <class... Args>
  void event(fmt::format_string<Args...> format, Args&&... args) {
    line_.assign(",\n{");
    fmt::format_to(std::back_inserter(line_), format, std::forward<Args>(args)...);
    line_ += '}';
    file_.write(line_);
  }

  void process(std::size_t pid, const std::string& name) {
    event(R"("ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":{}}})", pid, json_string(name));
    event(R"("ph":"M","name":"process_sort_index","pid":{0},"tid":0,"args":{{"sort_index":{0}}})", pid);
  }

  void named_thread(std::size_t pid, std::size_t tid, std::size_t position, const std::string& name) {
    event(R"("ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":{}}})", pid, tid, json_string(name));
    event(R"("ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}})", pid, tid, position);
  }

  void names() {
    process(cores_pid_, fmt::format("{}: {}", run_.label, cores_title(run_)));
    std::size_t position = 0;
    for (std::size_t core = 0; core <= timeline_.cores.size(); ++core) {
      const bool known = core < timeline_.cores.size();
      const std::string name = core_title(run_, core);
      const std::size_t lanes = std::max<std::size_t>(lanes_.lanes_of[core], known ? 1 : 0);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        named_thread(cores_pid_, thread(core, lane), ++position, lane == 0 ? name : fmt::format("{} (overlap {})", name, lane));
      }
    }
    if (timeline_.dispatchers.empty()) return;
    process(dispatchers_pid_, fmt::format("{}: {}", run_.label, controls_title(run_)));
    for (std::size_t d = 0; d < timeline_.dispatchers.size(); ++d) named_thread(dispatchers_pid_, d + 1, d + 1, control_title(run_, d));
  }

  void tasks() {
    for (std::size_t i = 0; i < lanes_.slices.size(); ++i) {
      const Slice& slice = lanes_.slices[i];
      const TaskTimes& times = timeline_.tasks[index(slice.task)];
      std::string phases;
      const auto add = [&phases](std::string_view name, TimePoint time) {
        if (is_present(time)) phases += fmt::format(",\"{}_us\":{}", name, microseconds(time));
      };
      add("ready", times.ready);
      add("dispatched", times.dispatched);
      add("received", times.received);
      add("ended", slice.ended);
      if (slice.wave > 0) phases += fmt::format(",\"wave\":{}", slice.wave);
      event(R"("ph":"X","cat":"task","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"task":{},"kernel":"{}"{}}})",
            json_string(graph_.name(slice.task)), cores_pid_, thread(i), microseconds(slice.started),
            microseconds(to_ns(slice.end() - slice.started)), index(slice.task), graph_.kernel_name(slice.task), phases);
      if (!slice.publishes()) continue;
      event(R"("ph":"X","cat":"publish","name":"publish","pid":{},"tid":{},"ts":{},"dur":{})", cores_pid_, thread(i),
            microseconds(slice.ended), microseconds(to_ns(slice.published - slice.ended)));
    }
  }

  /// Copies between devices that are no tasks, in threads after the control cores'.
  void links() {
    std::size_t tid = timeline_.dispatchers.size();
    for (const auto& [way, transfers] : transfers_by_way(timeline_)) {
      ++tid;
      named_thread(dispatchers_pid_, tid, tid, link_title(transfers.front()));
      for (const PeerTransfer& transfer : transfers)
        event(R"("ph":"X","cat":"transfer","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{"bytes":{}}})",
              json_string(graph_.name(transfer.of)), dispatchers_pid_, tid, microseconds(transfer.began),
              microseconds(to_ns(transfer.ended - transfer.began)), transfer.bytes);
    }
  }

  void dispatchers() {
    for (std::size_t d = 0; d < timeline_.dispatchers.size(); ++d) {
      for (const ControlSlice& slice : control_slices(run_, d))
        event(R"("ph":"X","cat":"dispatcher","name":{},"pid":{},"tid":{},"ts":{},"dur":{})", json_string(slice.name), dispatchers_pid_,
              d + 1, microseconds(slice.begin), microseconds(to_ns(slice.end - slice.begin)));
    }
  }

  void counters() {
    for (const QueueSample& sample : timeline_.ready_queue) {
      event(R"("ph":"C","name":"ready tasks","pid":{},"tid":0,"ts":{},"args":{{"tasks":{}}})", cores_pid_, microseconds(sample.time),
            sample.length);
    }
    for (const MemorySample& sample : timeline_.memory) {
      event(R"("ph":"C","name":"device memory","pid":{},"tid":0,"ts":{},"args":{{"used_bytes":{},"reserved_bytes":{}}})", cores_pid_,
            microseconds(sample.time), sample.used, sample.reserved);
    }
  }

  /// From the last nanosecond of a body, so that the arrow leaves the body's slice, to its successor's start.
  void flows() {
    std::size_t flow = first_flow_;
    for (std::size_t i = 0; i < timeline_.tasks.size(); ++i) {
      const Slice* const from = lanes_.first_slice(task_id(i));
      for (const TaskId successor : graph_.successors(task_id(i))) {
        const Slice* const to = lanes_.first_slice(successor);
        const std::size_t id = flow++;
        if (from == nullptr || to == nullptr) continue;
        const TimePoint leaves = std::max(from->started, from->ended - Duration{1});
        event(R"("ph":"s","cat":"dependency","name":"dependency","id":{},"pid":{},"tid":{},"ts":{})", id, cores_pid_,
              thread(lanes_.first_of[i]), microseconds(leaves));
        event(R"("ph":"f","bp":"e","cat":"dependency","name":"dependency","id":{},"pid":{},"tid":{},"ts":{})", id, cores_pid_,
              thread(lanes_.first_of[index(successor)]), microseconds(to->started));
      }
    }
  }

  AtomicFile& file_;
  const TaskGraph& graph_;
  const TraceRun& run_;
  const Timeline& timeline_;
  Lanes lanes_;
  std::size_t cores_pid_;
  std::size_t dispatchers_pid_;
  std::size_t first_flow_;
  std::string line_;
};

}  // namespace

void write_chrome_trace(const std::filesystem::path& path, const TaskGraph& graph, std::span<const TraceRun> runs,
                        const nlohmann::ordered_json& facts) {
  AtomicFile file(path);
  file.write("{\"displayTimeUnit\":\"ns\",\n\"otherData\":");
  file.write(facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  file.write(",\n\"traceEvents\":[\n{\"ph\":\"M\",\"name\":\"trace\",\"pid\":0,\"tid\":0,\"args\":{}}");
  const RunsWithBlocks shown(runs);
  for (std::size_t number = 0; number < shown.runs().size(); ++number) RunWriter(file, graph, shown.runs()[number], number).write();
  file.write("\n]}\n");
  file.commit();
}

}  // namespace tasktwin::verify
