#include "scenarios/importers/trace/kineto_events.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace tasktwin::scenarios {

namespace {

constexpr std::int64_t kAbsentNumber = KinetoEvent::kAbsentNumber;

bool present(std::int64_t number) { return number != kAbsentNumber; }
std::int64_t or_else(std::int64_t number, std::int64_t otherwise) { return present(number) ? number : otherwise; }

/// The driver's numbers for none.
bool is_none(std::int64_t id) { return !present(id) || id == -1 || id == 4294967295; }

Operation copy_direction(std::string_view name) {
  const auto has = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("HtoD") || has("HtoA")) return Operation::kCopyH2d;
  if (has("DtoH") || has("AtoH")) return Operation::kCopyD2h;
  if (has("HtoH")) return Operation::kHost;  // it takes neither link nor core
  if (has("PtoP")) return Operation::kCopyP2p;
  return Operation::kKernel;  // within the device: it takes the device's memory and no link
}

}  // namespace

void KinetoEvent::clear() {
  phase.clear();
  category.clear();
  name.clear();
  process.clear();
  thread.clear();
  sync_kind.clear();
  op.clear();
  for (std::int64_t* number : {&ts, &dur, &device, &stream, &call_stream, &correlation, &bytes, &registers, &shared_memory, &node, &channel,
                               &record, &wait_on_record, &wait_on_stream, &graph_exec, &source, &target, &address})
    *number = kAbsentNumber;
  undisturbed.clear();
  pointers.clear();
  tensors.clear();
  grid = block = 1;
  capturing = parameters_unknown = rows_apart = cooperative = false;
}

std::string KinetoCollector::take(const KinetoEvent& event) {
  const std::string& category = event.category;
  const bool ranges = category == "user_annotation" || category == "cpu_op" || category == "Operator";
  const bool op = category == "kernel" || category == "Kernel" || category == "gpu_memcpy" || category == "Memcpy" ||
                  category == "gpu_memset" || category == "Memset";
  const bool call = category == "cuda_runtime" || category == "cuda_driver" || category == "Runtime";
  const bool looked_at = ranges || op || call || category == "cuda_sync";
  if (event.phase != "X") {
    if (looked_at) ++incomplete_[event.phase];
    return {};
  }
  if (!looked_at) {
    ++others_[category];
    return {};
  }
  if (!present(event.ts)) return "has no ts";
  if (!present(event.dur)) return "has no dur";
  if (event.dur < 0) return "lasts " + std::to_string(event.dur) + " ns";
  if (op) {
    const char kind = category.back();  // kerne-l, gpu_memcp-y, gpu_memse-t
    return take_op(event, kind == 'l' ? Operation::kKernel : kind == 't' ? Operation::kMemset : copy_direction(event.name));
  }
  if (call) return take_call(event);
  if (ranges) {
    take_range(event, category == "user_annotation");
    return {};
  }
  syncs_.push_back({or_else(event.correlation, -1), or_else(event.stream, -1), or_else(event.wait_on_record, -1),
                    or_else(event.wait_on_stream, -1), event.sync_kind.find("Event") != std::string::npos});
  return {};
}

std::string KinetoCollector::take_op(const KinetoEvent& event, Operation operation) {
  if (!present(event.stream)) return "has no args.stream";
  if (present(event.device) && (event.device < INT32_MIN || event.device > INT32_MAX)) return "has an args.device that is none";
  if (present(event.channel) && (event.channel < -1 || event.channel > UINT32_MAX))
    return "has args.channel " + std::to_string(event.channel) +
           "; it must be a whole number from 0 of 32 bits, or -1 where it is not known";
  TraceOp op;
  op.start = event.ts;
  op.end = event.ts + event.dur;
  op.correlation = or_else(event.correlation, -1);
  op.bytes = std::max<std::int64_t>(0, or_else(event.bytes, 0));
  op.node = or_else(event.node, -1);
  op.queue = or_else(event.channel, -1);
  op.stream = stream_number(event.stream);
  op.device = static_cast<std::int32_t>(or_else(event.device, 0));
  op.name = trace_.texts.number(event.name);
  op.operation = operation;
  op.pageable = touches_host_memory(operation) && event.name.find("Pageable") != std::string::npos;
  op.shape = shape(event);
  trace_.ops.push_back(op);
  return {};
}

