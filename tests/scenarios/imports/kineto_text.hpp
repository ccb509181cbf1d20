#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/base/error.hpp"
#include "models/graph/task_graph.hpp"
#include "scenarios/importers/importers.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::scenarios {

/// A trace in the form that PyTorch's profiler writes, made up event by event. Times in µs.
class KinetoText {
 public:
  KinetoText& event(const std::string& category, const std::string& name, double ts, double dur, const std::string& args, int tid = 1,
                    int pid = 9) {
    events_.push_back("{\"ph\":\"X\",\"cat\":\"" + category + "\",\"name\":\"" + name + "\",\"pid\":" + std::to_string(pid) +
                      ",\"tid\":" + std::to_string(tid) + ",\"ts\":" + std::to_string(ts) + ",\"dur\":" + std::to_string(dur) +
                      ",\"args\":{" + args + "}}");
    return *this;
  }
  KinetoText& call(const std::string& name, int correlation, double ts, double dur, int tid = 1, const std::string& more = "") {
    return event("cuda_runtime", name, ts, dur, "\"correlation\":" + std::to_string(correlation) + more, tid);
  }
  KinetoText& kernel(const std::string& name, int correlation, int stream, double ts, double dur, const std::string& more = "") {
    return event("kernel", name, ts, dur,
                 device(correlation, stream) + ",\"grid\":[4,1,1],\"block\":[128,1,1],\"registers per thread\":32" + more, stream, 0);
  }
  KinetoText& copy(const std::string& name, int correlation, int stream, double ts, double dur) {
    return event("gpu_memcpy", name, ts, dur, device(correlation, stream) + ",\"bytes\":4096", stream, 0);
  }
  /// A kernel with its launch: 5 µs for the call, the kernel 10 after its begin or later.
  KinetoText& launch(const std::string& name, int correlation, int stream, double ts, double start, double dur, int tid = 1) {
    return call("cudaLaunchKernel", correlation, ts, 5, tid).kernel(name, correlation, stream, start, dur);
  }
  KinetoText& sync(const std::string& kind, int correlation, int stream, int record = -1, int record_stream = -1) {
    return event("cuda_sync", kind, 0, 0,
                 "\"cuda_sync_kind\":\"" + kind + "\",\"stream\":" + std::to_string(stream) +
                     ",\"correlation\":" + std::to_string(correlation) + ",\"wait_on_stream\":" + std::to_string(record_stream) +
                     ",\"wait_on_cuda_event_record_corr_id\":" + std::to_string(record),
                 stream, 0);
  }
  KinetoText& range(const std::string& name, double ts, double dur, int tid = 1) {
    return event("user_annotation", name, ts, dur, "", tid);
  }

  std::string text(const std::string& first = "") const {
    std::string text =
        "{" + first +
        "\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"card\",\"numSms\":132,\"maxThreadsPerMultiprocessor\":2048,"
        "\"regsPerMultiprocessor\":65536,\"sharedMemPerMultiprocessor\":233472}],\n\"traceEvents\":[";
    for (std::size_t i = 0; i < events_.size(); ++i) text += (i == 0 ? "\n" : ",\n") + events_[i];
    return text + "\n]}\n";
  }
  const std::vector<std::string>& events() const { return events_; }
  KinetoText reversed() const {
    KinetoText other;
    other.events_.assign(events_.rbegin(), events_.rend());
    return other;
  }

 private:
  static std::string device(int correlation, int stream) {
    return "\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) + ",\"correlation\":" + std::to_string(correlation);
  }
  std::vector<std::string> events_;
};

inline Imported imported(const std::string& text, const ImportOptions& options = {}, const std::string& name = "trace.json") {
  const TemporaryFile file(text, name);
  return import_file(file.path(), "", options);
}

using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Why it is, without the file's name; empty where it is not.
inline std::string refused(const std::string& text, const ImportOptions& options = {}) {
  const TemporaryFile file(text, "trace.json");
  try {
    import_file(file.path(), "", options);
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.starts_with(file.path()) ? what.substr(file.path().size() + 1) : what;
  }
  return "";
}

inline Edges edges(const TaskGraph& graph) {
  Edges edges;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId next : graph.successors(task_id(i))) edges.emplace_back(i, index(next));
  }
  return edges;
}

inline std::vector<std::string> names(const TaskGraph& graph) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < graph.size(); ++i) names.emplace_back(graph.name(task_id(i)));
  return names;
}

/// Two kernels in a stream, the host's own time before each.
inline KinetoText two_kernels() {
  return KinetoText().launch("void ns::f<int>(float*)", 1, 7, 100, 110, 20).launch("g", 2, 7, 200.125, 210.5, 20);
}

}  // namespace tasktwin::scenarios
