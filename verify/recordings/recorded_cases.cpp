#include "verify/recordings/recorded_cases.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <system_error>

#include <unistd.h>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/json_place.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/compressed.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/output/text/json.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/recordings/recorded_lines.hpp"
#include "verify/recordings/recorded_timeline.hpp"
#include "verify/recordings/recorded_values.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCasesFile = "cases.jsonl";

std::string hash_text(std::string_view text) {
  Fnv1a hash;
  hash.add(text);
  return hash.to_string();
}

Json durations_to_json(const std::vector<Duration>& durations) {
  Json array = Json::array();
  for (const Duration duration : durations) array.push_back(to_ns(duration));
  return array;
}

/// Runs of equal core types: [{"type", "count"}, …].
Json cores_to_json(const std::vector<CoreType>& cores) {
  Json array = Json::array();
  for (std::size_t i = 0; i < cores.size();) {
    const auto end =
        std::find_if(cores.begin() + static_cast<std::ptrdiff_t>(i), cores.end(), [&](CoreType core) { return core != cores[i]; });
    const auto next = static_cast<std::size_t>(end - cores.begin());
    array.push_back({{"type", to_word(cores[i])}, {"count", next - i}});
    i = next;
  }
  return array;
}

/// What the case is called: its timeline's file, and its place among the others.
std::string case_name(std::string_view scenario, std::string_view design) {
  return fmt::format("{}.{}", file_word(scenario), file_word(design));
}

std::string case_name(const RecordingFacts& facts) { return case_name(facts.recorded.scenario, facts.recorded.design); }

Json to_json(const RecordingFacts& facts) {
  const RecordedCase& recorded = facts.recorded;
  Json json{{"scenario", recorded.scenario},
            {"design", recorded.design},
            {"scenario_source", recorded.scenario_source},
            {"axes", differing_axes(recorded.axes)},
            {"machine", recorded.machine},
            {"machine_hash", recorded.machine_hash},
            {"device", recorded.device},
            {"driver", recorded.driver},
            {"runtime", recorded.runtime},
            {"date", recorded.date},
            {"commit", recorded.commit},
            {"command", recorded.command},
            {"graph_hash", recorded.graph_hash},
            {"makespans_ns", durations_to_json(recorded.makespans)},
            {"stamped_makespans_ns", durations_to_json(recorded.stamped_makespans)},
            {"ordering_violations", recorded.ordering_violations},
            {"residual", optional_number(recorded.residual)},
            {"residual_limit", recorded.residual_limit}};
  if (recorded.starts) {
    json["starts_ns"] = starts_to_json(recorded.starts->layers);
    json["timeline_inversions"] = recorded.starts->inversions;
  } else {
    json["cores"] = cores_to_json(facts.cores);
    json["timeline_hash"] = *facts.timeline_hash;
  }
  if (recorded.host_call > Nanoseconds{0}) json["host_call_ns"] = recorded.host_call.count();
  if (recorded.peak_memory) json["peak_memory"] = memory_to_json(*recorded.peak_memory);
  return json;
}

RecordingFacts facts_from(const fs::path& cases, const RecordedLines& lines, const scenarios::JsonPlace& facts) {
  facts.object_of({"scenario",
                   "design",
                   "scenario_source",
                   "axes",
                   "machine",
                   "machine_hash",
                   "device",
                   "driver",
                   "runtime",
                   "date",
                   "commit",
                   "command",
                   "graph_hash",
                   "makespans_ns",
                   "stamped_makespans_ns",
                   "ordering_violations",
                   "residual",
                   "residual_limit",
                   "cores",
                   "timeline_hash",
                   "starts_ns",
                   "timeline_inversions",
                   "host_call_ns",
                   "peak_memory"});
  RecordedCase recorded;
  recorded.scenario = facts.at("scenario").text();
  recorded.scenario_source = facts.at("scenario_source").text();
  recorded.design = facts.at("design").text();
  recorded.axes = lines.axes(facts.at("axes"));
  recorded.machine = facts.at("machine").text();
  recorded.machine_hash = hash_from(facts.at("machine_hash"));
  recorded.device = facts.at("device").text();
  recorded.driver = facts.at("driver").text();
  recorded.runtime = facts.at("runtime").text();
  recorded.date = facts.at("date").text();
  recorded.commit = facts.at("commit").text();
  recorded.command = facts.at("command").text();
  recorded.graph_hash = hash_from(facts.at("graph_hash"));
  recorded.makespans = durations_from(facts.at("makespans_ns"));
  recorded.stamped_makespans = durations_from(facts.at("stamped_makespans_ns"));
  if (const auto host_call = facts.find("host_call_ns")) recorded.host_call = nanoseconds_from(*host_call);
  recorded.ordering_violations = count_from(facts.at("ordering_violations"));
  if (const auto residual = facts.at("residual"); !residual.is_null()) recorded.residual = residual_from(residual);
  recorded.residual_limit = residual_from(facts.at("residual_limit"));
  if (const auto memory = facts.find("peak_memory")) recorded.peak_memory = memory_from(*memory);
  const fs::path timeline = timeline_path(cases, recorded.scenario, recorded.design);
  if (const auto starts = facts.find("starts_ns")) {
    if (const auto hash = facts.find("timeline_hash")) hash->refuse("excludes starts_ns, which stand in place of a timeline");
    recorded.starts = {starts_from(*starts), count_from(facts.at("timeline_inversions"))};
    return {std::move(recorded), timeline, {}, {}};
  }
  return {std::move(recorded), timeline, hash_from(facts.at("timeline_hash")), cores_from(facts.at("cores"))};
}

