#include "tests/verify/support/page_data.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include <zlib.h>

#include "tests/verify/support/strict_json.hpp"

namespace tasktwin::tests {

using nlohmann::json;

std::string from_base64(std::string_view text) {
  const auto digit = [](char c) -> unsigned {
    if (c >= 'A' && c <= 'Z') return static_cast<unsigned>(c - 'A');
    if (c >= 'a' && c <= 'z') return static_cast<unsigned>(c - 'a' + 26);
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0' + 52);
    if (c == '+' || c == '/') return c == '+' ? 62 : 63;
    throw std::runtime_error("not base64");
  };
  if (text.size() % 4 != 0) throw std::runtime_error("base64 comes in fours");
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t kept = i + 4 < text.size() || text[i + 3] != '=' ? 3 : text[i + 2] != '=' ? 2 : 1;
    unsigned group = 0;
    for (std::size_t k = 0; k < 4; ++k) group = group << 6 | (k <= kept ? digit(text[i + k]) : 0);
    for (std::size_t k = 0; k < kept; ++k) bytes += static_cast<char>(group >> (16 - 8 * k) & 255);
  }
  return bytes;
}

std::string inflated(std::string_view bytes) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw std::runtime_error("zlib");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  std::array<char, 65536> chunk{};
  int status = Z_OK;
  while (status == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(chunk.data(), chunk.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END || stream.avail_in != 0) throw std::runtime_error("not a whole zlib stream");
  return text;
}

json page_data(std::string_view html) {
  const std::size_t element = html.find("id=\"report-data\"");
  if (element == std::string_view::npos) throw std::runtime_error("no element 'report-data'");
  const std::size_t begin = html.find('>', element) + 1;
  return strict_json(inflated(from_base64(html.substr(begin, html.find('<', begin) - begin))));
}

namespace {

/// The running sums of a column of differences.
std::vector<std::int64_t> summed(const json& column) {
  auto values = column.get<std::vector<std::int64_t>>();
  std::partial_sum(values.begin(), values.end(), values.begin());
  return values;
}

void read_tasks(const json& columns, Timeline& timeline) {
  std::int64_t before = 0;
  for (std::size_t i = 0; i < timeline.tasks.size(); ++i) {
    TaskTimes times;
    const auto at = [&columns, i](const char* name) -> const json& { return columns.at(name).at(i); };
    const auto earlier = [&](const char* name, TimePoint& phase) {
      if (!at(name).is_null()) phase = times.started - Duration{at(name).get<std::int64_t>()};
    };
    if (!at("started_delta").is_null()) times.started = at_ns(before += at("started_delta").get<std::int64_t>());
    earlier("ready_before", times.ready);
    earlier("dispatched_before", times.dispatched);
    earlier("received_before", times.received);
    if (!at("duration").is_null()) times.ended = times.started + Duration{at("duration").get<std::int64_t>()};
    if (!at("publish").is_null()) times.published = times.ended + Duration{at("publish").get<std::int64_t>()};
    if (!at("core").is_null()) times.core = core_id(at("core").get<std::size_t>());
    if (!at("dispatcher").is_null()) times.dispatcher = dispatcher_id(at("dispatcher").get<std::size_t>());
    timeline.tasks[i] = times;
  }
}

void read_parts(const json& columns, Timeline& timeline) {
  timeline.blocks.clear();
  const std::vector<std::int64_t> tasks = summed(columns.at("task_delta"));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto ns = [&columns, i](const char* name) { return Duration{columns.at(name).at(i).get<std::int64_t>()}; };
    BlockTimes part{task_id(static_cast<std::size_t>(tasks[i])), core_id(columns.at("core").at(i).get<std::size_t>())};
    part.started = timeline.tasks[index(part.task)].started + ns("started_after");
    part.ended = part.started + ns("duration");
    if (!columns.at("publish").at(i).is_null()) part.published = part.ended + ns("publish");
    timeline.blocks.push_back(part);
  }
}

