#include "verify/bench/claims/claim_records.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "scenarios/formats/json_file.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/files/output_paths.hpp"
#include "verify/predict/graph_hash.hpp"
#include "verify/predict/statistics.hpp"
#include "verify/recordings/recorded.hpp"
#include "verify/recordings/recorded_values.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;
using scenarios::JsonPlace;

namespace {

constexpr std::int64_t kFormat = 1;

Json claim_to_json(const RecordedClaim& claim) {
  Json json = {{"id", claim.id},
               {"machine_hash", claim.machine_hash},
               {"device", claim.origin.device},
               {"driver", claim.origin.driver},
               {"runtime", claim.origin.runtime},
               {"date", claim.origin.date},
               {"commit", claim.origin.commit},
               {"command", claim.origin.command},
               {"comparisons", Json::array()}};
  for (const RecordedComparison& one : claim.comparisons) {
    const Figures figures{static_cast<double>(to_ns(median_duration(one.baseline.makespans))),
                          static_cast<double>(to_ns(median_duration(one.contender.makespans)))};
    json["comparisons"].push_back({{"scenario", one.scenario},
                                   {"ratio", figures.ratio()},
                                   {"baseline", side_to_json(one.baseline)},
                                   {"contender", side_to_json(one.contender)}});
  }
  return json;
}

RecordedClaim claim_from(const JsonPlace& place) {
  place.object_of({"id", "machine_hash", "device", "driver", "runtime", "date", "commit", "command", "comparisons"});
  const auto text = [&place](const char* name) { return place.at(name).text(); };
  RecordedClaim claim{.id = text("id"),
                      .machine_hash = hash_from(place.at("machine_hash")),
                      .origin = {text("device"), text("driver"), text("runtime"), text("date"), text("commit"), text("command")},
                      .comparisons = {}};
  const JsonPlace list = place.at("comparisons").list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonPlace one = list[i].object_of({"scenario", "ratio", "baseline", "contender"});
    claim.comparisons.push_back({one.at("scenario").text(), side_from(one.at("baseline")), side_from(one.at("contender"))});
  }
  return claim;
}

}  // namespace

fs::path claim_records_path(const fs::path& folder, std::string_view machine) { return folder / file_word(machine) / "claims.json"; }

std::vector<RecordedClaim> read_claim_records(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const std::string name = file.string();
  const Json json = scenarios::read_json_file(name, kMaxFactsBytes);
  const JsonPlace root = JsonPlace(name, json).object_of({"format", "claims"});
  root.at("format").whole(kFormat, kFormat);
  const JsonPlace list = root.at("claims").list();
  std::vector<RecordedClaim> claims;
  for (std::size_t i = 0; i < list.size(); ++i) {
    claims.push_back(claim_from(list[i]));
    if (std::ranges::count(claims, claims.back().id, &RecordedClaim::id) > 1)
      list[i].at("id").refuse(fmt::format("is '{}', which a claim before it has already", claims.back().id));
  }
  return claims;
}

void write_claim_record(const fs::path& file, const RecordedClaim& claim) {
  std::vector<RecordedClaim> claims = read_claim_records(file);
  const auto before = std::ranges::find(claims, claim.id, &RecordedClaim::id);
  if (before == claims.end()) {
    claims.push_back(claim);
  } else {
    *before = claim;
  }
  Json list = Json::array();
  for (const RecordedClaim& one : claims) list.push_back(claim_to_json(one));
  write_file(file, to_text(Json{{"format", kFormat}, {"claims", std::move(list)}}), Replaces::kWhatWasRead);
}

Json side_to_json(const MeasuredSide& side) {
  Json makespans = Json::array();
  for (const Duration makespan : side.makespans) makespans.push_back(to_ns(makespan));
  Json json{{"design", side.design},
            {"axes", Json::parse(side.axes)},
            {"graph_hash", side.graph_hash},
            {"makespans_ns", std::move(makespans)},
            {"ordering_violations", side.ordering_violations},
            {"residual", optional_number(side.residual)},
            {"residual_limit", side.residual_limit}};
  if (side.host_call > Nanoseconds{0}) json["host_call_ns"] = side.host_call.count();
  return json;
}

MeasuredSide side_from(const JsonPlace& place) {
  place.object_of({"design", "axes", "graph_hash", "makespans_ns", "ordering_violations", "residual", "residual_limit", "host_call_ns"});
  MeasuredSide side{.design = place.at("design").text(),
                    .axes = axes_from(place.at("axes")),
                    .graph_hash = hash_from(place.at("graph_hash")),
                    .makespans = durations_from(place.at("makespans_ns")),
                    .host_call = {},
                    .ordering_violations = count_from(place.at("ordering_violations")),
                    .residual = {},
                    .residual_limit = residual_from(place.at("residual_limit"))};
  if (const auto host_call = place.find("host_call_ns")) side.host_call = nanoseconds_from(*host_call);
  if (const auto residual = place.at("residual"); !residual.is_null()) side.residual = residual_from(residual);
  return side;
}

std::optional<std::string> why_outdated(const MeasuredSide& side, const scenarios::Scenario& scenario) {
  if (side.graph_hash != graph_hash(scenario.graph)) return fmt::format("'{}' was measured on another graph", side.design);
  if (const auto changed = changed_axis(side.axes, scenario.designs.front()))
    return fmt::format("'{}' was measured with another design: {}", side.design, *changed);
  return std::nullopt;
}

}  // namespace tasktwin::verify
