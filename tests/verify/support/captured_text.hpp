#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "scenarios/document/document.hpp"
#include "scenarios/load/scenario_document.hpp"
#include "tests/scenarios/temporary_file.hpp"

namespace tasktwin::verify {

/// A capture of one iteration, event by event; times in µs.
class CapturedText {
 public:
  CapturedText& call(const std::string& name, double own, double takes, const std::string& arguments) {
    now_ += own;
    add("cuda_runtime", name, now_, takes, 1, "\"correlation\":" + std::to_string(++correlation_) + arguments);
    now_ += takes;
    return *this;
  }
  CapturedText& kernel(const std::string& name, int stream, const std::vector<int>& pointers, double takes) {
    std::string list;
    for (std::size_t i = 0; i < pointers.size(); ++i)
      list += (i == 0 ? "[" : ",[") + std::to_string(i) + ",0," + std::to_string(pointers[i]) + "]";
    call("cudaLaunchKernel", 2, 3, ",\"call_stream\":" + std::to_string(stream) + R"(,"op":"kernel","pointers":[)" + list + "]");
    double& free = free_[stream];
    const double start = std::max(now_ + 2, free);
    free = start + takes;
    add("kernel", name, start, takes, 0,
        "\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) + ",\"correlation\":" + std::to_string(correlation_) +
            ",\"grid\":[4,1,1],\"block\":[128,1,1],\"registers per thread\":32");
    return *this;
  }
  /// 1024 bytes of pinned memory into a buffer.
  CapturedText& copy_in(int stream, int target, double takes) {
    call("cudaMemcpyAsync", 2, 3,
         ",\"call_stream\":" + std::to_string(stream) + R"(,"op":"memcpy","copy":"HtoD","src":65536,"bytes":1024,"dst":)" +
             std::to_string(target));
    double& free = free_[stream];
    const double start = std::max(now_ + 2, free);
    free = start + takes;
    add("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", start, takes, 0,
        "\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) + ",\"correlation\":" + std::to_string(correlation_) +
            ",\"bytes\":1024");
    return *this;
  }
  /// 64 bytes of a buffer into pinned memory.
  CapturedText& copy_out(int stream, int source, double takes) {
    call("cudaMemcpyAsync", 2, 3,
         ",\"call_stream\":" + std::to_string(stream) + R"(,"op":"memcpy","copy":"DtoH","dst":65536,"bytes":64,"src":)" +
             std::to_string(source));
    double& free = free_[stream];
    const double start = std::max(now_ + 2, free);
    free = start + takes;
    add("gpu_memcpy", "Memcpy DtoH (Device -> Pinned)", start, takes, 0,
        "\"device\":0,\"context\":1,\"stream\":" + std::to_string(stream) + ",\"correlation\":" + std::to_string(correlation_) +
            ",\"bytes\":64");
    return *this;
  }
  CapturedText& wait(int stream, int source) {
    call("cudaEventRecord", 1, 2, ",\"call_stream\":" + std::to_string(source) + R"(,"op":"event_record")");
    const int record = correlation_;
    call("cudaStreamWaitEvent", 1, 2,
         ",\"call_stream\":" + std::to_string(stream) + R"(,"op":"stream_wait_event","record":)" + std::to_string(record));
    free_[stream] = std::max(free_[stream], free_[source]);
    return *this;
  }
  CapturedText& sync() {
    double end = now_;
    for (const auto& [stream, free] : free_) end = std::max(end, free);
    return call("cudaDeviceSynchronize", 1, std::max(5.0, end + 5 - now_), R"(,"op":"device_sync")");
  }

  std::string text() const {
    return R"({"tasktwin_capture":{"version":1,"ended":"normally","memory":[{"address":4096,"bytes":1024},{"address":8192,"bytes":1024},)"
           R"({"address":12288,"bytes":1024},{"address":16384,"bytes":1024}]},"traceEvents":[)" +
           events_ + "]}";
  }

  scenarios::Scenario scenario(const std::string& options = "") const {
    const scenarios::TemporaryFile file(text(), "capture.json");
    return scenarios::scenario_from(scenarios::parse_document(
        file.path() + ".yaml",
        "scenario: captured\nmachine: nvidia-h200\ngraph: {import: '" + file.path() + "'" + options +
            "}\ndesigns: [{name: as-captured, from: cuda-streams, streams: 2, stream_granularity: hinted, stream_wait: program}]\n"));
  }

 private:
  void add(const std::string& category, const std::string& name, double ts, double dur, int tid, const std::string& arguments) {
    events_ += (events_.empty() ? "" : ",\n") + (R"({"ph":"X","cat":")" + category + R"(","name":")" + name +
                                                 "\",\"pid\":" + (tid == 0 ? "0" : "9") + ",\"tid\":" + std::to_string(tid) + ",\"ts\":" +
                                                 std::to_string(ts) + ",\"dur\":" + std::to_string(dur) + ",\"args\":{" + arguments + "}}");
  }

  std::string events_;
  std::map<int, double> free_;  ///< by stream: when its work has ended
  double now_ = 100;
  int correlation_ = 0;
};

}  // namespace tasktwin::verify