std::vector<RecordingFacts> recordings_from(const fs::path& cases, const RecordedLines& lines) {
  std::vector<RecordingFacts> all;
  std::map<std::string, std::size_t> line_of;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const RecordingFacts& facts = all.emplace_back(facts_from(cases, lines, lines[i]));
    const auto [before, is_new] = line_of.emplace(case_name(facts), i);
    if (!is_new)
      lines[i].refuse(fmt::format("is of '{}' under '{}', as line {} is", facts.recorded.scenario, facts.recorded.design,
                                  RecordedLines::line_number(before->second)));
  }
  return all;
}

}  // namespace

fs::path cases_path(const fs::path& folder, std::string_view machine) { return folder / file_word(machine) / kCasesFile; }

fs::path timeline_path(const fs::path& cases, std::string_view scenario, std::string_view design) {
  return cases.parent_path() / (case_name(scenario, design) + ".csv.gz");
}

void prepare_recording_folder(const fs::path& folder, std::string_view machine) {
  const fs::path path = folder / file_word(machine);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw RunError(fmt::format("cannot make the folder '{}': {}", path.string(), error.message()));
  if (::access(path.c_str(), W_OK) != 0) {
    throw RunError(
        fmt::format("cannot write into the folder '{}': {}", path.string(), std::error_code(errno, std::generic_category()).message()));
  }
}

fs::path write_recording(const fs::path& folder, const RecordedCase& recorded) {
  if (recorded.residual && !std::isfinite(*recorded.residual)) {
    throw RunError(fmt::format("not recorded: the result of '{}' under '{}' is not finite", recorded.scenario, recorded.design));
  }
  prepare_recording_folder(folder, recorded.machine);
  const fs::path cases = cases_path(folder, recorded.machine);
  const FolderLock lock(cases.parent_path());
  RecordingFacts facts{recorded, timeline_path(cases, recorded.scenario, recorded.design), {}, recorded.timeline.cores};
  std::string packed;
  if (!recorded.starts) {
    const std::string text = encode_timeline(recorded.timeline);
    if (text.size() > most_timeline_bytes(recorded.timeline.tasks.size()))
      throw RunError(
          fmt::format("not recorded: the timeline of '{}' under '{}' is longer than its tasks allow", recorded.scenario, recorded.design));
    facts.timeline_hash = hash_text(text);
    packed = gzip(text);
  }
  std::vector<RecordingFacts> all = read_recordings(cases);
  std::erase_if(all, [&](const RecordingFacts& one) { return case_name(one) == case_name(facts); });
  const auto place = std::ranges::upper_bound(all, case_name(facts), {}, [](const RecordingFacts& one) { return case_name(one); });
  all.insert(place, facts);
  std::vector<Json> entries;
  for (const RecordingFacts& one : all) entries.push_back(to_json(one));
  const std::string described = recorded_lines_text(entries);
  std::vector<FileText> files;
  if (!recorded.starts) files.push_back({facts.timeline, packed});
  files.push_back({cases, described});
  write_files(files, Replaces::kWhatWasRead);
  std::error_code none;
  if (recorded.starts) fs::remove(facts.timeline, none);
  return cases;
}

std::vector<RecordingFacts> recordings_from(const fs::path& cases, std::string_view text) {
  return recordings_from(cases, RecordedLines(cases, text));
}

std::vector<RecordingFacts> read_recordings(const fs::path& cases) { return recordings_from(cases, read_recorded_lines(cases)); }

RecordedCase with_timeline(RecordingFacts facts, std::size_t tasks) {
  if (!facts.timeline_hash) return std::move(facts.recorded);
  const std::string text =
      unpack_timeline(scenarios::read_whole_file(facts.timeline.string(), most_timeline_bytes(tasks)), tasks, facts.timeline);
  if (hash_text(text) != *facts.timeline_hash) {
    throw InputError({facts.timeline.string()}, fmt::format("is not the timeline that '{}' describes; record the case anew",
                                                            (facts.timeline.parent_path() / kCasesFile).string()));
  }
  facts.recorded.timeline = decode_timeline(text, std::move(facts.cores), facts.timeline);
  return std::move(facts.recorded);
}

std::vector<fs::path> list_recordings(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator machine(folder, error), end; !error && machine != end; machine.increment(error)) {
    std::error_code ignored;
    if (fs::path cases = machine->path() / kCasesFile; fs::exists(cases, ignored)) found.push_back(std::move(cases));
  }
  std::ranges::sort(found);
  return found;
}

const RecordingFacts* Recordings::find(std::string_view machine, std::string_view scenario, std::string_view design) {
  const fs::path path = cases(machine);
  auto read = read_.find(path);
  if (read == read_.end()) read = read_.emplace(path, read_recordings(path)).first;
  const auto found = std::ranges::find_if(
      read->second, [&](const RecordingFacts& one) { return one.recorded.scenario == scenario && one.recorded.design == design; });
  return found == read->second.end() ? nullptr : &*found;
}

}  // namespace tasktwin::verify
