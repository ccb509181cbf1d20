#include "gpu/rerun/rerun.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "gpu/rerun/tape/driver_functions.hpp"

namespace tasktwin::gpu::rerun {

namespace {

/// Of the calling thread: the library itself is calling the driver, whose callbacks are not the program's then.
thread_local bool busy = false;
/// How many calls that wait for the device are within each other.
thread_local int synchronizing = 0;
struct Pushed {
  std::uint64_t domain;
  bool wanted;
};
thread_local std::vector<Pushed> pushed;

/// Held while the library calls the driver: also where a stream is captured in this or another thread, which the driver would else refuse.
class Busy {
 public:
  Busy() : before_(busy) {
    busy = true;
    cuThreadExchangeStreamCaptureMode(&mode_);
  }
  ~Busy() {
    cuThreadExchangeStreamCaptureMode(&mode_);
    busy = before_;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  bool before_;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// Throws std::invalid_argument where the file holds none.
std::optional<Plan> plan_in(const std::string& file) {
  if (file.empty()) return std::nullopt;
  std::ifstream stream(file);
  return parse_plan(std::string(std::istreambuf_iterator<char>(stream), {}));
}

/// Iterations that are reported one by one.
constexpr std::uint64_t kMaxTold = 50;

std::uint64_t thread_id() { return static_cast<std::uint64_t>(::syscall(SYS_gettid)); }

void CUPTIAPI callback(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (!busy) static_cast<Rerun*>(user)->on_callback(domain, id, *static_cast<const CUpti_CallbackData*>(data));
}

}  // namespace

Rerun* Rerun::get() {
  static Rerun* const rerun = [] {
    const std::string folder = variable(kFolderVariable);
    return folder.empty() ? nullptr : new Rerun(folder);
  }();
  return rerun;
}

Rerun::Rerun(const std::string& folder) : report_(folder), range_(variable(kRangeVariable)) {
  instance_ = std::strtoull(variable(kInstanceVariable).c_str(), nullptr, 10);
  settings_.repeats = std::strtoull(variable(kRepeatsVariable).c_str(), nullptr, 10);
  settings_.check = variable(kCheckVariable) != "0";
  settings_.checks = std::strtoull(variable(kChecksVariable).c_str(), nullptr, 10);
  settings_.times = variable(kTimesVariable) == "1";
  settings_.effects = variable(kEffectsVariable) == "1";
  try {
    settings_.schedules = parse_schedules(variable(kSchedulesVariable));
    settings_.needed = plan_in(variable(kNeededVariable));
    std::istringstream files(variable(kPlansVariable));
    for (std::string file; std::getline(files, file);) settings_.plans.push_back(plan_in(file).value());
  } catch (const std::invalid_argument& error) {
    wrong_settings_ = error.what();
  }
}

bool Rerun::check(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) return true;
  const char* text = nullptr;
  cuptiGetResultString(result, &text);
  report_.line("cupti_error", quoted(std::string(call) + ": " + (text ? text : "unknown error")));
  return false;
}

void Rerun::start() {
  const std::lock_guard lock(mutex_);
  if (cuda_started_) return;
  cuda_started_ = true;
  report_.line("cuda", Fields().count("process", static_cast<std::uint64_t>(::getpid())).done());
  if (wrong_settings_.empty()) return subscribe();
  report_.line("refused", quoted(wrong_settings_));
  done_ = true;
}

void Rerun::subscribe() {
  if (!check(cuptiSubscribe(&subscriber_, callback, this), "cuptiSubscribe")) {
    done_ = true;
    return;
  }
  calls_.resize(CUPTI_DRIVER_TRACE_CBID_SIZE);
  for (std::uint32_t id = 1; id < CUPTI_DRIVER_TRACE_CBID_SIZE; ++id) {
    const char* name = nullptr;
    if (cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, id, &name) == CUPTI_SUCCESS && name) calls_[id] = find_call(name);
    if (calls_[id].always) check(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id), "cuptiEnableCallback");
  }
  synchronizing_.resize(CUPTI_RUNTIME_TRACE_CBID_SIZE, false);
  for (const auto id : {CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaThreadSynchronize_v3020})
    synchronizing_[static_cast<std::size_t>(id)] = true;
  if (by_range()) {
    if (open_ranges_ > 0) listen(true);
    return;
  }
  listen(true);
  recording_.begin();
}

