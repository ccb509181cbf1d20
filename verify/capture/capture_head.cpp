#include "verify/capture/capture_head.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "verify/capture/call_json.hpp"
#include "verify/capture/spool/call_state.hpp"

namespace tasktwin::verify {

namespace {

/// Writes the head. Its parts come in the order of the methods.
class HeadWriter {
 public:
  HeadWriter(JsonStream& out, const CaptureIndex& index, const CaptureSummary& sum, const CaptureFacts& facts,
             const std::vector<std::string>& kernel_names)
      : out_(out), index_(index), sum_(sum), facts_(facts), kernels_(kernel_names) {}

  void head(const std::vector<CapturedGraph>& all_graphs);

 private:
  void about();
  void counts();
  void streams();
  void kernels();
  void memory();
  void graphs(const std::vector<CapturedGraph>& graphs);
  void node(const CapturedNode& node, CallState& memory);
  void races();
  void side(std::string_view key, const RaceSide& side);
  void devices();

  JsonStream& out_;
  const CaptureIndex& index_;
  const CaptureSummary& sum_;
  const CaptureFacts& facts_;
  const std::vector<std::string>& kernels_;
};

void HeadWriter::about() {
  const spool::SpoolHead& head = index_.file.head();
  out_.raw("\"version\":1,\n\"pass\":\"{}\",\n\"command\":[", to_word(facts_.pass));
  for (std::size_t i = 0; i < facts_.command.size(); ++i) {
    if (i > 0) out_.raw(",");
    out_.string(facts_.command[i]);
  }
  out_.raw("],\n");
  if (facts_.end.signal != 0) {
    out_.raw("\"signal\":{},\n", facts_.end.signal);
  } else {
    out_.raw("\"exit_code\":{},\n", facts_.end.exit_code);
  }
  out_.raw("\"date\":\"{}\",\n\"driver\":\"{}.{}\",\n\"process\":{},\n\"range\":", facts_.date, head.driver_version / 1000,
           head.driver_version % 1000 / 10, head.pid.load());
  if (facts_.range.empty()) {
    out_.raw("null");
  } else {
    out_.string(facts_.range);
  }
  out_.raw(",\n\"ended\":\"{}\",\n", head.ended_normally != 0 ? "normally" : "abruptly");
}

void HeadWriter::counts() {
  const CaptureCounts& c = sum_.counts;
  out_.raw(R"("counts":{{"calls":{},"kernels":{},"copies":{},"memsets":{},"host_functions":{},"event_records":{},"waits":{},)"
           "\"syncs\":{},\"graph_launches\":{},\"allocations\":{}}},\n",
           c.calls, c.kernels, c.copies, c.memsets, c.host_functions, c.event_records, c.waits, c.syncs, c.graph_launches, c.allocations);
  const CaptureLosses& l = sum_.losses;
  out_.raw(R"("lost":{{"records_dropped":{},"buffers_refused":{},"calls_dropped":{},"runs_dropped":{},"launches_without_times":{},)"
           R"("waits_without_record":{},"calls_without_arguments":{},"pointers_left_out":{},"nodes_without_definition":{},)"
           "\"capture_errors\":{}}},\n",
           l.records_dropped, l.buffers_refused, l.calls_dropped, l.runs_dropped, l.launches_without_times, l.waits_without_record,
           l.calls_without_arguments, l.pointers_left_out, l.nodes_without_definition, l.capture_errors);
}

void HeadWriter::streams() {
  out_.raw(R"("streams":[)");
  for (std::size_t i = 0; i < index_.streams.size(); ++i) {
    const spool::StreamRecord& s = *index_.streams[i];
    out_.raw("{}\n{{\"stream\":{},\"context\":{},\"device\":{},\"priority\":{},\"kind\":\"{}\"}}", i > 0 ? "," : "", s.stream, s.context,
             s.device, s.priority, spool::kStreamKindWords[static_cast<std::size_t>(s.kind)]);
  }
  out_.raw("],\n");
}

void HeadWriter::kernels() {
  out_.raw(R"("kernels":[)");
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    out_.raw("{}\n{{\"name\":", i > 0 ? "," : "");
    out_.string(kernels_[i]);
    out_.raw(R"(,"mangled":)");
    out_.string(index_.functions[i]);
    out_.raw("}}");
  }
  out_.raw("],\n");
}

void HeadWriter::node(const CapturedNode& node, CallState& memory) {
  out_.raw(R"({{"node":{},"definition":{},"type":"{}")", node.node, node.definition, node.type);
  if (node.call) {
    const ResolvedCall resolved = memory.resolve(*node.call);
    if (node.call->has_kernel != 0) {
      write_kernel(out_, kernel_of(*node.call), resolved.pointers);
    } else {
      write_arguments(out_, *node.call);
    }
  }
  out_.raw("}}");
}

/// An allocation or a free.
struct MemoryStep {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool host = false;
  bool free = false;
};

std::optional<MemoryStep> memory_step(const spool::CallRecord& call) {
  const spool::OtherArguments& a = arguments_of(call);
  switch (call.op) {
    case spool::Op::kMalloc:
    case spool::Op::kMallocAsync:
    case spool::Op::kMemMap:
      return MemoryStep{.address = a.address, .bytes = a.bytes};
    case spool::Op::kMallocHost:
    case spool::Op::kMallocManaged:
    case spool::Op::kHostRegister:
      return MemoryStep{.address = a.address, .bytes = a.bytes, .host = true};
    case spool::Op::kFree:
    case spool::Op::kFreeAsync:
    case spool::Op::kFreeHost:
    case spool::Op::kHostUnregister:
    case spool::Op::kMemUnmap:
      return MemoryStep{.address = a.address, .free = true};
    default:
      return std::nullopt;
  }
}

/// What is allocated where the first call of the file is made, and then what calls allocate and free that the file leaves out.
void HeadWriter::memory() {
  std::map<std::uint64_t, MemoryStep> live;
  std::vector<std::pair<std::uint64_t, MemoryStep>> later;
  bool begun = false;
  for (const CapturedCall& call : index_.calls) {
    begun = begun || is_wanted(call);
    const std::optional<MemoryStep> step = call.record->result == 0 ? memory_step(*call.record) : std::nullopt;
    if (!step || is_wanted(call)) continue;
    if (begun)
      later.emplace_back(call.record->begin_ns, *step);
    else if (step->free)
      live.erase(step->address);
    else
      live[step->address] = *step;
  }
  out_.raw(R"("memory":[)");
  bool first = true;
  const auto write = [&](const MemoryStep& step, const std::string& time) {
    out_.raw("{}\n{{\"address\":{},\"bytes\":{}{}{}{}}}", std::exchange(first, false) ? "" : ",", step.address, step.bytes,
             step.host ? ",\"host\":true" : "", step.free ? ",\"free\":true" : "", time);
  };
  for (const auto& [address, step] : live) write(step, "");
  for (const auto& [ns, step] : later) {
    const std::uint64_t since = ns - sum_.begin_ns;
    write(step, fmt::format(",\"ts\":{}.{:03}", since / 1000, since % 1000));
  }
  out_.raw("],\n");
}

void HeadWriter::graphs(const std::vector<CapturedGraph>& graphs) {
  CallState memory;  // of addresses alone: every allocation of the whole run
  for (const CapturedCall& call : index_.calls) memory.resolve(*call.record);
  out_.raw(R"("graphs":[)");
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    const CapturedGraph& graph = graphs[g];
    out_.raw("{}\n{{\"exec\":{},\"graph\":{},\"nodes\":[", g > 0 ? "," : "", graph.exec, graph.graph);
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
      out_.raw("{}\n", i > 0 ? "," : "");
      node(graph.nodes[i], memory);
    }
    out_.raw("],\n\"edges\":[");
    for (std::size_t i = 0; i < graph.edges.size(); ++i)
      out_.raw("{}[{},{}]", i > 0 ? "," : "", graph.edges[i].first, graph.edges[i].second);
    out_.raw("]}}");
  }
  out_.raw("],\n");
}

