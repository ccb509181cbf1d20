#include "verify/claims/claim_records.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "models/error.hpp"
#include "verify/comparison.hpp"
#include "verify/facts_file.hpp"
#include "verify/graph_hash.hpp"
#include "verify/output/atomic_file.hpp"
#include "verify/output/output_paths.hpp"
#include "verify/recorded.hpp"

namespace tasktwin::verify {

namespace fs = std::filesystem;

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

RecordedClaim claim_from_json(const Json& json) {
  const auto text = [&json](const char* name) { return json.at(name).get<std::string>(); };
  RecordedClaim claim{.id = text("id"),
                      .machine_hash = text("machine_hash"),
                      .origin = {text("device"), text("driver"), text("runtime"), text("date"), text("commit"), text("command")},
                      .comparisons = {}};
  for (const Json& one : json.at("comparisons")) {
    claim.comparisons.push_back(
        {one.at("scenario").get<std::string>(), side_from_json(one.at("baseline")), side_from_json(one.at("contender"))});
  }
  return claim;
}

}  // namespace

fs::path claim_records_path(const fs::path& folder, std::string_view machine) { return folder / file_word(machine) / "claims.json"; }

std::vector<RecordedClaim> read_claim_records(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return {};
  const FactsFile facts(file);
  facts.require(facts.whole("format") == kFormat, "format", "1");
  facts.require(facts.at("claims").is_array(), "claims", "a list");
  std::vector<RecordedClaim> claims;
  for (const Json& json : facts.at("claims")) {
    const std::string where = fmt::format("claims[{}]", claims.size());
    try {
      claims.push_back(claim_from_json(json));
    } catch (const nlohmann::json::exception& wrong) {
      throw InputError({file.string()}, fmt::format("{} is damaged ({}); record it anew", where, wrong.what()));
    } catch (const InputError& wrong) {
      throw InputError({file.string()}, fmt::format("{}: {}", where, wrong.what()));
    }
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
  write_file(file, to_text(Json{{"format", kFormat}, {"claims", std::move(list)}}));
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

MeasuredSide side_from_json(const Json& json) {
  MeasuredSide side{.design = json.at("design").get<std::string>(),
                    .axes = json.at("axes").dump(),
                    .graph_hash = json.at("graph_hash").get<std::string>(),
                    .makespans = {},
                    .host_call = Nanoseconds{json.value("host_call_ns", 0.0)},
                    .ordering_violations = json.at("ordering_violations").get<std::int64_t>(),
                    .residual = {},
                    .residual_limit = json.at("residual_limit").get<double>()};
  if (!json.at("axes").is_object()) throw InputError("axes must be an object");
  for (const Json& makespan : json.at("makespans_ns")) side.makespans.emplace_back(makespan.get<std::int64_t>());
  if (side.makespans.empty()) throw InputError("makespans_ns must have at least one");
  if (std::ranges::any_of(side.makespans, [](Duration one) { return one <= Duration{0}; }))
    throw InputError("makespans_ns must be above 0 ns throughout");
  if (!json.at("residual").is_null()) side.residual = json.at("residual").get<double>();
  return side;
}

std::optional<std::string> why_outdated(const MeasuredSide& side, const scenarios::Scenario& scenario) {
  if (side.graph_hash != graph_hash(scenario.graph)) return fmt::format("'{}' was measured on another graph", side.design);
  if (const auto changed = changed_axis(side.axes, scenario.designs.front()))
    return fmt::format("'{}' was measured with another design: {}", side.design, *changed);
  return std::nullopt;
}

}  // namespace tasktwin::verify