std::vector<Step> steps_from(const json& columns) {
  std::vector<Step> steps;
  TimePoint at{};
  for (std::size_t i = 0; i < columns.at("kind").size(); ++i) {
    const TimePoint begin = at + Duration{columns.at("gap").at(i).get<std::int64_t>()};
    at = begin + Duration{columns.at("duration").at(i).get<std::int64_t>()};
    steps.push_back({begin, at, static_cast<StepKind>(columns.at("kind").at(i).get<int>())});
  }
  return steps;
}

/// Into the steps, or, where these were not recorded, the busy spans.
void read_steps(const json& run, Timeline& timeline) {
  const bool busy_alone = run.at("step_kinds") == json({"busy"});
  if (busy_alone) {
    timeline.dispatchers.clear();
  } else {
    timeline.steps.clear();
  }
  for (const json& columns : run.at("steps")) {
    const std::vector<Step> steps = steps_from(columns);
    if (!busy_alone) {
      timeline.steps.push_back(steps);
      continue;
    }
    std::vector<Span>& spans = timeline.dispatchers.emplace_back();
    for (const Step& step : steps) spans.push_back({step.begin, step.end});
  }
}

}  // namespace

Timeline run_from(const json& run, const Timeline& like) {
  Timeline timeline = like;
  read_tasks(run.at("tasks"), timeline);
  read_parts(run.at("parts"), timeline);
  read_steps(run, timeline);
  timeline.cores.clear();
  for (const json& word : run.at("cores")) timeline.cores.push_back(*from_word<CoreType>(word.get<std::string>()));
  timeline.roles.clear();
  for (const json& word : run.at("roles")) timeline.roles.push_back(*from_word<ControlRole>(word.get<std::string>()));
  const std::vector<std::int64_t> changes = summed(run.at("queue").at("time_delta"));
  timeline.ready_queue.clear();
  for (std::size_t i = 0; i < changes.size(); ++i)
    timeline.ready_queue.push_back({at_ns(changes[i]), run.at("queue").at("length").at(i).get<int>()});
  const std::vector<std::int64_t> calls = summed(run.at("memory").at("time_delta"));
  timeline.memory.clear();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    timeline.memory.push_back({at_ns(calls[i]), run.at("memory").at("used").at(i).get<std::int64_t>(),
                               run.at("memory").at("reserved").at(i).get<std::int64_t>()});
  }
  return timeline;
}

verify::CompareOutcome compared(const scenarios::Scenario& scenario, const std::vector<Design>& designs, std::uint64_t runs) {
  verify::CompareOutcome outcome;
  outcome.seed = scenario.seed;
  outcome.runs = runs;
  verify::Progress progress;
  for (const Design& design : designs) {
    outcome.series.push_back(verify::predict_runs(scenario, design, scenario.seed, runs, progress, true));
    const verify::Prediction& first = outcome.series.back().first;
    outcome.standings.push_back(
        {design, verify::assess(scenario, first), !first.timeline.dispatchers.empty(), outcome.series.back().makespans});
    for (const std::string& part : verify::random_parts(scenario.graph, scenario.machine, design)) {
      if (std::ranges::find(outcome.random, part) == outcome.random.end()) outcome.random.push_back(part);
    }
  }
  outcome.verdicts = verify::judge_pairs(outcome.standings);
  return outcome;
}

json scenario_page(const scenarios::Scenario& scenario, const verify::CompareOutcome& outcome, const std::filesystem::path& folder) {
  verify::Recordings recordings(folder);
  std::vector<verify::FoundMeasurement> found;
  for (const verify::Standing& standing : outcome.standings)
    found.push_back(verify::find_measurement(scenario, standing.design, recordings));
  const verify::Json data = verify::scenario_data(
      {.scenario = scenario, .source = scenario.name, .outcome = outcome, .measurements = std::move(found), .sensitivity = {}});
  return strict_json(data.dump());
}

}  // namespace tasktwin::tests
