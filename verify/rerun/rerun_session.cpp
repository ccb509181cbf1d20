#include "verify/rerun/rerun_session.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <set>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gpu/rerun/report.hpp"
#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/machine_files/load_machine.hpp"
#include "verify/capture/captured_files.hpp"
#include "verify/capture/captured_program.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/explain/needed_order.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"
#include "verify/rerun/needed_iterations.hpp"
#include "verify/rerun/predicted_schedules.hpp"
#include "verify/rerun/rerun_report.hpp"
#include "verify/rerun/rerun_text.hpp"
#include "verify/system/temporary_folder.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;
namespace rerun = gpu::rerun;

namespace {

std::vector<RerunReport> reports_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == rerun::kReportExtension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<RerunReport> reports;
  for (const fs::path& file : files) reports.push_back(read_report(file));
  return reports;
}

class Session {
 public:
  explicit Session(const RerunSettings& settings) : settings_(settings), folder_(settings.output.string() + ".reports") {}

  int run() {
    if (settings_.predict || settings_.needed) {
      capture();
      if (end_.exit_code != 0) {
        note(fmt::format(
            "error: '{}' {} while it was captured; nothing was run again{}", settings_.command.front(), how_it_ended(),
            settings_.own_memory ? ". PyTorch's own CUDA graphs need its caching allocator, which --own-memory leaves out" : ""));
        return end_.exit_code;
      }
    }
    std::vector<std::pair<std::string, std::string>> variables = own_memory();
    const char* const preloaded = std::getenv("LD_PRELOAD");
    variables.insert(
        variables.end(),
        {{rerun::kFolderVariable, fs::absolute(folder_.path()).string()},
         {rerun::kRangeVariable, settings_.range},
         {rerun::kInstanceVariable, std::to_string(settings_.instance)},
         {rerun::kSchedulesVariable, settings_.schedules},
         {rerun::kRepeatsVariable, std::to_string(settings_.repeats)},
         {rerun::kCheckVariable, settings_.check ? "1" : "0"},
         {rerun::kChecksVariable, std::to_string(settings_.checks)},
         {rerun::kTimesVariable, settings_.trace.empty() ? "0" : "1"},
         {rerun::kEffectsVariable, settings_.effects_out.empty() ? "0" : "1"},
         {rerun::kNeededVariable, written(needed_, "needed")},
         {rerun::kPlansVariable, written_plans()},
         {"LD_PRELOAD", fmt::format("{}{}{}", preloaded ? preloaded : "", preloaded ? ":" : "", settings_.kept_frees.string())}});
    end_ = run_with_library(settings_.command, settings_.library, std::move(variables));
    const std::vector<RerunReport> reports = reports_in(folder_.path());
    const auto found = std::ranges::find_if(reports, [](const RerunReport& one) { return one.has_tape && one.refusals.empty(); });
    if (found == reports.end()) {
      const std::string why = why_not(reports);
      if (end_.exit_code == 0) throw RunError(why);
      note(fmt::format("error: '{}' {}; {}", settings_.command.front(), how_it_ended(), why));
      return end_.exit_code;
    }
    return write(*found);
  }

 private:
  std::vector<std::pair<std::string, std::string>> own_memory() const {
    if (!settings_.own_memory) return {};
    return {{"PYTORCH_NO_CUDA_MEMORY_CACHING", "1"}};
  }

  /// A plan in a file that the library reads; empty where there is none.
  std::string written(const std::optional<rerun::Plan>& plan, const std::string& name) const {
    if (!plan) return "";
    const fs::path file = fs::absolute(folder_.path()) / name;
    write_file(file, rerun::to_lines(*plan));
    return file.string();
  }

  std::string written_plans() const {
    std::string files;
    for (std::size_t i = 0; i < settings_.plans.size(); ++i)
      files += written(settings_.plans[i].plan, fmt::format("plan-{}", i + 1)) + '\n';
    return files;
  }

  /// Captures the program, each kernel by itself, for what its work takes and needs.
  void capture() {
    constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30U;
    const fs::path folder = fs::absolute(folder_.path()) / "capture";
    fs::create_directory(folder);
    auto environment = own_memory();
    environment.emplace_back("CUDA_LAUNCH_BLOCKING", "1");
    end_ = run_captured(settings_.command, {.library = capture_library(),
                                            .folder = folder,
                                            .device_records = true,
                                            .range = settings_.range,
                                            .limit_bytes = kMostBytes,
                                            .environment = std::move(environment)});
    if (end_.exit_code != 0) return;
    const auto written = write_captures(folder, {}, folder / "capture.json", {.command = settings_.command, .range = settings_.range});
    const fs::path file = written.front().path;
    const scenarios::Imported all = scenarios::import_file(file.string(), "", {.range = settings_.range});
    const auto range = std::ranges::find(all.ranges, settings_.range, &scenarios::NamedRange::name);
    const std::int64_t last = range == all.ranges.end() ? 1 : range->times;  // the first may load code
    scenarios::Scenario scenario =
        captured_program(file, {.range = fmt::format("{}#{}", settings_.range, last), .effects = settings_.effects}, settings_.machine);
    if (settings_.own_memory) scenario = without_frees(scenario);
    std::optional<TaskGraph> needed;
    if (settings_.needed) {
      NeededIterations any =
          needed_by_any(scenario, settings_.own_memory ? std::vector<scenarios::Scenario>{} : earlier(file, last), settings_.own_memory);
      needed = std::move(any.graph);
      needed_ = graph_plan(*needed, *scenario.program);
      if (!quiet()) tell_needs(*scenario.needs, any.iterations);
    }
    if (settings_.predict) predict(all, scenario, needed);
  }

