#include "gpu/capture/recorder.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/capture/driver.hpp"

namespace tasktwin::gpu::capture {

namespace {

constexpr std::uint64_t kDefaultLimit = std::uint64_t{16} << 30;

pthread_key_t thread_key;
__attribute__((tls_model("initial-exec"))) thread_local ThreadState* current_thread = nullptr;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

std::string spool_path(const std::string& folder) { return folder + "/" + std::to_string(::getpid()) + ".spool"; }

std::uint64_t limit_bytes() {
  const std::string given = variable(kLimitVariable);
  return given.empty() ? kDefaultLimit : std::strtoull(given.c_str(), nullptr, 10);
}

std::string thread_name() {
  std::array<char, 16> name{};
  ::pthread_getname_np(::pthread_self(), name.data(), name.size());
  return name.data();
}

/// Held while the library calls the driver, whose callbacks are then not the program's.
struct Busy {
  explicit Busy(ThreadState& state) : thread(state), before(state.busy) { state.busy = true; }
  ~Busy() { thread.busy = before; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ThreadState& thread;
  bool before;
};

std::int32_t result_of(const CUpti_CallbackData& data) {
  return data.functionReturnValue ? *static_cast<const std::int32_t*>(data.functionReturnValue) : 0;
}

/// Work that a range excludes where it lies outside; what defines graphs, events and memory, and what
/// waits, counts throughout.
bool only_in_range(const CallRecord& call) {
  switch (call.op) {
    case Op::kKernel:
    case Op::kMemcpy:
    case Op::kMemset:
    case Op::kHostFunction:
      return call.node == 0;
    case Op::kEventQuery:
    case Op::kStreamQuery:
    case Op::kGraphLaunch:
    case Op::kGraphUpload:
    case Op::kStreamWaitValue:
    case Op::kStreamWriteValue:
      return true;
    default:
      return false;
  }
}

Recorder* make() {
  const std::string folder = variable(kFolderVariable);
  if (folder.empty()) return nullptr;
  try {
    ::pthread_key_create(&thread_key, [](void* state) {
      current_thread = nullptr;
      delete static_cast<ThreadState*>(state);
    });
    auto* const recorder = new Recorder(folder);
    ::pthread_atfork(nullptr, nullptr, [] {
      current_thread = nullptr;
      Recorder::get()->child_forked();
    });
    return recorder;
  } catch (const std::system_error& error) {
    std::fprintf(stderr, "tasktwin capture: nothing is recorded: %s\n", error.what());
    return nullptr;
  }
}

}  // namespace

ThreadState::ThreadState(SpoolWriter& spool) : log(spool, static_cast<std::uint32_t>(::syscall(SYS_gettid)), thread_name()) {}

Recorder* Recorder::get() {
  static Recorder* const recorder = make();
  return recorder;
}

RangeSink* RangeSink::of_process() { return Recorder::get(); }

Recorder::Recorder(const std::string& folder)
    : spool_(spool_path(folder), limit_bytes()), device_records_(variable(kPassVariable) != "host"), range_(variable(kRangeVariable)) {}

ThreadState* Recorder::thread() {
  if (current_thread) return current_thread;
  if (forked_.load(std::memory_order_relaxed)) return nullptr;
  current_thread = new ThreadState(spool_);
  ::pthread_setspecific(thread_key, current_thread);
  return current_thread;
}

bool Recorder::check(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return true;
  SpoolHead& head = spool_.head();
  if (head.cupti_errors.fetch_add(1) == 0) {
    const char* text = nullptr;
    cuptiGetResultString(result, &text);
    std::snprintf(head.first_error.data(), head.first_error.size(), "%s: %s", call, text ? text : "unknown error");
  }
  return false;
}

void Recorder::enter(const RecordedCall& call, ThreadState& thread) {
  if (thread.depth++ == 0) {
    thread.call = {};
    thread.call.op = call.op;
    thread.call.begin_ns = now_ns();  // last: the library's own work is outside the call
  } else if (call.read && ((thread.call.flags & kHasArguments) != 0 || call.op != thread.call.op)) {
    thread.inner_begin_ns = now_ns();
  }
}

void Recorder::leave(const RecordedCall& call, const CUpti_CallbackData& data, std::uint32_t cbid, bool driver, ThreadState& thread) {
  if (thread.depth == 0) return;  // it began before the library was there
  if (--thread.depth > 0) {
    const bool second = (thread.call.flags & kHasArguments) != 0 || call.op != thread.call.op;
    if (!call.read) return;
    if (second) return leave_inner(call, data, cbid, thread);
    return read_details(call, data, thread);
  }
  CallRecord& record = thread.call;
  record.end_ns = now_ns();  // first: the library's own work is outside the call
  if (call.read) read_details(call, data, thread);
  record.cbid = static_cast<std::uint16_t>(cbid);
  record.correlation = data.correlationId;
  record.result = result_of(data);
  if (driver) record.flags |= kDriverCall;
  write_call(record, thread);
}

/// A second thing that one call does: a record of its own.
void Recorder::leave_inner(const RecordedCall& call, const CUpti_CallbackData& data, std::uint32_t cbid, ThreadState& thread) {
  CallRecord inner{};
  inner.op = call.op;
  inner.flags = kInside | kDriverCall;
  inner.begin_ns = thread.inner_begin_ns;
  inner.end_ns = now_ns();
  inner.cbid = static_cast<std::uint16_t>(cbid);
  inner.correlation = data.correlationId;
  inner.result = result_of(data);
  const KernelArguments kernel = thread.kernel;
  const OtherArguments other = thread.other;
  std::swap(inner, thread.call);
  read_details(call, data, thread);
  std::swap(inner, thread.call);
  // The outer call's pointers, if it has any, are overwritten: it is a copy or a graph's definition then, never a launch.
  write_call(inner, thread);
  thread.kernel = kernel;
  thread.other = other;
}

void Recorder::write_call(CallRecord record, ThreadState& thread) {
  if (!range_.lets_call(record.correlation)) {
    if (only_in_range(record)) return;
    record.flags |= kOutsideRange;
  }
  const bool arguments = (record.flags & kHasArguments) != 0;
  const std::size_t pointers = record.has_kernel != 0 ? thread.kernel.pointer_count * sizeof(PointerArgument) : 0;
  const std::size_t behind = !arguments ? 0 : record.has_kernel != 0 ? sizeof(KernelArguments) + pointers : sizeof(OtherArguments);
  const std::size_t bytes = sizeof(CallRecord) + behind;
  std::byte* const place = thread.log.begin(bytes);
  if (!place) {
    ++spool_.head().calls_dropped;
    return;
  }
  record.head = {CallRecord::kKind, static_cast<std::uint16_t>(bytes / 8)};
  std::memcpy(place, &record, sizeof record);
  if (record.has_kernel != 0) {
    std::memcpy(place + sizeof record, &thread.kernel, sizeof(KernelArguments));
    std::memcpy(place + sizeof record + sizeof(KernelArguments), thread.pointers.data(), pointers);
  } else if (arguments) {
    std::memcpy(place + sizeof record, &thread.other, sizeof(OtherArguments));
  }
  thread.log.commit(bytes);
}

void Recorder::read_details(const RecordedCall& call, const CUpti_CallbackData& data, ThreadState& thread) {
  const std::int32_t result = result_of(data);
  constexpr std::int32_t kNotReady = CUDA_ERROR_NOT_READY;
  CallDetails details;
  details.op = call.op;
  // Where the call failed what it was to return is not there.
  if (data.functionParams && (result == 0 || result == kNotReady)) call.read(data.functionParams, details);
  if (!details.has_stream && (call.op == Op::kMemcpy || call.op == Op::kMemset)) details.on(nullptr);
  take_details(details, call, data, thread.call, thread);
  note_memory(details, result);
}

void Recorder::take_details(CallDetails& details, const RecordedCall& call, const CUpti_CallbackData& data, CallRecord& record,
                            ThreadState& thread) {
  record.op = details.op;
  record.flags |= static_cast<std::uint16_t>(details.flags | kHasArguments);
  if (data.context) find_context(data.context, thread);
  record.context = thread.context_id;
  record.device = thread.device;
  if (details.has_stream) {
    record.flags |= kHasStream;
    record.stream = stream_id(details, call.per_thread, thread);
  }
  if (details.graph) cuptiGetGraphId(details.graph, &record.graph);
  if (details.exec) {
    std::uint32_t exec = 0;
    cuptiGetGraphExecId(details.exec, &exec);
    details.other.object = exec;
  }
  thread.other = details.other;
  if (!details.function) return;
  const Function& function = function_of(details.function, data.symbolName, thread);
  record.has_kernel = 1;
  thread.kernel = details.kernel;
  thread.kernel.function = function.id;
  if (!collect_pointers(details, function, {lowest_address_, highest_address_}, thread.kernel, thread.pointers))
    record.flags |= kParametersUnknown;
}

void Recorder::find_context(CUcontext context, ThreadState& thread) {
  if (context == thread.context) return;
  const Busy busy(thread);
  thread.context = context;
  check(cuptiGetContextId(context, &thread.context_id), "cuptiGetContextId");
  check(cuptiGetDeviceId(context, &thread.device), "cuptiGetDeviceId");
}

std::uint32_t Recorder::stream_id(const CallDetails& details, bool per_thread, ThreadState& thread) {
  CUstream stream = details.stream;
  if (stream == CU_STREAM_LEGACY) {
    stream = nullptr;
    per_thread = false;
  } else if (stream == CU_STREAM_PER_THREAD) {
    stream = nullptr;
    per_thread = true;
  }
  per_thread = per_thread && !stream;
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  auto& known = thread.streams[(reinterpret_cast<std::uintptr_t>(stream) >> 4) % thread.streams.size()];
  if (known.stream == stream && known.context == thread.context && known.per_thread == per_thread && known.generation == generation)
    return known.id;
  const Busy busy(thread);
  std::uint32_t id = 0;
  if (check(cuptiGetStreamIdEx(thread.context, stream, per_thread ? 1 : 0, &id), "cuptiGetStreamIdEx"))
    write_stream(stream, per_thread, id, thread);
  known = {thread.context, stream, per_thread, generation, id};
  return id;
}

void Recorder::write_stream(CUstream stream, bool per_thread, std::uint32_t id, ThreadState& thread) {
  {
    const std::lock_guard lock(mutex_);
    const std::uint64_t key = (std::uint64_t{thread.context_id} << 32) | id;
    if (!streams_written_.insert(key).second) return;
  }
  StreamRecord record{.head = {},
                      .stream = id,
                      .context = thread.context_id,
                      .device = thread.device,
                      .priority = 0,
                      .kind = per_thread ? StreamKind::kPerThread : StreamKind::kLegacy};
  if (stream) {
    unsigned int flags = 0;
    const Driver& driver = Driver::get();
    if (driver.stream_get_flags) driver.stream_get_flags(stream, &flags);
    if (driver.stream_get_priority) driver.stream_get_priority(stream, &record.priority);
    record.kind = (flags & CU_STREAM_NON_BLOCKING) != 0 ? StreamKind::kNonBlocking : StreamKind::kBlocking;
  }
  thread.log.write(record);
}

const Function& Recorder::function_of(CUfunction handle, const char* name, ThreadState& thread) {
  auto& known = thread.functions[(reinterpret_cast<std::uintptr_t>(handle) >> 4) % thread.functions.size()];
  if (known.handle == handle && known.name == name) return *known.function;
  const Busy busy(thread);
  known = {handle, name, &functions_.find(handle, name, thread.log)};
  return *known.function;
}

void Recorder::note_memory(const CallDetails& details, std::int32_t result) {
  switch (details.op) {
    case Op::kMalloc:
    case Op::kMallocAsync:
    case Op::kMallocHost:
    case Op::kMallocManaged:
    case Op::kHostRegister:
    case Op::kMemMap:
      break;
    default:
      return;
  }
  if (result != 0) return;
  const std::uint64_t begin = details.other.address;
  const std::uint64_t end = begin + details.other.bytes;
  for (std::uint64_t low = lowest_address_; begin < low && !lowest_address_.compare_exchange_weak(low, begin);) {
  }
  for (std::uint64_t high = highest_address_; end > high && !highest_address_.compare_exchange_weak(high, end);) {
  }
}

void Recorder::note_device(CUcontext context, ThreadState& thread) {
  find_context(context, thread);
  {
    const std::lock_guard lock(mutex_);
    if (std::ranges::find(devices_written_, thread.device) != devices_written_.end()) return;
    devices_written_.push_back(thread.device);
  }
  const Busy busy(thread);
  thread.log.write(describe_device(static_cast<CUdevice>(thread.device)));
}

int Recorder::begin_range(std::string_view name, std::uint64_t id, std::uint64_t domain) {
  ThreadState* const state = thread();
  if (!state) return 0;
  const bool wanted = range_.is_named(name);
  const std::string_view shown = cut(name);
  const auto bytes = static_cast<std::uint32_t>(shown.size());
  state->log.write(RangeBeginRecord{.head = {}, .time_ns = now_ns(), .id = id, .domain = domain, .name_bytes = bytes}, shown);
  if (wanted) {
    spool_.head().range_entered = 1;
    if (id == 0) {
      range_.open();
    } else {
      range_.open(id);
    }
  }
  if (id == 0) {
    state->ranges.push_back({domain, wanted});
    return static_cast<int>(std::ranges::count(state->ranges, domain, &ThreadState::Pushed::domain)) - 1;
  }
  return 0;
}

int Recorder::end_range(std::uint64_t id, std::uint64_t domain) {
  ThreadState* const state = thread();
  if (!state) return 0;
  state->log.write(RangeEndRecord{.head = {}, .time_ns = now_ns(), .id = id, .domain = domain});
  if (id != 0) {
    range_.close(id);
    return 0;
  }
  const auto last = std::ranges::find(state->ranges.rbegin(), state->ranges.rend(), domain, &ThreadState::Pushed::domain);
  if (last == state->ranges.rend()) return -1;
  if (last->wanted) range_.close();
  state->ranges.erase(std::next(last).base());
  return static_cast<int>(std::ranges::count(state->ranges, domain, &ThreadState::Pushed::domain));
}

}  // namespace tasktwin::gpu::capture
