#include "verify/capture/captured_files.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "verify/capture/captured_run.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

using SpoolFiles = std::vector<std::unique_ptr<SpoolFile>>;

SpoolFiles read_all(const fs::path& folder) {
  SpoolFiles files;
  for (const fs::path& path : spool_files(folder)) files.push_back(std::make_unique<SpoolFile>(path));
  return files;
}

/// None where there is no folder.
SpoolFiles read_those_with_cuda(const fs::path& folder) {
  SpoolFiles files;
  if (!folder.empty()) files = read_all(folder);
  std::erase_if(files, [](const auto& file) { return file->head().cuda_loaded == 0; });
  return files;
}

/// "NAME.PID.json.gz" of "NAME.json.gz".
fs::path with_process(const fs::path& output, std::uint32_t pid) {
  const std::string name = output.filename().string();
  const std::size_t dot = name.find('.', 1);
  const std::string extension = dot == std::string::npos ? "" : name.substr(dot);
  return output.parent_path() / fmt::format("{}.{}{}", name.substr(0, dot), pid, extension);
}

[[noreturn]] void refuse_range(const SpoolFiles& files, const std::string& range) {
  std::set<std::string> names;
  for (const auto& file : files) {
    for (const CapturedRange& one : CaptureIndex(*file).ranges) names.insert(one.name);
  }
  if (names.empty()) {
    throw RunError(
        fmt::format("--range '{}' was never entered: the program named no NVTX range at all (nvtxRangePush, torch.cuda.nvtx.range_push); "
                    "nothing is written",
                    range));
  }
  const std::vector<std::string_view> choices(names.begin(), names.end());
  throw RunError(fmt::format("--range '{}' was never entered{}; nothing is written", range, suggest(range, choices)));
}

/// Throws where there is nothing to write.
void check_contents(const SpoolFiles& files, const CaptureFacts& facts) {
  const auto used_cuda = [](const auto& file) { return file->head().cuda_loaded != 0; };
  if (std::ranges::none_of(files, used_cuda)) {
    throw RunError(
        fmt::format("'{}' did not use CUDA, so that there is nothing to write; a program that sets CUDA_INJECTION64_PATH itself "
                    "or starts others without its environment cannot be captured",
                    facts.command.front()));
  }
  for (const auto& file : files) {
    if (file->head().cupti_errors == 0 || !CaptureIndex(*file).calls.empty()) continue;
    throw RunError(fmt::format("CUPTI serves another tool in this process already ({}): capture without a profiler, debugger or sanitizer",
                               file->head().first_error.data()));
  }
  const auto entered = [](const auto& file) { return file->head().range_entered != 0; };
  if (!facts.range.empty() && std::ranges::none_of(files, entered)) refuse_range(files, facts.range);
}

}  // namespace

std::vector<WrittenCapture> write_captures(const fs::path& folder, const OtherFolders& others, const fs::path& output,
                                           const CaptureFacts& facts) {
  const SpoolFiles files = read_all(folder);
  check_contents(files, facts);
  const SpoolFiles host = read_those_with_cuda(others.host);
  const SpoolFiles tensors = read_those_with_cuda(others.tensors);
  const auto processes = std::ranges::count_if(files, [](const auto& file) { return file->head().cuda_loaded != 0; });
  std::vector<WrittenCapture> written;
  for (const auto& file : files) {
    if (file->head().cuda_loaded == 0) continue;
    const CaptureIndex index(*file);
    const std::vector<CapturedGraph> graphs = captured_graphs(index);
    OtherRuns runs;
    const std::size_t place = written.size();  // processes are paired in the order of their ids
    if (place < host.size()) runs.undisturbed = undisturbed_times(index, CaptureIndex(*host[place]));
    if (place < tensors.size()) runs.tensors = tensor_places(index, CaptureIndex(*tensors[place]));
    WrittenCapture capture{
        .path = processes == 1 ? output : with_process(output, file->head().pid),
        .summary = summarize(index, graphs, facts),
        .ended_normally = file->head().ended_normally != 0,
        .undisturbed = static_cast<std::size_t>(std::ranges::count_if(runs.undisturbed, [](const auto& one) { return one.has_value(); })),
        .tensors = static_cast<std::size_t>(std::ranges::count_if(runs.tensors, [](const auto& one) { return !one.empty(); }))};
    write_capture(capture.path, index, graphs, capture.summary, facts, runs);
    written.push_back(std::move(capture));
  }
  return written;
}

