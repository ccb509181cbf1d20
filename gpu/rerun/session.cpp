#include "gpu/rerun/session.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include <unistd.h>

#include "gpu/rerun/observed_effects.hpp"
#include "gpu/rerun/player.hpp"
#include "gpu/rerun/saved_memory.hpp"
#include "gpu/rerun/schedule_watchdog.hpp"
#include "gpu/rerun/tape/cuda_check.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"
#include "gpu/rerun/touched_memory.hpp"

namespace tasktwin::gpu::rerun {

namespace {

constexpr double kLeastLimitSeconds = 5;
constexpr double kLimitFactor = 10;
/// A first run may load code and take memory.
constexpr double kFirstLimitSeconds = 60;
constexpr int kWarmUpRounds = 2;
constexpr int kMostReferenceRuns = 8;
constexpr std::size_t kMaxNamed = 8;

double us_of(const Tape& tape) { return static_cast<double>(tape.end_ns - tape.begin_ns) / 1e3; }

std::string_view word_of(StreamKind kind) {
  return kind == StreamKind::kLegacy ? "legacy" : kind == StreamKind::kBlocking ? "blocking" : "non_blocking";
}

class Session {
 public:
  Session(Tape& tape, const ProgramMemory& memory, const Settings& settings, Report& report)
      : tape_(tape),
        memory_(memory),
        settings_(settings),
        report_(report),
        touched_(touched_memory(tape, memory)),
        watchdog_([&report](const std::string& what, double seconds) {
          report.line("watchdog", Fields().text("schedule", what).number("seconds", seconds).done());
          ::_exit(kEndedByWatchdog);
        }) {}