void HeadWriter::side(std::string_view key, const RaceSide& side) {
  out_.raw(R"(,"{}":{{"correlation":{},"call_stream":{},"what":)", key, side.correlation, side.stream);
  out_.string(side.what);
  out_.raw("}}");
}

void HeadWriter::races() {
  out_.raw("\"unchecked_launches\":{},\n\"races\":[", sum_.races.unchecked_launches);
  for (std::size_t i = 0; i < sum_.races.races.size(); ++i) {
    const CapturedRace& race = sum_.races.races[i];
    out_.raw("{}\n{{\"kind\":\"{}\",\"times\":{},\"address\":{}", i > 0 ? "," : "",
             race.kind == RaceKind::kUseAfterFree ? "use_after_free" : "use_without_wait", race.times, race.address);
    side("first", race.first);
    side("second", race.second);
    out_.raw("}}");
  }
  out_.raw("]");
}

void HeadWriter::devices() {
  out_.raw(R"("deviceProperties":[)");
  for (std::size_t i = 0; i < index_.devices.size(); ++i) {
    const spool::DeviceRecord& d = *index_.devices[i];
    out_.raw("{}\n{{\"id\":{},\"name\":", i > 0 ? "," : "", d.device);
    out_.string(d.name.data());
    out_.raw(R"(,"totalGlobalMem":{},"computeMajor":{},"computeMinor":{},"maxThreadsPerBlock":{},"maxThreadsPerMultiprocessor":{},)"
             R"("regsPerBlock":{},"regsPerMultiprocessor":{},"warpSize":{},"sharedMemPerBlock":{},"sharedMemPerBlockOptin":{},)"
             R"("sharedMemPerMultiprocessor":{},"numSms":{}}})",
             d.memory_bytes, d.major, d.minor, d.max_threads_per_block, d.max_threads_per_multiprocessor, d.registers_per_block,
             d.registers_per_multiprocessor, d.warp_size, d.shared_bytes_per_block, d.shared_bytes_per_block_opt_in,
             d.shared_bytes_per_multiprocessor, d.multiprocessors);
  }
  out_.raw("],\n");
}

void HeadWriter::head(const std::vector<CapturedGraph>& all_graphs) {
  out_.raw("{{\"tasktwin_capture\":{{\n");
  about();
  counts();
  streams();
  kernels();
  memory();
  graphs(all_graphs);
  races();
  const std::int64_t base = static_cast<std::int64_t>(sum_.begin_ns) + index_.file.head().epoch_ns;
  out_.raw("}},\n\"schemaVersion\":1,\n\"displayTimeUnit\":\"ms\",\n\"baseTimeNanoseconds\":{},\n\"traceName\":\"tasktwin capture\",\n",
           base);
  out_.raw("\"distributedInfo\":{{\"rank\":0}},\n");
  devices();
  out_.raw(R"("traceEvents":[)");
}

}  // namespace

void write_head(JsonStream& out, const CaptureIndex& index, const std::vector<CapturedGraph>& graphs, const CaptureSummary& summary,
                const CaptureFacts& facts, const std::vector<std::string>& kernels) {
  HeadWriter(out, index, summary, facts, kernels).head(graphs);
}

}  // namespace tasktwin::verify