void Rerun::listen(bool on) {
  const std::uint32_t enable = on ? 1 : 0;
  for (std::uint32_t id = 1; id < calls_.size(); ++id) {
    if (calls_[id].take && !calls_[id].always)
      check(cuptiEnableCallback(enable, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id), "cuptiEnableCallback");
  }
  for (std::uint32_t id = 1; id < synchronizing_.size(); ++id) {
    if (synchronizing_[id]) check(cuptiEnableCallback(enable, subscriber_, CUPTI_CB_DOMAIN_RUNTIME_API, id), "cuptiEnableCallback");
  }
}

void Rerun::detach() {
  if (!subscriber_) return;
  cuptiUnsubscribe(std::exchange(subscriber_, nullptr));
  if (const char* how = std::getenv("TASKTWIN_RERUN_DETACH"); !how || *how != '1') cuptiFinalize();
}

void Rerun::attach_to_captures() {
  if (!check(cuptiSubscribe(&subscriber_, callback, this), "cuptiSubscribe")) return;
  for (std::uint32_t id = 1; id < calls_.size(); ++id) {
    if (calls_[id].always && calls_[id].captures)
      check(cuptiEnableCallback(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API, id), "cuptiEnableCallback");
  }
}

/// What the program itself takes for later iterations, undisturbed but for waits for the device before and after.
void Rerun::time_own(bool begins) {
  const std::lock_guard lock(mutex_);
  if (!context_ || own_times_ >= settings_.repeats || recording_.is_capturing()) return;
  const Busy own;
  cuCtxPushCurrent(context_);
  const CUresult result = cuCtxSynchronize();
  cuCtxPopCurrent(nullptr);
  const std::uint64_t now = now_ns();
  if (begins) {
    own_begin_ns_ = result == CUDA_SUCCESS ? now : 0;
  } else if (result == CUDA_SUCCESS && own_begin_ns_ > 0) {
    ++own_times_;
    report_.line("own", Fields().number("us", static_cast<double>(now - own_begin_ns_) / 1e3).done());
  }
}

void Rerun::finish() {
  const std::lock_guard lock(mutex_);
  report_.line("ended", Fields()
                            .count("iterations", iterations_)
                            .flag("open", by_range() ? open_ranges_ > 0 : recording_.is_open())
                            .flag("rerun", done_)
                            .done());
}

void Rerun::on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const CUpti_CallbackData& data) {
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  const bool failed = !enters && data.functionReturnValue && *static_cast<const std::int32_t*>(data.functionReturnValue) != 0;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    if (done_ || id >= synchronizing_.size() || !synchronizing_[id]) return;
    if (enters) {
      ++synchronizing;
    } else if (--synchronizing == 0 && !failed) {
      device_synchronized();
    }
    return;
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API || id >= calls_.size() || !calls_[id].take) return;
  if (done_ && !calls_[id].captures) return;
  if (calls_[id].sync_all) {
    synchronizing += enters ? 1 : -1;
    if (!enters && synchronizing == 0 && !failed) device_synchronized();
    return;
  }
  if (!enters && (!failed || calls_[id].captures) && data.functionParams) take(calls_[id], data, failed);
}

void Rerun::take(const KnownCall& known, const CUpti_CallbackData& data, bool failed) {
  const std::lock_guard lock(mutex_);
  const Busy own;
  known.take(recording_, {data.functionParams, data.symbolName, data.context, known.per_thread, thread_id(), failed});
}

void Rerun::device_synchronized() {
  Tape tape;
  {
    const std::lock_guard lock(mutex_);
    const Busy own;
    if (!recording_.is_open()) return;
    if (by_range()) return recording_.sync_all();
    tape = recording_.end();
    if (tape.operations.empty()) return recording_.begin();
  }
  over(std::move(tape));
  const std::lock_guard lock(mutex_);
  if (!done_) recording_.begin();
}