  ~Session() {
    if (!saved_) return;
    try {
      saved_->restore_everything();
    } catch (const CudaError& error) {
      report_.line("not_restored", quoted(error.what()));
    }
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void run() {
    tell_device();
    tell_tape();
    if (!tape_.refusals.empty()) {
      for (const std::string& why : tape_.refusals) report_.line("refused", quoted(why));
      return;
    }
    player_.emplace(tape_, settings_.needed, settings_.plans);
    if (settings_.check && !save()) return;
    prepare();
    if (!schedules_.empty() && reference()) {
      // What may be a wrong order comes after what the program orders itself, and what is one last: a kernel of it may end the process.
      for (const Trust trust : {Trust::kProgram, Trust::kMemory, Trust::kWrong}) {
        std::vector<Ready*> some;
        for (Ready& one : schedules_) {
          if (!one.out && trust_in(one.schedule) == trust) some.push_back(&one);
        }
        check_results(some);
        measure(some);
        if (settings_.times) time_operations(some);
      }
    }
    if (settings_.effects && saved_) observe_effects();
    report_.line("done", "true");
  }

 private:
  /// What an order goes by.
  enum class Trust { kProgram, kMemory, kWrong };
  Trust trust_in(const Schedule& schedule) const {
    switch (schedule.way) {
      case Schedule::Way::kCut:
        return Trust::kWrong;
      case Schedule::Way::kDependences:
      case Schedule::Way::kPlan:
        return Trust::kMemory;
      case Schedule::Way::kStreams:
        return settings_.needed ? Trust::kMemory : Trust::kProgram;
      default:
        return Trust::kProgram;
    }
  }

  struct Ready {
    Schedule schedule;
    std::size_t prepared;
    bool wrong = false;  ///< it leaves other results
    bool out = false;    ///< it failed
  };

  /// One operation after the other, each from what those before it left.
  void observe_effects() {
    std::size_t operation = 0;
    try {
      saved_->restore_everything();
      EffectObserver observer(tape_, memory_, touched_);
      for (; operation < tape_.operations.size(); ++operation) {
        const Operation& one = tape_.operations[operation];
        watchdog_.watch("looking at " + describe(tape_, static_cast<int>(operation)), std::chrono::duration<double>(kFirstLimitSeconds));
        const auto run = [&] { player_->run_alone(operation); };
        if (one.kind != Operation::Kind::kKernel) {
          run();
          watchdog_.done();
          continue;
        }
        std::vector<std::string> effects;
        for (const EffectObserver::Effect& seen : observer.observe(operation, run)) {
          effects.push_back(Fields().integer("parameter", seen.parameter).integer("offset", seen.offset).text("effect", seen.word).done());
        }
        watchdog_.done();
        report_.line("effects", Fields().text("kernel", one.name).json("pointers", list_of(effects)).done());
      }
    } catch (const CudaError& error) {
      watchdog_.done();
      report_.line("effects_ended", Fields().text("at", describe(tape_, static_cast<int>(operation))).text("why", error.what()).done());
      if (error.is_final()) ::_exit(kEndedByWatchdog);
    }
  }

  void tell_device() {
    CUdevice device = 0;
    std::array<char, 256> name{};
    int driver = 0;
    std::size_t memory = 0;
    check(cuCtxGetDevice(&device), "cuCtxGetDevice");
    cuDeviceGetName(name.data(), static_cast<int>(name.size()), device);
    cuDriverGetVersion(&driver);
    cuDeviceTotalMem(&memory, device);
    const auto attribute = [&](CUdevice_attribute which) {
      int value = 0;
      cuDeviceGetAttribute(&value, which, device);
      return value;
    };
    report_.line("device", Fields()
                               .text("name", name.data())
                               .integer("cuda_driver", driver)
                               .count("memory_bytes", memory)
                               .integer("multiprocessors", attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT))
                               .text("compute_capability", std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) + "." +
                                                               std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)))
                               .done());
  }

  void tell_tape() {
    std::vector<std::string> streams;
    streams.reserve(tape_.streams.size());
    for (const TapeStream& one : tape_.streams)
      streams.push_back(Fields().text("kind", word_of(one.kind)).integer("priority", one.priority).done());
    const Edges edges = edges_of(tape_.stream_kinds(), tape_.steps);
    std::vector<int> stream_of(tape_.operations.size(), -1);
    for (const Step& step : tape_.steps) {
      if (step.kind == StepKind::kOperation) stream_of[static_cast<std::size_t>(step.operation)] = step.stream;
    }
    std::vector<std::string> operations;
    operations.reserve(tape_.operations.size());
    for (std::size_t i = 0; i < tape_.operations.size(); ++i) {
      const Operation& one = tape_.operations[i];
      Fields fields;
      fields.text("kind", word_of(one.kind)).integer("stream", stream_of[i]).numbers("after", edges[i]);
      if (one.kind == Operation::Kind::kKernel) {
        fields.text("name", one.name)
            .numbers("grid", {one.grid.begin(), one.grid.end()})
            .numbers("block", {one.block.begin(), one.block.end()})
            .count("dynamic_shared_bytes", one.shared_bytes);
      } else if (one.kind != Operation::Kind::kGraph) {
        fields.count("bytes", one.bytes());
      }
      if (one.host_side != HostSide::kNone) fields.text("host", one.host_side == HostSide::kSource ? "source" : "target");
      operations.push_back(fields.done());
    }
    report_.line(
        "tape",
        Fields().number("program_us", us_of(tape_)).json("streams", list_of(streams)).json("operations", list_of(operations)).done());
  }

  bool save() {
    try {
      auto saved = std::make_unique<SavedMemory>(touched_.regions);
      saved->save();
      saved_ = std::move(saved);
      return true;
    } catch (const std::bad_alloc&) {
      std::uint64_t bytes = 0;
      for (const Region& one : touched_.regions) bytes += one.bytes;
      report_.line("refused", quoted("neither device nor host has room for a copy of the program's " + std::to_string(bytes >> 20) +
                                     " MiB of device memory; --no-check runs it again without, and leaves memory changed"));
    } catch (const CudaError& error) {
      report_.line("refused", quoted(std::string("the program's memory cannot be copied: ") + error.what() +
                                     "; --no-check runs it again without, and leaves memory changed"));
    }
    return false;
  }

  void prepare() {
    for (const Schedule& schedule : settings_.schedules) {
      try {
        const std::size_t prepared = player_->prepare(schedule);
        schedules_.push_back({schedule, prepared});
        std::vector<std::string> remarks;
        for (const std::string& one : player_->remarks_of(prepared)) remarks.push_back(quoted(one));
        report_.line("schedule", Fields()
                                     .text("name", schedule.name())
                                     .count("edges", player_->edges_of(prepared))
                                     .count("streams", player_->streams_of(prepared))
                                     .json("remarks", list_of(remarks))
                                     .done());
      } catch (const std::exception& error) {
        not_run(schedule, error.what());
      }
    }
  }

  void not_run(const Schedule& schedule, const std::string& why) {
    report_.line("not_run", Fields().text("schedule", schedule.name()).text("why", why).done());
  }

  /// A run under the watchdog, in µs. Nullopt where CUDA refused it; ends the process where a kernel failed.
  std::optional<double> run_one(Ready& one, Timed timed = Timed::kHost) {
    const double limit = captured_us_ > 0 ? std::max(kLeastLimitSeconds, kLimitFactor * captured_us_ / 1e6) : kFirstLimitSeconds;
    watchdog_.watch(one.schedule.name(), std::chrono::duration<double>(limit));
    try {
      const double time = player_->run(one.prepared, timed);
      watchdog_.done();
      return time;
    } catch (const CudaError& error) {
      give_up(one, error);
      return std::nullopt;
    }
  }

  /// Ends the process where a kernel failed.
  void give_up(Ready& one, const CudaError& error) {
    watchdog_.done();
    one.out = true;
    not_run(one.schedule, error.what());
    if (!error.is_final()) return;
    report_.line("failed", Fields().text("schedule", one.schedule.name()).text("why", error.what()).done());
    ::_exit(kEndedByWatchdog);
  }

  /// The original order twice or more, for what is expected and what is not reproducible.
  bool reference() {
    Ready& captured = schedules_.front();
    if (captured.schedule.way != Schedule::Way::kAsCaptured) return false;
    const auto first = run_one(captured);
    if (!first) return false;
    if (!saved_) {
      captured_us_ = *first;
      return true;
    }
    saved_->expect();
    keep_host(expected_host_);
    saved_->restore();
    // What differs by chance may not do so at once: as long as there is news, a few times more.
    for (int again = 0; again < kMostReferenceRuns; ++again) {
      const auto next = run_one(captured);
      if (!next) return false;
      captured_us_ = *next;
      const bool news = saved_->expect_again();
      compare_host(true);
      saved_->restore();
      if (!news) break;
    }
    report_.line("memory", Fields()
                               .count("allocations", saved_->regions().size())
                               .count("bytes", saved_->total_bytes())
                               .count("copies_on_host_bytes", saved_->host_bytes())
                               .count("changed_bytes", saved_->changed_bytes())
                               .count("unreproducible_bytes", saved_->unreproducible_bytes() + unreproducible_host_)
                               .done());
    return true;
  }

  void check_results(const std::vector<Ready*>& some) {
    for (Ready* const which : some) {
      Ready& one = *which;
      if (one.schedule.way == Schedule::Way::kAsCaptured) continue;
      if (!run_one(one) || !saved_) continue;
      const Differences found = saved_->differences();
      const std::uint64_t host = compare_host(false);
      one.wrong = found.bytes + host > 0;
      tell_check(one, found, host);
      saved_->restore_everything();
    }
  }

  void tell_check(const Ready& one, const Differences& found, std::uint64_t host) {
    std::set<std::size_t> allocations;
    std::set<std::pair<std::size_t, int>> named;
    std::vector<std::string> places;
    for (const Differences::Place& place : found.places) {
      allocations.insert(place.region);
      const Region& region = touched_.regions[place.region];
      const int operation = touched_.named_by(region, place.address);
      if (named.size() >= kMaxNamed || !named.emplace(place.region, operation).second) continue;
      places.push_back(Fields()
                           .integer("operation", operation)
                           .count("allocation", region.base)
                           .count("offset", place.address - region.base)
                           .count("bytes", place.bytes)
                           .done());
    }
    report_.line("check", Fields()
                              .text("schedule", one.schedule.name())
                              .count("bytes", found.bytes)
                              .count("allocations", allocations.size())
                              .count("host_bytes", host)
                              .count("unreproducible_bytes", found.unreproducible_bytes)
                              .json("places", list_of(places))
                              .done());
  }

  /// By turns, so that what changes with time changes for all.
  void measure(const std::vector<Ready*>& some) {
    for (int round = -kWarmUpRounds; round < static_cast<int>(settings_.repeats); ++round) {
      for (Ready* const which : some) {
        Ready& one = *which;
        if (one.out) continue;
        // Putting memory back leaves caches as no iteration does: a run ahead takes what the iteration before would leave.
        if (saved_ && !one.wrong && trust_in(one.schedule) != Trust::kWrong && !run_one(one)) continue;
        const auto host = run_one(one);
        if (saved_ && one.wrong) saved_->restore_everything();
        const auto device = host ? run_one(one, Timed::kDevice) : std::nullopt;
        if (saved_) {
          if (one.wrong) {
            saved_->restore_everything();
          } else {
            saved_->restore();
          }
        }
        if (!device || round < 0) continue;
        report_.line("time", Fields().text("schedule", one.schedule.name()).number("device_us", *device).number("host_us", *host).done());
      }
    }
  }

  void time_operations(const std::vector<Ready*>& some) {
    for (Ready* const one : some) {
      if (one->out) continue;
      watchdog_.watch(one->schedule.name(), std::chrono::duration<double>(kFirstLimitSeconds));
      try {
        const auto times = player_.value().operation_times(one->prepared);
        watchdog_.done();
        std::vector<std::string> texts;
        texts.reserve(times.size());
        for (const auto& [begin, end] : times) texts.push_back("[" + to_text(begin) + "," + to_text(end) + "]");
        report_.line("operation_times", Fields().text("schedule", one->schedule.name()).json("us", list_of(texts)).done());
      } catch (const CudaError& error) {
        give_up(*one, error);
      }
      if (saved_) saved_->restore_everything();
    }
  }

  static std::string to_text(double us) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f", us);
    return text.data();
  }

  void keep_host(std::vector<std::vector<std::byte>>& copies) {
    for (Operation& one : tape_.operations) {
      if (one.host_side == HostSide::kTarget) copies.emplace_back(one.host->data(), one.host->data() + one.host->bytes());
    }
  }

  /// How many bytes that were copied to the host differ; where `learn`, they cannot be expected.
  std::uint64_t compare_host(bool learn) {
    std::uint64_t different = 0;
    std::size_t next = 0;
    unstable_host_.resize(expected_host_.size(), false);
    for (Operation& one : tape_.operations) {
      if (one.host_side != HostSide::kTarget) continue;
      const std::size_t index = next++;
      const std::byte* const now = one.host->data();
      std::uint64_t bytes = 0;
      for (std::size_t i = 0; i < one.host->bytes(); ++i) bytes += now[i] != expected_host_[index][i] ? 1 : 0;
      if (learn) {
        if (bytes > 0 && !unstable_host_[index]) unreproducible_host_ += bytes;
        unstable_host_[index] = unstable_host_[index] || bytes > 0;
      } else if (!unstable_host_[index]) {
        different += bytes;
      }
    }
    return different;
  }

  Tape& tape_;
  const ProgramMemory& memory_;
  const Settings& settings_;
  Report& report_;
  TouchedMemory touched_;
  Watchdog watchdog_;
  std::optional<Player> player_;
  std::unique_ptr<SavedMemory> saved_;
  std::vector<Ready> schedules_;
  std::vector<std::vector<std::byte>> expected_host_;
  std::vector<bool> unstable_host_;
  std::uint64_t unreproducible_host_ = 0;
  double captured_us_ = 0;
};

}  // namespace

void run_again(Tape& tape, const ProgramMemory& memory, const Settings& settings, Report& report) {
  try {
    Session(tape, memory, settings, report).run();
  } catch (const std::exception& error) {
    report.line("refused", quoted(error.what()));
  }
}

}  // namespace tasktwin::gpu::rerun
