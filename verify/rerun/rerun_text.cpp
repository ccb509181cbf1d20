#include "verify/rerun/rerun_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/output/text/text_table.hpp"

namespace tasktwin::verify {

namespace {

std::string us(double value) { return format_us(value * 1e3); }

std::string count(std::uint64_t number, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", format_count(static_cast<std::int64_t>(number)), number == 1 ? one : several);
}

bool differs(const RerunSchedule& schedule) { return schedule.name != "as-captured" && schedule.check && !schedule.check->is_equal(); }

std::string results_of(const RerunSchedule& schedule, const RerunFile& file) {
  if (schedule.name == "as-captured") return file.checked ? "the reference" : "not checked";
  if (!schedule.check) return "not checked";
  if (differs(schedule)) return count(schedule.check->bytes + schedule.check->host_bytes, "byte differs", "bytes differ");
  return schedule.check->unreproducible_bytes > 0 ? "equal *" : "equal";
}

std::string counts_of(const RerunFile& file) {
  std::size_t kernels = 0;
  std::size_t graphs = 0;
  for (const Json& one : file.operations) {
    kernels += one.at("kind") == "kernel" ? 1 : 0;
    graphs += one.at("kind") == "graph" ? 1 : 0;
  }
  std::string text = count(kernels, "kernel", "kernels");
  if (graphs > 0) text += ", " + count(graphs, "launch of a graph", "launches of graphs");
  const std::size_t others = file.operations.size() - kernels - graphs;
  if (others > 0) text += ", " + count(others, "copy or memset", "copies and memsets");
  return fmt::format("{} on {}", text, count(file.streams.size(), "stream", "streams"));
}

std::string name_of(const RerunFile& file, int operation) {
  if (operation < 0 || static_cast<std::size_t>(operation) >= file.operations.size()) return "no operation";
  const Json& one = file.operations[static_cast<std::size_t>(operation)];
  const std::string name =
      one.contains("name") && one.at("name").is_string() ? one.at("name").get<std::string>() : one.at("kind").get<std::string>();
  return fmt::format("operation {} ({})", operation, shorten(name, 60));
}

std::string differences_of(const RerunFile& file) {
  std::string text;
  for (const RerunSchedule& one : file.schedules) {
    if (!one.check || one.check->is_equal()) continue;
    text += fmt::format("{}: {} of {}", one.name, count(one.check->bytes, "byte differs", "bytes differ"),
                        count(one.check->allocations, "allocation", "allocations"));
    if (one.check->runs > 1) text += fmt::format(", in {} of {} runs", one.check->differing_runs, one.check->runs);
    if (!file.memory.is_null() && file.memory.at("unreproducible_bytes").get<std::uint64_t>() > 0)
      text += " (the original order does not leave the same each time either: these may be more of that)";
    if (one.check->host_bytes > 0)
      text += fmt::format(", and {} that were copied to the host", format_count(static_cast<std::int64_t>(one.check->host_bytes)));
    text += "\n";
    for (const RerunPlace& place : one.check->places) {
      text += fmt::format("  in allocation 0x{:x} from byte {} on, which {} names last\n", place.allocation,
                          format_count(static_cast<std::int64_t>(place.offset)), name_of(file, place.operation));
    }
  }
  return text;
}

/// How often the results of a schedule were compared.
std::uint64_t runs_of(const RerunFile& file) {
  std::uint64_t most = 0;
  for (const RerunSchedule& one : file.schedules) most = std::max(most, one.check ? one.check->runs : 0);
  return most;
}

std::string memory_of(const RerunFile& file) {
  if (!file.checked) return "results were not checked, and memory was not put back (--no-check)\n";
  if (file.memory.is_null()) return "";
  const auto bytes = [&file](const char* what) { return file.memory.at(what).get<std::uint64_t>(); };
  std::string text =
      fmt::format("results were compared bit by bit with what the original order leaves, over {} ({} MiB)",
                  count(bytes("allocations"), "allocation", "allocations"), format_count(static_cast<std::int64_t>(bytes("bytes") >> 20)));
  if (const std::uint64_t runs = runs_of(file); runs > 1) text += fmt::format(", in {} runs of each schedule", runs);
  text += "\n";
  if (bytes("unreproducible_bytes") > 0) {
    text += fmt::format("* but for {} in which the original order differs from itself when it is run again (as with atomics)",
                        count(bytes("unreproducible_bytes"), "byte", "bytes"));
    if (file.memory.contains("runs")) text += fmt::format(": in {} of {} runs", bytes("differing_runs"), bytes("runs"));
    text += "\n";
  }
  return text;
}

}  // namespace

std::string to_text(const RerunFile& file) {
  std::string text = fmt::format("{}: {}, run again on {}\n", file.range.empty() ? "an iteration" : "range " + file.range, counts_of(file),
                                 file.device.at("name").get<std::string>());
  const bool predicted = std::ranges::any_of(file.schedules, [](const RerunSchedule& one) { return one.predicted_us.has_value(); });
  std::vector<std::string> header{"schedule", "edges", "streams", "device", "with host", "of as-captured", "results"};
  if (predicted) header.insert(header.begin() + 5, {"predicted", "error"});
  TextTable table(header);
  const RerunSchedule* const captured = file.find("as-captured");
  for (const RerunSchedule& one : file.schedules) {
    if (one.device_us.empty()) continue;
    const double median = median_of(one.device_us);
    const bool has_ratio = captured && !captured->device_us.empty();
    const double with_host = median_of(one.host_us);
    std::vector<std::string> row{one.name,
                                 std::to_string(one.edges),
                                 std::to_string(one.streams),
                                 us(median),
                                 us(with_host),
                                 has_ratio ? fmt::format("{:.3f}", median / median_of(captured->device_us)) : "",
                                 differs(one) ? coloured(results_of(one, file), Tone::kBad) : results_of(one, file)};
    if (predicted) {
      row.insert(row.begin() + 5, {one.predicted_us ? us(*one.predicted_us) : "",
                                   one.predicted_us ? format_percent(*one.predicted_us / with_host - 1, true) : ""});
    }
    table.add_row(row);
  }
  text += table.to_string();
  if (!file.own_us.empty()) text += fmt::format("the program itself takes {} for it, device and host\n", us(median_of(file.own_us)));
  if (file.own_memory) text += "it ran without PyTorch's caching allocator, so that each tensor has memory of its own (--own-memory)\n";
  if (file.frees_kept > 0)
    text +=
        fmt::format("memory that it frees meanwhile was freed when it had been run again: {}\n", count(file.frees_kept, "time", "times"));
  if (predicted) text += fmt::format("predicted before, with the host, by a capture of the program and machine {}\n", file.machine);
  text += memory_of(file) + differences_of(file);
  for (const RerunSchedule& one : file.schedules) {
    if (!one.not_run.empty()) text += fmt::format("{}: not run: {}\n", one.name, one.not_run);
    for (const std::string& remark : one.remarks) text += fmt::format("{}: {}\n", one.name, remark);
  }
  return text;
}

Json summary_of(const RerunFile& file) {
  Json schedules = Json::array();
  for (const RerunSchedule& one : file.schedules) {
    if (one.device_us.empty()) continue;
    const auto [least, most] = std::ranges::minmax(one.host_us);
    schedules.push_back({{"schedule", one.name},
                         {"device_us", median_of(one.device_us)},
                         {"host_us", median_of(one.host_us)},
                         {"least_us", least},
                         {"most_us", most},
                         {"predicted_us", one.predicted_us ? Json(*one.predicted_us) : Json(nullptr)},
                         {"results", results_of(one, file)},
                         {"differs", differs(one)}});
  }
  return {{"device", file.device.at("name")}, {"date", file.date},
          {"command", file.command},          {"program_us", file.own_us.empty() ? Json(nullptr) : Json(median_of(file.own_us))},
          {"own_memory", file.own_memory},    {"schedules", std::move(schedules)}};
}

namespace {

/// A process of a Chrome trace: when each operation ran, or runs as it is simulated.
void add_process(Json& events, const std::string& name, const RerunFile& file, const std::vector<std::pair<double, double>>& times) {
  if (times.empty()) return;
  const auto process = std::ranges::count_if(events, [](const Json& one) { return one.at("name") == "process_name"; });
  events.push_back({{"ph", "M"}, {"name", "process_name"}, {"pid", process}, {"args", {{"name", name}}}});
  for (std::size_t stream = 0; stream < file.streams.size(); ++stream) {
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", process},
                      {"tid", stream},
                      {"args", {{"name", fmt::format("operations of stream {}", stream)}}}});
  }
  for (std::size_t i = 0; i < std::min(file.operations.size(), times.size()); ++i) {
    const auto [begin, end] = times[i];
    if (begin < 0) continue;
    const Json& operation = file.operations[i];
    const std::string what = operation.contains("name") ? operation.at("name").get<std::string>() : operation.at("kind").get<std::string>();
    events.push_back({{"ph", "X"},
                      {"name", shorten(what, 80)},
                      {"pid", process},
                      {"tid", operation.at("stream")},
                      {"ts", begin},
                      {"dur", end - begin},
                      {"args", {{"operation", i}}}});
  }
}

}  // namespace

Json trace_of(const RerunFile& file) {
  Json events = Json::array();
  for (const RerunSchedule& schedule : file.schedules) {
    add_process(events, schedule.name, file, schedule.operations_us);
    add_process(events, schedule.name + ", predicted", file, schedule.predicted_operations_us);
  }
  return {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
}

std::vector<RerunSlowdown> slower_than(const RerunFile& now, const RerunFile& before, double above) {
  std::vector<RerunSlowdown> slower;
  bool common = false;
  for (const RerunSchedule& one : now.schedules) {
    const RerunSchedule* const other = before.find(one.name);
    if (!other || other->device_us.empty() || one.device_us.empty()) continue;
    common = true;
    const double before_us = median_of(other->device_us);
    const double now_us = median_of(one.device_us);
    if (now_us > before_us * (1 + above)) slower.push_back({one.name, before_us, now_us});
  }
  if (!common) throw InputError("--against: no schedule was measured both there and here");
  return slower;
}

}  // namespace tasktwin::verify