  /// Iterations before the last: one of them is run again.
  std::vector<scenarios::Scenario> earlier(const fs::path& file, std::int64_t last) const {
    constexpr std::int64_t kMost = 7;
    std::vector<scenarios::Scenario> found;
    for (std::int64_t i = 1; i < last && i <= kMost; ++i) {
      try {
        found.push_back(
            captured_program(file, {.range = fmt::format("{}#{}", settings_.range, i), .effects = settings_.effects}, settings_.machine));
      } catch (const InputError& other) {
        note(fmt::format("iteration {} is not looked at for what operations need: {}", i, other.what()));
      }
    }
    return found;
  }

  /// Frees wait for the device, and in the rerun stay until it is over.
  static scenarios::Scenario without_frees(const scenarios::Scenario& scenario) {
    std::vector<CallPlace> frees;
    for (const auto& [place, name] : waiting_calls(*scenario.program)) {
      if (name.starts_with("cudaFree#") || name.starts_with("cuMemFree")) frees.push_back(place);
    }
    return frees.empty() ? scenario : without_waits(scenario, frees);
  }

  static void tell_needs(const scenarios::ProgramNeeds& needs, std::size_t iterations) {
    note(fmt::format(
        "what operations need is known exactly of {}, by a file of effects of {}, by types of {}; {} are taken to write all that "
        "they point to, and {} to touch anything{}",
        needs.exact, needs.stated, needs.typed, needs.by_pointer, needs.unknown,
        iterations > 1 ? fmt::format("; {} iterations together, as memory is given out again", iterations) : ""));
  }

  /// Simulates each schedule.
  void predict(const scenarios::Imported& all, const scenarios::Scenario& scenario, const std::optional<TaskGraph>& needed) {
    machine_ = machine_of_capture(all, settings_.machine);
    predicted_ = predicted_schedules({.scenario = scenario,
                                      .host = scenarios::load_machine(machine_),
                                      .schedules = settings_.schedules,
                                      .needed = needed ? &*needed : nullptr,
                                      .plans = settings_.plans,
                                      .times = !settings_.trace.empty()});
    for (const PredictedSchedule& one : predicted_) {
      if (!quiet())
        note(one.why_not.empty() ? fmt::format("predicted: {} takes {}", one.schedule, format_us(one.host))
                                 : fmt::format("not predicted: {}: {}", one.schedule, one.why_not));
    }
  }

  std::string how_it_ended() const {
    return end_.signal != 0 ? fmt::format("was ended by signal {}", end_.signal) : fmt::format("ended with exit code {}", end_.exit_code);
  }
  std::string what() const { return settings_.range.empty() ? "an iteration" : fmt::format("range '{}'", settings_.range); }