void Rerun::open() {
  if (done_) return time_own(true);
  {
    const std::lock_guard lock(mutex_);
    if (open_ranges_++ > 0) return;
    if (subscriber_) listen(true);
    recording_.begin();
  }
  keep_freed(true);
}

void Rerun::close() {
  if (done_) return time_own(false);
  Tape tape;
  {
    const std::lock_guard lock(mutex_);
    if (open_ranges_ == 0 || --open_ranges_ > 0 || done_ || !recording_.is_open()) return;
    tape = recording_.end();
    if (subscriber_) listen(false);
  }
  over(std::move(tape));
  keep_freed(false);
}

void Rerun::keep_freed(bool on) {
  const auto keep = reinterpret_cast<std::size_t (*)(int)>(::dlsym(RTLD_DEFAULT, "tasktwin_keep_freed"));
  if (const std::size_t freed = keep ? keep(on ? 1 : 0) : 0; freed > 0 && done_)
    report_.line("kept", Fields().count("frees", freed).done());
}

void Rerun::over(Tape tape) {
  const Busy own;
  if (!tape.operations.empty()) {
    cuCtxPushCurrent(tape.context);
    cuCtxSynchronize();
    tape.end_ns = now_ns();
  }
  if (is_asked_for(tape)) {
    done_ = true;
    detach();
    context_ = tape.context;
    if (tape.operations.empty()) {
      report_.line("refused", quoted("it gives the device nothing to do"));
    } else {
      run_again(tape, recording_.memory(), settings_, report_);
    }
    before_.reset();
    if (by_range()) attach_to_captures();
  }
  if (!tape.operations.empty()) {
    cuCtxPopCurrent(nullptr);
    if (!done_) before_ = std::move(tape);
  }
}

bool Rerun::is_asked_for(const Tape& tape) {
  ++iterations_;
  int difference = -1;
  Fields fields;
  fields.count("number", iterations_)
      .count("operations", tape.operations.size())
      .number("us", static_cast<double>(tape.end_ns - tape.begin_ns) / 1e3);
  if (before_ && !tape.operations.empty()) {
    difference = first_difference(*before_, tape);
    if (difference >= 0)
      fields.integer("differs_at", difference).text("before", describe(*before_, difference)).text("now", describe(tape, difference));
  }
  if (iterations_ <= kMaxTold || difference < 0) report_.line("iteration", fields.done());
  if (instance_ > 0) return iterations_ == instance_;
  return before_ && !tape.operations.empty() && difference < 0;
}

int Rerun::begin_range(std::string_view name, std::uint64_t id, std::uint64_t domain) {
  const bool wanted = by_range() && name == range_;
  if (by_range() && !done_) report_.range_seen(name);
  if (wanted) {
    if (id != 0) {
      const std::lock_guard lock(mutex_);
      started_.push_back(id);
    }
    open();
  }
  if (id != 0) return 0;
  pushed.push_back({domain, wanted});
  return static_cast<int>(std::ranges::count(pushed, domain, &Pushed::domain)) - 1;
}

int Rerun::end_range(std::uint64_t id, std::uint64_t domain) {
  if (id != 0) {
    bool ours = false;
    {
      const std::lock_guard lock(mutex_);
      ours = std::erase(started_, id) > 0;
    }
    if (ours) close();
    return 0;
  }
  const auto last = std::ranges::find(pushed.rbegin(), pushed.rend(), domain, &Pushed::domain);
  if (last == pushed.rend()) return -1;
  const bool wanted = last->wanted;
  pushed.erase(std::next(last).base());
  if (wanted) close();
  return static_cast<int>(std::ranges::count(pushed, domain, &Pushed::domain));
}

}  // namespace tasktwin::gpu::rerun

namespace tasktwin::gpu::capture {

RangeSink* RangeSink::of_process() { return rerun::Rerun::get(); }

}  // namespace tasktwin::gpu::capture

/// CUDA calls this, once, in the library that CUDA_INJECTION64_PATH names, while cuInit is in flight. Returns whether it is to continue.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {  // NOLINT(readability-identifier-naming)
  using tasktwin::gpu::rerun::Rerun;
  if (Rerun* const rerun = Rerun::get()) {
    rerun->start();
    std::atexit([] { Rerun::get()->finish(); });
  }
  return 1;
}
