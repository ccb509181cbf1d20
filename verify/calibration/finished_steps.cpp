#include "verify/calibration/finished_steps.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/files/text_hash.hpp"

namespace tasktwin::verify {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "tasktwin: finished steps of a calibration\n";
constexpr std::size_t kMostBytes = std::size_t{4} << 30;

template <class T>
constexpr bool kIsVector = false;
template <class T>
constexpr bool kIsVector<std::vector<T>> = true;

/// All members of what is no plain bytes. A member more does not compile here before it is named.
template <class Visit>
void with_members(auto& value, const Visit& visit) {
  using T = std::remove_cvref_t<decltype(value)>;
  if constexpr (std::is_same_v<T, Timeline>) {
    auto& [tasks, cores, compute_cores, on_streams, runs, workers_per_core, devices, compute_devices, transfers, dispatchers, roles, steps,
           blocks, queue, host_steps, memory, seen, stopped] = value;
    visit(tasks, cores, compute_cores, on_streams, runs, workers_per_core, devices, compute_devices, transfers, dispatchers, roles, steps,
          blocks, queue, host_steps, memory, seen, stopped);
  } else if constexpr (std::is_same_v<T, gpu::Measurement>) {
    auto& [timeline, stamped, makespans, host_call, violations, residual, limit, rounds] = value;
    visit(timeline, stamped, makespans, host_call, violations, residual, limit, rounds);
  } else if constexpr (std::is_same_v<T, gpu::TransferTimes>) {
    auto& [queued, pageable, duplex, call, first_word] = value;
    visit(queued, pageable, duplex, call, first_word);
  } else if constexpr (std::is_same_v<T, gpu::AllocationTimes>) {
    auto& [malloc, malloc_new, free, pool_grow, trims, looks, malloc_async] = value;
    visit(malloc, malloc_new, free, pool_grow, trims, looks, malloc_async);
  } else if constexpr (std::is_same_v<T, gpu::MemoryPortProbe>) {
    auto& [by_placement, rate, groups] = value;
    visit(by_placement, rate, groups);
  } else {
    static_assert(std::is_same_v<T, gpu::MemoryQueueProbe>);
    auto& [by_multiprocessor, rate] = value;
    visit(by_multiprocessor, rate);
  }
}

void put_bytes(std::string& to, const void* from, std::size_t size) { to.append(static_cast<const char*>(from), size); }

template <class T>
void put(std::string& to, const T& value) {
  if constexpr (kIsVector<T> || std::is_same_v<T, std::string>) {
    put(to, value.size());
    for (const auto& one : value) put(to, one);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    put_bytes(to, &value, sizeof value);
  } else {
    with_members(value, [&to](const auto&... each) { (put(to, each), ...); });
  }
}

/// The bytes end too early.
struct Truncated {};

template <class T>
void take(std::string_view& from, T& value) {
  if constexpr (kIsVector<T> || std::is_same_v<T, std::string>) {
    std::size_t size = 0;
    take(from, size);
    if (size > from.size()) throw Truncated();
    value.resize(size);
    for (auto& one : value) take(from, one);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    if (from.size() < sizeof value) throw Truncated();
    std::memcpy(&value, from.data(), sizeof value);
    from.remove_prefix(sizeof value);
  } else {
    with_members(value, [&from](auto&... each) { (take(from, each), ...); });
  }
}

/// A step as written in the file, after its length and hash.
std::string step_to_bytes(const FinishedStep& step) {
  std::string bytes;
  put(bytes, step.name);
  put(bytes, step.why);
  put(bytes, step.took_ns);
  put(bytes, step.results);
  std::string record;
  put(record, bytes.size());
  put(record, scenarios::text_hash(bytes));
  return record + bytes;
}

FinishedStep take_step(std::string_view& from) {
  std::size_t size = 0;
  std::string hash;
  take(from, size);
  take(from, hash);
  if (size > from.size()) throw Truncated();
  std::string_view bytes = from.substr(0, size);
  if (scenarios::text_hash(bytes) != hash) throw Truncated();
  from.remove_prefix(size);
  FinishedStep step;
  take(bytes, step.name);
  take(bytes, step.why);
  take(bytes, step.took_ns);
  take(bytes, step.results);
  return step;
}

}  // namespace

FinishedSteps::FinishedSteps(std::string file, std::string_view settings)
    : file_(std::move(file)), head_(fmt::format("{}{}\n", kMagic, scenarios::text_hash(settings))) {
  std::error_code failure;
  const fs::file_status there = fs::symlink_status(file_, failure);
  if (!fs::exists(there)) return;
  if (fs::is_symlink(there)) throw InputError({file_}, "is a link; what a calibration has measured is kept there: remove it");
  const std::string text = scenarios::read_whole_file(file_, kMostBytes);
  if (!text.starts_with(kMagic)) throw InputError({file_}, "is in the way: what a calibration has measured is kept there; move it");
  if (!text.starts_with(head_)) {
    remove();
    return;
  }
  std::string_view left = std::string_view(text).substr(head_.size());
  const auto whole = [&] { return static_cast<std::uintmax_t>(left.data() - text.data()); };
  std::uintmax_t end = whole();
  try {
    while (!left.empty()) {
      steps_.push_back(take_step(left));
      end = whole();
    }
  } catch (const Truncated&) {
    fs::resize_file(file_, end);
  }
  found_ = steps_.size();
}

template <class Result, class... Arguments>
std::function<Result(Arguments...)> FinishedSteps::kept(std::function<Result(Arguments...)> live) {
  if (!live) return {};
  return [this, live = std::move(live)](Arguments... arguments) {
    Result result;
    if (step_ != Step::kAgain) {
      result = live(arguments...);
      if (step_ == Step::kMeasured) put(results_, result);
      return result;
    }
    try {
      take(left_, result);
    } catch (const Truncated&) {
      throw RunError(fmt::format("{} does not fit this calibration; remove it and begin anew", file_));
    }
    return result;
  };
}

CalibrationBackend FinishedSteps::keeping(CalibrationBackend backend) {
  backend.run = kept(std::move(backend.run));
  backend.graph_calls = kept(std::move(backend.graph_calls));
  backend.host_calls = kept(std::move(backend.host_calls));
  backend.host_contention = kept(std::move(backend.host_contention));
  backend.transfers = kept(std::move(backend.transfers));
  backend.allocations = kept(std::move(backend.allocations));
  backend.memory_words = kept(std::move(backend.memory_words));
  backend.memory_ports = kept(std::move(backend.memory_ports));
  backend.memory_queues = kept(std::move(backend.memory_queues));
  return backend;
}

std::optional<FinishedStep> FinishedSteps::begin(std::string_view name) {
  if (next_ < steps_.size() && steps_[next_].name == name) {
    step_ = Step::kAgain;
    left_ = steps_[next_].results;
    return steps_[next_++];
  }
  step_ = Step::kMeasured;
  results_.clear();
  return std::nullopt;
}

void FinishedSteps::finish(std::string_view name, std::string_view why, double took_ns) {
  step_ = Step::kNone;
  std::error_code failure;
  const bool fresh = !fs::exists(file_, failure);
  std::ofstream stream(file_, std::ios::binary | std::ios::app);
  if (fresh) stream << head_;
  stream << step_to_bytes({std::string(name), std::string(why), took_ns, results_});
  if (!stream.flush()) throw RunError(fmt::format("cannot write '{}': {}", file_, std::strerror(errno)));
}

void FinishedSteps::remove() const {
  std::error_code failure;
  fs::remove(file_, failure);
}

}  // namespace tasktwin::verify