namespace {

std::string count(std::uint64_t number, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", format_count(static_cast<std::int64_t>(number)), number == 1 ? one : several);
}

std::string_view why_no_times(const WrittenCapture& capture) {
  const CaptureLosses& l = capture.summary.losses;
  if (!capture.ended_normally) return "launches have no device times: the program left without ending CUDA (_exit, a signal or a crash)";
  if (l.records_dropped + l.buffers_refused + l.runs_dropped > 0) return "launches have no device times: their records were dropped";
  return "launches have no device times; another tool may have taken CUPTI's records";
}

std::string losses_to_text(const WrittenCapture& capture) {
  const CaptureLosses& l = capture.summary.losses;
  std::string text;
  const auto say = [&text](std::uint64_t number, std::string_view what) {
    if (number > 0) text += fmt::format("  {} {}\n", format_count(static_cast<std::int64_t>(number)), what);
  };
  say(l.records_dropped, "device records were dropped by CUPTI");
  say(l.buffers_refused, "times no buffer was free for device records");
  say(l.calls_dropped, "calls were dropped: the limit of --limit-mb, or the disk, was reached");
  say(l.runs_dropped, "device records were dropped: the limit of --limit-mb, or the disk, was reached");
  say(l.launches_without_times, why_no_times(capture));
  say(l.waits_without_record, "waits are for events that were never recorded, which CUDA lets through");
  say(l.calls_without_arguments, "calls have no arguments");
  say(l.pointers_left_out, "pointers among kernels' parameters were left out");
  say(l.nodes_without_definition, "device records are of graph nodes whose graph was not seen");
  say(l.capture_errors, "calls of CUPTI failed");
  return text;
}

std::string side_to_text(const RaceSide& side) {
  constexpr std::size_t kLongest = 60;
  const std::string what = side.what.size() > kLongest ? side.what.substr(0, kLongest) + "…" : side.what;
  return fmt::format("{} on stream {} (call {})", what, side.stream, side.correlation);
}

std::string races_to_text(const CapturedRaces& found) {
  std::string text;
  for (const CapturedRace& race : found.races) {
    const std::string first = side_to_text(race.first);
    const std::string second = side_to_text(race.second);
    text += race.times > 1 ? fmt::format("  race, {} times: ", race.times) : "  race: ";
    if (race.kind == RaceKind::kUseWithoutWait) {
      text += fmt::format("{} and {} use 0x{:x}, and nothing orders them\n", first, second, race.address);
    } else if (race.first.what.starts_with("free")) {
      text += fmt::format("{} uses 0x{:x} after {}\n", second, race.address, first);
    } else {
      text += fmt::format("{} uses 0x{:x}, and nothing orders it before {}\n", first, race.address, second);
    }
  }
  return text;
}

}  // namespace

std::string captures_to_text(const std::vector<WrittenCapture>& written, const CaptureFacts& facts) {
  std::string text;
  for (const WrittenCapture& capture : written) {
    const CaptureCounts& c = capture.summary.counts;
    text += fmt::format("{}: {} over {}\n", capture.path.string(), count(c.calls, "call", "calls"),
                        format_us(static_cast<double>(capture.summary.end_ns - capture.summary.begin_ns)));
    if (facts.pass != CapturePass::kHost) {
      text += fmt::format("  {}, {}, {}, {}\n", count(c.kernels, "kernel", "kernels"), count(c.copies, "copy", "copies"),
                          count(c.memsets, "memset", "memsets"), count(c.graph_launches, "graph launch", "graph launches"));
    }
    if (facts.pass == CapturePass::kBoth)
      text += fmt::format("  {} the times of the run without device records\n", count(capture.undisturbed, "call has", "calls have"));
    if (facts.tensors) text += fmt::format("  {} tensors of their own\n", count(capture.tensors, "call has", "calls have"));
    text += losses_to_text(capture) + races_to_text(capture.summary.races);
  }
  return text;
}

}  // namespace tasktwin::verify
