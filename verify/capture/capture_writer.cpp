#include "verify/capture/capture_writer.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "verify/capture/call_json.hpp"
#include "verify/capture/capture_head.hpp"
#include "verify/capture/json_stream.hpp"
#include "verify/capture/spool/call_state.hpp"
#include "verify/capture/spool/device_runs.hpp"
#include "verify/capture/spool/kernel_names.hpp"

namespace tasktwin::verify {

namespace {

/// Writes one file. Its parts come in the order of the methods.
class CaptureWriter {
 public:
  CaptureWriter(const std::filesystem::path& path, const CaptureIndex& index, const CaptureSummary& sum, const CaptureFacts& facts)
      : out_(path), index_(index), sum_(sum), facts_(facts) {
    kernels_ = kernel_names(index.functions);
  }

  void head(const std::vector<CapturedGraph>& graphs) { write_head(out_, index_, graphs, sum_, facts_, kernels_); }
  void metadata();
  void calls(const OtherRuns& others);
  void runs();
  void ranges();
  void finish() {
    out_.raw("\n]}}\n");
    out_.commit();
  }

 private:
  void next() { out_.raw("{}", std::exchange(first_, false) ? "\n" : ",\n"); }
  /// µs after the file's base.
  void time(std::string_view key, std::uint64_t ns) { micros(key, static_cast<std::int64_t>(ns - sum_.begin_ns)); }
  void micros(std::string_view key, std::int64_t ns) {
    const std::int64_t size = std::abs(ns);
    out_.raw(R"("{}":{}{}.{:03})", key, ns < 0 ? "-" : "", size / 1000, size % 1000);
  }

  void call(const CapturedCall& call, const ResolvedCall& resolved, const OtherRuns& others, std::size_t number);
  void tensors(const std::vector<TensorPlace>& places);
  void call_kernel(const spool::CallRecord& record, const ResolvedCall& resolved);

  void run(const spool::KernelRun& run);
  void run(const spool::CopyRun& run);
  void run(const spool::MemsetRun& run);
  void run_begin(std::string_view category, std::string_view name, const auto& run);
  void run_node(const auto& run) {
    if (run.node != 0) out_.raw(R"(,"graph node id":{},"graph id":{})", run.node, run.graph);
  }
  void process_name(std::uint64_t pid, std::string_view name, std::string_view label, std::uint64_t place);