std::string KinetoCollector::take_call(const KinetoEvent& event) {
  TraceCall call;
  call.begin = event.ts;
  call.end = event.ts + event.dur;
  call.correlation = or_else(event.correlation, -1);
  call.thread = thread(event);
  call.name = trace_.texts.number(event.name);
  call.kind = call_kind(event.name);
  if (present(event.call_stream)) call.stream = stream_number(event.call_stream);
  if (present(event.record)) {
    call.record = event.record;
    call.never_recorded = event.record == -1;
  }
  call.graph = or_else(event.graph_exec, -1);
  call.capturing = event.capturing;
  call.cooperative = event.cooperative || is_cooperative_launch(event.name);
  if (event.undisturbed.size() == 2) {
    call.own_undisturbed = event.undisturbed[0];
    call.call_undisturbed = event.undisturbed[1];
  }
  trace_.calls.push_back(call);
  if (!event.op.empty() && !event.capturing) take_memory(event);
  ++processes_[event.process];
  return {};
}

void KinetoCollector::take_memory(const KinetoEvent& event) {
  const auto at = [](std::int64_t address) { return present(address) && address > 0 ? static_cast<std::uint64_t>(address) : 0; };
  if (event.op == "kernel" || event.op == "memcpy" || event.op == "memset") {
    trace_.uses[or_else(event.correlation, -1)] = {.tensors = event.tensors,
                                                   .pointers = event.pointers,
                                                   .source = at(event.source),
                                                   .target = at(event.target),
                                                   .bytes = at(event.bytes),
                                                   .rows_apart = event.rows_apart,
                                                   .unknown = event.parameters_unknown};
    return;
  }
  const bool free = event.op.starts_with("free") || event.op == "mem_unmap" || event.op == "host_unregister";
  const bool allocates = event.op.starts_with("malloc") || event.op == "mem_map" || event.op == "host_register";
  if ((!free && !allocates) || at(event.address) == 0) return;
  TraceAllocation one{.time = event.ts, .address = at(event.address), .bytes = at(event.bytes), .stream = kNoStream, .free = free};
  if (event.op.ends_with("_async") && present(event.call_stream)) one.stream = stream_number(event.call_stream);
  one.host = event.op == "malloc_host" || event.op == "malloc_managed" || event.op == "host_register";
  trace_.allocations.push_back(one);
}

void KinetoCollector::take_range(const KinetoEvent& event, bool of_program) {
  if (of_program) add_annotation(trace_, event.name, event.dur);
  if (!of_program && !is_wanted_range(event.name, options_)) return;
  trace_.ranges.push_back({event.ts, event.ts + event.dur, thread(event), trace_.texts.number(event.name), of_program});
}

/// As given, or where it is no number of 32 bits (a handle), one of its own from the top down.
std::int32_t KinetoCollector::stream_number(std::int64_t stream) {
  if (stream >= INT32_MIN && stream <= INT32_MAX) return static_cast<std::int32_t>(stream);
  return handles_.emplace(stream, INT32_MAX - static_cast<std::int32_t>(handles_.size())).first->second;
}

std::uint32_t KinetoCollector::thread(const KinetoEvent& event) {
  const auto [found, is_new] = threads_.emplace(event.process + '/' + event.thread, static_cast<std::uint32_t>(trace_.threads.size()));
  if (is_new) trace_.threads.push_back(event.thread);
  return found->second;
}

