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

#include "gpu/rerun/host_results.hpp"
#include "gpu/rerun/observed_effects.hpp"
#include "gpu/rerun/player.hpp"
#include "gpu/rerun/saved_memory.hpp"
#include "gpu/rerun/schedule_watchdog.hpp"
#include "gpu/rerun/tape/cuda_check.hpp"
#include "gpu/rerun/tape/driver_functions.hpp"
#include "gpu/rerun/tape/recording.hpp"
#include "gpu/rerun/touched_memory.hpp"

namespace tasktwin::gpu::rerun {

namespace {

constexpr double kLeastLimitSeconds = 5;
constexpr double kLimitFactor = 10;
/// A first run may load code and take memory.
constexpr double kFirstLimitSeconds = 60;
constexpr int kWarmUpRounds = 2;
constexpr int kMostReferenceRuns = 8;
/// More of them where a schedule differs: what differs by chance in one run of a hundred is seen so.
constexpr std::size_t kMostRunsToLearn = 256;
constexpr double kMostUsToLearn = 3e6;
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
        host_(tape),
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
    host_.expect();
    saved_->restore();
    // What differs by chance may not do so at once: as long as there is news, a few times more.
    for (int again = 0; again < kMostReferenceRuns; ++again) {
      const auto next = run_one(captured);
      if (!next) return false;
      captured_us_ = *next;
      if (!learn()) break;
    }
    tell_memory();
    return true;
  }

  /// The original order has run again: where it leaves something else than before is not reproducible. Whether that is news.
  bool learn() {
    const auto differing = saved_->differing();
    host_.learn(host_.differing());
    const bool differs = std::ranges::any_of(differing, [](std::uint32_t bytes) { return bytes > 0; });
    const bool news = saved_->learn(differing);
    ++reference_runs_;
    reference_differing_ += differs ? 1 : 0;
    saved_->restore();
    return news;
  }

  void tell_memory() {
    report_.line("memory", Fields()
                               .count("allocations", saved_->regions().size())
                               .count("bytes", saved_->total_bytes())
                               .count("copies_on_host_bytes", saved_->host_bytes())
                               .count("changed_bytes", saved_->changed_bytes())
                               .count("unreproducible_bytes", saved_->unreproducible_bytes() + host_.unreproducible_bytes())
                               .count("runs", reference_runs_)
                               .count("differing_runs", reference_differing_)
                               .done());
  }

  /// What a run left that the original order does not, on the device and on the host.
  struct Left {
    std::vector<std::uint32_t> device;
    std::vector<std::uint64_t> host;
  };
  std::uint64_t unexpected(const Left& left) const { return saved_->differences(left.device).bytes + host_.unexpected(left.host); }

  void check_results(const std::vector<Ready*>& some) {
    for (Ready* const one : some) {
      if (one->schedule.way == Schedule::Way::kAsCaptured) continue;
      const std::size_t runs = trust_in(one->schedule) == Trust::kWrong || !saved_ ? 1 : settings_.checks;
      std::vector<Left> unlike;
      std::size_t run = 0;
      Left last;
      for (; run < runs && run_one(*one); ++run) {
        if (!saved_) continue;
        last = {saved_->differing(), host_.differing()};
        if (unexpected(last) > 0) unlike.push_back(last);
        saved_->restore_everything();
      }
      if (saved_ && one->out) saved_->restore_everything();
      if (!saved_ || run == 0) continue;
      // What differs may be what the original order does not leave each time either, only more seldom.
      if (!unlike.empty() && trust_in(one->schedule) != Trust::kWrong) learn_more(unlike);
      std::erase_if(unlike, [&](const Left& left) { return unexpected(left) == 0; });
      one->wrong = !unlike.empty();
      tell_check(*one, unlike.empty() ? last : unlike.front(), run, unlike.size());
    }
  }

  /// Runs the original order until it has left all of these differences itself, for a while.
  void learn_more(const std::vector<Left>& unlike) {
    const auto explained = [&] { return std::ranges::all_of(unlike, [&](const Left& left) { return unexpected(left) == 0; }); };
    double us = 0;
    for (std::size_t run = 0; run < kMostRunsToLearn && us < kMostUsToLearn && !explained(); ++run) {
      const std::uint64_t begin = now_ns();
      if (!run_one(schedules_.front())) break;
      learn();
      us += static_cast<double>(now_ns() - begin) / 1e3;
    }
    tell_memory();
  }

  void tell_check(const Ready& one, const Left& left, std::size_t runs, std::size_t differing) {
    const Differences found = saved_->differences(left.device);
    const std::uint64_t host = host_.unexpected(left.host);
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
                              .count("runs", runs)
                              .count("differing_runs", differing)
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

  Tape& tape_;
  const ProgramMemory& memory_;
  const Settings& settings_;
  Report& report_;
  TouchedMemory touched_;
  HostResults host_;
  Watchdog watchdog_;
  std::optional<Player> player_;
  std::unique_ptr<SavedMemory> saved_;
  std::vector<Ready> schedules_;
  std::size_t reference_runs_ = 0, reference_differing_ = 0;  ///< of the original order after the first
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