  JsonStream out_;
  const CaptureIndex& index_;
  const CaptureSummary& sum_;
  const CaptureFacts& facts_;
  std::vector<std::string> kernels_;  ///< names for people, by id
  bool first_ = true;
};

void CaptureWriter::process_name(std::uint64_t pid, std::string_view name, std::string_view label, std::uint64_t place) {
  next();
  out_.raw(R"({{"ph":"M","name":"process_name","pid":{},"tid":0,"args":{{"name":)", pid);
  out_.string(name);
  out_.raw("}}}}");
  next();
  out_.raw(R"({{"ph":"M","name":"process_labels","pid":{},"tid":0,"args":{{"labels":"{}"}}}})", pid, label);
  next();
  out_.raw(R"({{"ph":"M","name":"process_sort_index","pid":{},"tid":0,"args":{{"sort_index":{}}}}})", pid, place);
}

void CaptureWriter::metadata() {
  constexpr std::uint64_t kDevicesFrom = 5'000'000;  // as Kineto: devices below the host
  const std::uint64_t pid = index_.file.head().pid;
  process_name(pid, facts_.command.empty() ? "" : facts_.command.front(), "CPU", pid);
  for (const auto& [thread, name] : index_.threads) {
    next();
    out_.raw(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":)", pid, thread);
    out_.string(fmt::format("thread {} ({})", thread, name));
    out_.raw("}}}}");
  }
  for (const spool::DeviceRecord* device : index_.devices)
    process_name(device->device, device->name.data(), fmt::format("GPU {}", device->device), kDevicesFrom + device->device);
  for (const spool::StreamRecord* stream : index_.streams) {
    next();
    out_.raw(R"({{"ph":"M","name":"thread_name","pid":{},"tid":{},"args":{{"name":"stream {}"}}}})", stream->device, stream->stream,
             stream->stream);
  }
}

void CaptureWriter::call_kernel(const spool::CallRecord& record, const ResolvedCall& resolved) {
  write_kernel(out_, kernel_of(record), resolved.pointers);
  if (has(record, spool::kCooperative)) out_.raw(R"(,"cooperative":true)");
  if (has(record, spool::kProgrammatic)) out_.raw(R"(,"programmatic":true)");
  if (has(record, spool::kParametersUnknown) || kernel_of(record).pointers_left_out > 0) out_.raw(R"(,"parameters_unknown":true)");
}

void CaptureWriter::tensors(const std::vector<TensorPlace>& places) {
  if (places.empty()) return;
  out_.raw(R"(,"tensors":[)");
  for (std::size_t i = 0; i < places.size(); ++i)
    out_.raw("{}[{},{},{}]", i > 0 ? "," : "", places[i].life, places[i].offset, places[i].bytes);
  out_.raw("]");
}

void CaptureWriter::call(const CapturedCall& call, const ResolvedCall& resolved, const OtherRuns& others, std::size_t number) {
  const spool::CallRecord& record = *call.record;
  const bool driver = has(record, spool::kDriverCall);
  const auto name = index_.api_names.find({driver ? 1U : 0U, record.cbid});
  next();
  out_.raw(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},)", driver ? "cuda_driver" : "cuda_runtime",
           name == index_.api_names.end() ? "unknown" : name->second, index_.file.head().pid.load(), call.thread);
  time("ts", record.begin_ns);
  out_.raw(",");
  micros("dur", static_cast<std::int64_t>(record.end_ns - record.begin_ns));
  out_.raw(R"(,"args":{{"op":"{}","cbid":{},"{}":{})", spool::kOpWords[static_cast<std::size_t>(record.op)], record.cbid,
           has(record, spool::kInside) ? "inside" : "correlation", record.correlation);
  if (record.context != 0) out_.raw(R"(,"device":{},"context":{})", record.device, record.context);
  if (has(record, spool::kHasStream)) out_.raw(R"(,"call_stream":{})", record.stream);
  if (record.result != 0) out_.raw(R"(,"result":{})", record.result);
  if (has(record, spool::kBlocking)) out_.raw(R"(,"blocking":true)");
  if (resolved.capturing) out_.raw(R"(,"capturing":true)");
  if (record.node != 0) out_.raw(R"(,"graph_node":{})", record.node);
  if (record.graph != 0) out_.raw(R"(,"graph":{})", record.graph);
  if (resolved.event) out_.raw(R"(,"event":{})", *resolved.event);
  if (resolved.record) out_.raw(R"(,"record":{})", *resolved.record);
  if (has(record, spool::kExternal)) out_.raw(R"(,"external":true)");
  if (record.has_kernel != 0) {
    call_kernel(record, resolved);
  } else {
    write_arguments(out_, record);
  }
  if (!others.tensors.empty()) tensors(others.tensors[number]);
  const std::optional<UndisturbedTime> undisturbed = others.undisturbed.empty() ? std::nullopt : others.undisturbed[number];
  if (undisturbed) {
    out_.raw(R"(,"undisturbed":[{}.{:03},{}.{:03}])", undisturbed->gap_ns / 1000, undisturbed->gap_ns % 1000,
             undisturbed->duration_ns / 1000, undisturbed->duration_ns % 1000);
  }
  out_.raw("}}}}");
}

void CaptureWriter::calls(const OtherRuns& others) {
  CallState state;
  for (std::size_t i = 0; i < index_.calls.size(); ++i) {
    const ResolvedCall resolved = state.resolve(*index_.calls[i].record);
    if (is_wanted(index_.calls[i])) call(index_.calls[i], resolved, others, i);
  }
}

void CaptureWriter::run_begin(std::string_view category, std::string_view name, const auto& run) {
  next();
  out_.raw(R"({{"ph":"X","cat":"{}","name":)", category);
  out_.string(name);
  out_.raw(R"(,"pid":{},"tid":{},)", run.device, run.stream);
  time("ts", run.begin_ns);
  out_.raw(",");
  micros("dur", static_cast<std::int64_t>(run.end_ns - run.begin_ns));
  out_.raw(R"(,"args":{{"device":{},"context":{},"stream":{},"correlation":{})", run.device, run.context, run.stream, run.correlation);
}