std::uint32_t KinetoCollector::shape(const KinetoEvent& event) {
  const TraceShape shape{std::max<std::int64_t>(1, event.grid),
                         static_cast<std::int32_t>(std::clamp<std::int64_t>(event.block, 0, 1 << 20)),
                         static_cast<std::int32_t>(std::clamp<std::int64_t>(or_else(event.registers, 0), 0, 1 << 16)),
                         std::max<std::int64_t>(0, or_else(event.shared_memory, 0))};
  const std::uint64_t key = static_cast<std::uint64_t>(shape.blocks) * 1'000'003 + static_cast<std::uint64_t>(shape.threads) * 8191 +
                            static_cast<std::uint64_t>(shape.registers) * 257 + static_cast<std::uint64_t>(shape.shared_memory);
  std::vector<std::uint32_t>& alike = shapes_[key];
  for (const std::uint32_t number : alike) {
    if (trace_.shapes[number] == shape) return number;
  }
  alike.push_back(static_cast<std::uint32_t>(trace_.shapes.size()));
  trace_.shapes.push_back(shape);
  return alike.back();
}

void KinetoCollector::finish(bool capture) {
  trace_.processes = static_cast<std::int64_t>(processes_.size());
  trace_.names_streams = capture;
  std::unordered_map<std::int64_t, std::uint32_t> by_correlation;
  for (std::uint32_t i = 0; i < trace_.calls.size(); ++i) {
    if (trace_.calls[i].kind != TraceCallKind::kOther) by_correlation.emplace(trace_.calls[i].correlation, i);
  }
  for (const Sync& sync : syncs_) {
    const auto found = by_correlation.find(sync.correlation);
    if (found == by_correlation.end()) continue;
    TraceCall& call = trace_.calls[found->second];
    if (!is_none(sync.stream) && call.stream == kNoStream) call.stream = stream_number(sync.stream);
    if (!sync.of_event || is_none(sync.record) || call.record >= 0) continue;
    call.record = sync.record;
    const auto source = by_correlation.find(sync.record);
    if (source != by_correlation.end() && !is_none(sync.record_stream))
      trace_.calls[source->second].stream = stream_number(sync.record_stream);
  }
  for (const auto& [phase, count] : std::map(incomplete_.begin(), incomplete_.end()))
    trace_.remarks.push_back(std::to_string(count) + " events of phase '" + phase +
                             "' left out: only complete ones, of phase 'X', say how long something took");
  const std::map<std::string, std::int64_t> sorted(others_.begin(), others_.end());
  std::string seen;
  for (const auto& [category, count] : sorted) seen += (seen.empty() ? "" : ", ") + std::to_string(count) + " of '" + category + "'";
  const auto has = [&sorted](std::string_view part) {
    return std::ranges::any_of(sorted, [part](const auto& entry) { return entry.first.find(part) != std::string::npos; });
  };
  trace_.no_ops_hint = "it has no kernel, copy or memset (events of category kernel, gpu_memcpy or gpu_memset)" +
                       (seen.empty() ? std::string() : "; others: " + seen);
  if (has("mtia") || has("xpu") || has("hpu") || has("privateuse")) {
    trace_.no_ops_hint +=
        ". Its device is no GPU that is known here: what other accelerators write under categories of their own is not read";
    return;
  }
  if (has("cuda_profiler_range")) {
    trace_.no_ops_hint += ". Ranges of CUPTI's profiler hold counters in place of kernels' times: profile without profiler_metrics";
    return;
  }
  constexpr std::array<std::string_view, 9> kOfPytorch{"cpu_op", "python", "annotation", "cuda",  "Trace",
                                                       "ac2g",   "async",  "overhead",   "fwdbwd"};
  if (!sorted.empty() && std::ranges::none_of(kOfPytorch, has)) {
    trace_.no_ops_hint +=
        ". None of these is a category of PyTorch's profiler: it seems to be a trace of another program, in which nothing tells what ran "
        "on "
        "a GPU";
    return;
  }
  trace_.no_ops_hint +=
      ". Usual causes: the profiler was not asked for the GPU (activities=[…, ProfilerActivity.CUDA]); another profiler "
      "or CUPTI client had "
      "the GPU; counters are not permitted (NVreg_RestrictProfilingToAdminUsers); the trace ended before the GPU had, "
      "without a synchronisation";
}

}  // namespace tasktwin::scenarios