  int write(const RerunReport& report) const {
    RerunFile file = report.file;
    const bool ended_by_us = file.ended == "watchdog" || file.ended == "failed";
    file.command = settings_.command;
    file.exit_code = end_.exit_code;
    file.date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::chrono::system_clock::now()));
    file.range = settings_.range;
    file.checked = settings_.check;
    file.own_memory = settings_.own_memory;
    file.machine = machine_;
    for (RerunSchedule& one : file.schedules) {
      const auto found = std::ranges::find(predicted_, one.name, &PredictedSchedule::schedule);
      if (found == predicted_.end() || !found->why_not.empty()) continue;
      one.predicted_us = static_cast<double>(to_ns(found->host)) / 1e3;
      one.predicted_operations_us = found->operations_us;
    }
    write_file(settings_.output, to_text(to_json(file)));
    std::string text = to_text(file);
    if (text.ends_with('\n')) text.pop_back();
    // The program's own output is on standard output: messages go to standard error.
    if (!quiet()) note(text);
    bool bad = file.ended != "whole";
    if (!settings_.effects_out.empty()) bad |= !write_effects(report);
    if (!settings_.trace.empty()) write_file(settings_.trace, to_text(trace_of(file)));
    if (!report.not_restored.empty()) {
      note(fmt::format("error: memory could not be put back: {}", report.not_restored));
      bad = true;
    }
    for (const RerunSchedule& one : file.schedules) bad |= one.check && !one.check->is_equal();
    if (settings_.before) bad |= is_slower(file);
    if (end_.exit_code != 0 && !ended_by_us) {
      note(fmt::format("error: '{}' {}", settings_.command.front(), how_it_ended()));
      return end_.exit_code;
    }
    return bad ? 1 : 0;
  }

  /// Whether all kernels were looked at.
  bool write_effects(const RerunReport& report) const {
    write_file(settings_.effects_out,
               effects_text(report.effects, fmt::format("{} launches of {}, by tasktwin rerun", report.effects.size(), what())));
    if (!quiet())
      note(fmt::format("wrote {}: what {} launches of kernels read and write", settings_.effects_out.string(), report.effects.size()));
    if (report.effects_ended.empty()) return true;
    note(fmt::format("error: kernels were not all looked at: {}", report.effects_ended));
    return false;
  }

  bool is_slower(const RerunFile& file) const {
    const std::vector<RerunSlowdown> slower = slower_than(file, *settings_.before, settings_.fail_above);
    for (const RerunSlowdown& one : slower) {
      note(fmt::format("error: {} takes {}, {} more than before ({})", one.schedule, format_us(one.now_us * 1e3),
                       format_percent(one.now_us / one.before_us - 1), format_us(one.before_us * 1e3)));
    }
    return !slower.empty();
  }

  /// Why nothing was run again.
  std::string why_not(const std::vector<RerunReport>& reports) const {
    const auto used_cuda = [](const RerunReport& one) { return one.used_cuda; };
    if (std::ranges::none_of(reports, used_cuda)) {
      return fmt::format(
          "'{}' did not use CUDA, so that there is nothing to run again; a program that sets CUDA_INJECTION64_PATH itself "
          "or starts others without its environment cannot be run again",
          settings_.command.front());
    }
    for (const RerunReport& one : reports) {
      if (!one.refusals.empty()) return fmt::format("{} cannot be run again: {}", what(), fmt::join(one.refusals, "; "));
    }
    for (const RerunReport& one : reports) {
      if (!one.cupti_error.empty())
        return fmt::format("CUPTI serves another tool in this process already ({}): run it again without a profiler, debugger or sanitizer",
                           one.cupti_error);
    }
    const auto main = std::ranges::max_element(reports, {}, [](const RerunReport& one) { return one.iterations.size(); });
    return settings_.range.empty() ? why_no_iteration(*main) : why_no_range(*main, reports);
  }

  std::string why_no_range(const RerunReport& main, const std::vector<RerunReport>& reports) const {
    std::set<std::string> names;
    for (const RerunReport& one : reports) names.insert(one.ranges.begin(), one.ranges.end());
    if (main.iterations.empty()) {
      for (const RerunReport& one : reports) {
        if (one.open_at_end) return fmt::format("{} never ends", what());
      }
      if (names.empty()) {
        return fmt::format("{} was never entered: the program named no NVTX range at all (nvtxRangePush, torch.cuda.nvtx.range_push)",
                           what());
      }
      if (names.contains(settings_.range)) return fmt::format("{} never ends", what());
      const std::vector<std::string_view> choices(names.begin(), names.end());
      return fmt::format("{} was never entered{}", what(), suggest(settings_.range, choices));
    }
    return why_no_iteration(main);
  }

  std::string why_no_iteration(const RerunReport& main) const {
    const std::size_t seen = main.iterations.size();
    const std::string_view name =
        settings_.range.empty() ? "what lies between two waits for the device (cudaDeviceSynchronize)" : "the range";
    if (seen == 0)
      return fmt::format("nothing was run between two waits for the device (cudaDeviceSynchronize); name a range with --range");
    if (settings_.instance > 0) return fmt::format("--instance {}: {} was there {} times only", settings_.instance, name, seen);
    if (seen == 1) {
      return fmt::format(
          "{} was there once only, and by default that is run again which was there twice, with the same operations; --instance 1 takes it",
          name);
    }
    const RerunIteration& last = main.iterations.back();
    return fmt::format(
        "the operations changed from each time to the next, {} times ({} before, {} now); --instance N takes the N-th as it is", seen,
        last.before.empty() ? "nothing" : last.before, last.now.empty() ? "nothing" : last.now);
  }

  const RerunSettings& settings_;
  TemporaryFolder folder_;
  CommandEnd end_{};
  std::string machine_;
  std::optional<rerun::Plan> needed_;
  std::vector<PredictedSchedule> predicted_;
};

}  // namespace

int rerun_program(const RerunSettings& settings) { return Session(settings).run(); }

}  // namespace tasktwin::verify