void CaptureWriter::run(const spool::KernelRun& run) {
  run_begin("kernel", run.function < kernels_.size() ? kernels_[run.function] : "(unnamed)", run);
  write_three(out_, "grid", run.grid);
  write_three(out_, "block", run.block);
  out_.raw(R"(,"registers per thread":{},"shared memory":{},"static shared memory":{},"dynamic shared memory":{},"shared memory )"
           R"(executed":{},"local memory per thread":{},"kernel":{},"channel":{})",
           run.registers, run.static_shared_bytes + run.dynamic_shared_bytes, run.static_shared_bytes, run.dynamic_shared_bytes,
           run.executed_shared_bytes, run.local_bytes, run.function, run.channel);
  if (run.carveout_percent >= 0) out_.raw(R"(,"carveout requested":{})", run.carveout_percent);
  if (run.cluster[0] != 0) write_three(out_, "cluster", run.cluster);
  if (run.device_launched != 0) out_.raw(R"(,"device launched":true)");
  run_node(run);
  out_.raw("}}}}");
}

constexpr std::array<std::string_view, 8> kMemoryWords{"Unknown", "Pageable", "Pinned",        "Device",
                                                       "Array",   "Managed",  "Device Static", "Managed Static"};

template <std::size_t N>
std::string_view word(const std::array<std::string_view, N>& words, std::size_t which) {
  return words[which < N ? which : 0];
}

double gb_per_s(std::uint64_t bytes, std::uint64_t ns) { return ns == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(ns); }

void CaptureWriter::run(const spool::CopyRun& run) {
  const std::string_view kind = copy_word(run.copy_kind);
  run_begin("gpu_memcpy",
            fmt::format("Memcpy {} ({} -> {})", kind, word(kMemoryWords, run.source_kind), word(kMemoryWords, run.target_kind)), run);
  out_.raw(R"--(,"bytes":{},"memory bandwidth (GB/s)":{:.3f},"copy kind":"{}")--", run.bytes,
           gb_per_s(run.bytes, run.end_ns - run.begin_ns), kind);
  if (run.peer != 0) out_.raw(R"(,"fromDevice":{},"inDevice":{},"toDevice":{})", run.source_device, run.device, run.target_device);
  run_node(run);
  out_.raw("}}}}");
}

void CaptureWriter::run(const spool::MemsetRun& run) {
  run_begin("gpu_memset", fmt::format("Memset ({})", word(kMemoryWords, run.memory_kind)), run);
  out_.raw(R"--(,"bytes":{},"value":{},"memory bandwidth (GB/s)":{:.3f})--", run.bytes, run.value,
           gb_per_s(run.bytes, run.end_ns - run.begin_ns));
  run_node(run);
  out_.raw("}}}}");
}

void CaptureWriter::runs() {
  visit_wanted_runs(index_, !facts_.range.empty(), [this](const auto& one) { run(one); });
}

void CaptureWriter::ranges() {
  for (const CapturedRange& range : index_.ranges) {
    next();
    out_.raw(R"({{"ph":"X","cat":"user_annotation","name":)");
    out_.string(range.name);
    out_.raw(R"(,"pid":{},"tid":{},)", index_.file.head().pid.load(), range.thread);
    time("ts", range.begin_ns);
    out_.raw(",");
    micros("dur", static_cast<std::int64_t>(range.end_ns - range.begin_ns));
    out_.raw(R"(,"args":{{"range":"{}")", range.pushed ? "push_pop" : "start_end");
    if (range.domain != 0) out_.raw(R"(,"domain":{})", range.domain);
    out_.raw("}}}}");
  }
}

}  // namespace

void write_capture(const std::filesystem::path& path, const CaptureIndex& index, const std::vector<CapturedGraph>& graphs,
                   const CaptureSummary& summary, const CaptureFacts& facts, const OtherRuns& others) {
  CaptureWriter writer(path, index, summary, facts);
  writer.head(graphs);
  writer.metadata();
  writer.calls(others);
  writer.runs();
  writer.ranges();
  writer.finish();
}

}  // namespace tasktwin::verify
