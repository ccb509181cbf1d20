#include "verify/rerun/rerun_file.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/files/text_file.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/rerun/json_field.hpp"

namespace tasktwin::verify {

namespace {

using Field = JsonField;

constexpr int kVersion = 1;
RerunCheck check_of(const Field& field) {
  RerunCheck check{.bytes = field.at("bytes").count(),
                   .allocations = field.at("allocations").count(),
                   .host_bytes = field.at("host_bytes").count(),
                   .unreproducible_bytes = field.at("unreproducible_bytes").count()};
  check.differing_runs = check.is_equal() ? 0 : 1;
  if (field.raw().contains("runs")) {
    check.runs = field.at("runs").count();
    check.differing_runs = field.at("differing_runs").count();
    if (check.differing_runs > check.runs || (check.differing_runs == 0) != check.is_equal())
      field.at("differing_runs").refuse("does not go with the others");
  }
  for (const Field& place : field.at("places").list()) {
    check.places.push_back(
        {place.at("operation").integer(), place.at("allocation").count(), place.at("offset").count(), place.at("bytes").count()});
  }
  return check;
}

std::vector<std::pair<double, double>> spans_of(const Field& field) {
  std::vector<std::pair<double, double>> spans;
  for (const Field& one : field.list()) {
    const auto pair = one.list();
    if (pair.size() != 2 || !pair[0].raw().is_number() || !pair[1].raw().is_number()) one.refuse("is no pair of numbers");
    spans.emplace_back(pair[0].raw().get<double>(), pair[1].raw().get<double>());
  }
  return spans;
}

void check_median(const Field& field, const char* name, const std::vector<double>& times) {
  constexpr double kRounding = 1e-3;
  const bool is_null = field.at(name).raw().is_null();
  if (is_null != times.empty()) field.at(name).refuse(is_null ? "is null beside times" : "is of no times");
  if (!is_null && std::abs(field.at(name).us() - median_of(times)) > kRounding) field.at(name).refuse("is not the median of the times");
}

RerunSchedule schedule_of(const Field& field) {
  RerunSchedule schedule;
  schedule.name = field.at("schedule").text();
  schedule.edges = field.at("edges").count();
  schedule.streams = field.at("streams").count();
  schedule.device_us = field.at("device_us").times();
  schedule.host_us = field.at("host_us").times();
  if (schedule.device_us.size() != schedule.host_us.size()) field.at("host_us").refuse("has not as many values as device_us");
  check_median(field, "median_us", schedule.device_us);
  check_median(field, "median_host_us", schedule.host_us);
  if (field.raw().contains("predicted_us") && !field.at("predicted_us").raw().is_null())
    schedule.predicted_us = field.at("predicted_us").us();
  if (field.raw().contains("operations_us") && !field.at("operations_us").raw().is_null())
    schedule.operations_us = spans_of(field.at("operations_us"));
  if (field.raw().contains("predicted_operations_us") && !field.at("predicted_operations_us").raw().is_null())
    schedule.predicted_operations_us = spans_of(field.at("predicted_operations_us"));
  if (!field.at("check").raw().is_null()) schedule.check = check_of(field.at("check"));
  schedule.remarks = field.at("remarks").texts();
  schedule.not_run = field.at("not_run").text_or_null();
  return schedule;
}

Json check_to_json(const RerunCheck& check) {
  Json places = Json::array();
  for (const RerunPlace& one : check.places)
    places.push_back({{"operation", one.operation}, {"allocation", one.allocation}, {"offset", one.offset}, {"bytes", one.bytes}});
  return {{"equal", check.is_equal()},
          {"runs", check.runs},
          {"differing_runs", check.differing_runs},
          {"bytes", check.bytes},
          {"allocations", check.allocations},
          {"host_bytes", check.host_bytes},
          {"unreproducible_bytes", check.unreproducible_bytes},
          {"places", places}};
}

Json median_or_null(const std::vector<double>& values) { return values.empty() ? Json() : Json(median_of(values)); }

}  // namespace

const RerunSchedule* RerunFile::find(const std::string& schedule) const {
  const auto found = std::ranges::find(schedules, schedule, &RerunSchedule::name);
  return found == schedules.end() ? nullptr : &*found;
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Json to_json(const RerunFile& file) {
  Json schedules = Json::array();
  for (const RerunSchedule& one : file.schedules) {
    schedules.push_back({{"schedule", one.name},
                         {"edges", one.edges},
                         {"streams", one.streams},
                         {"median_us", median_or_null(one.device_us)},
                         {"median_host_us", median_or_null(one.host_us)},
                         {"device_us", one.device_us},
                         {"host_us", one.host_us},
                         {"predicted_us", one.predicted_us ? Json(*one.predicted_us) : Json()},
                         {"operations_us", one.operations_us.empty() ? Json() : Json(one.operations_us)},
                         {"predicted_operations_us", one.predicted_operations_us.empty() ? Json() : Json(one.predicted_operations_us)},
                         {"check", one.check ? check_to_json(*one.check) : Json()},
                         {"remarks", one.remarks},
                         {"not_run", one.not_run.empty() ? Json() : Json(one.not_run)}});
  }
  return {{"tasktwin_rerun",
           {{"version", kVersion},
            {"command", file.command},
            {"exit_code", file.exit_code},
            {"date", file.date},
            {"range", file.range.empty() ? Json() : Json(file.range)},
            {"instance", file.instance},
            {"checked", file.checked},
            {"own_memory", file.own_memory},
            {"machine", file.machine.empty() ? Json() : Json(file.machine)},
            {"ended", file.ended}}},
          {"device", file.device},
          {"program", {{"recorded_us", file.recorded_us}, {"own_us", file.own_us}, {"frees_kept", file.frees_kept}}},
          {"memory", file.memory},
          {"schedules", schedules},
          {"streams", file.streams},
          {"operations", file.operations}};
}

RerunFile read_rerun_file(const std::filesystem::path& path) {
  const std::string name = path.string();
  const Json json = scenarios::parse_json(name, scenarios::read_text_file(name));
  const Field root(name, "'tasktwin rerun' writes such files", "", json);
  const Field head = root.at("tasktwin_rerun");
  if (head.at("version").integer() != kVersion) head.at("version").refuse(fmt::format("is not {}", kVersion));
  RerunFile file;
  file.command = head.at("command").texts();
  file.exit_code = head.at("exit_code").integer();
  file.date = head.at("date").text();
  file.range = head.at("range").text_or_null();
  file.instance = head.at("instance").count();
  file.checked = head.at("checked").flag();
  file.ended = head.at("ended").text();
  if (head.raw().contains("machine")) file.machine = head.at("machine").text_or_null();
  if (head.raw().contains("own_memory")) file.own_memory = head.at("own_memory").flag();
  file.device = root.at("device").raw();
  root.at("device").at("name").text();
  file.recorded_us = root.at("program").at("recorded_us").us();
  file.own_us = root.at("program").at("own_us").times();
  if (root.at("program").raw().contains("frees_kept")) file.frees_kept = root.at("program").at("frees_kept").count();
  file.memory = root.at("memory").raw();
  if (!file.memory.is_null()) {
    for (const char* count : {"allocations", "bytes", "changed_bytes", "unreproducible_bytes"}) root.at("memory").at(count).count();
    if (file.memory.contains("runs")) {
      for (const char* count : {"runs", "differing_runs"}) root.at("memory").at(count).count();
    }
  }
  for (const Field& one : root.at("schedules").list()) {
    RerunSchedule schedule = schedule_of(one);
    if (file.find(schedule.name)) one.at("schedule").refuse(fmt::format("is '{}' a second time", schedule.name));
    file.schedules.push_back(std::move(schedule));
  }
  file.streams = root.at("streams").raw();
  for (const Field& one : root.at("streams").list()) one.at("kind").text();
  file.operations = root.at("operations").raw();
  for (const Field& one : root.at("operations").list()) one.at("kind").text();
  return file;
}

}  // namespace tasktwin::verify
