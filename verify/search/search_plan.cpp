#include "verify/search/search_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "scenarios/files/data_folder.hpp"
#include "scenarios/files/files_read.hpp"
#include "scenarios/formats/json_place.hpp"
#include "verify/output/text/terminal.hpp"
#include "verify/predict/design_names.hpp"
#include "verify/predict/run_bounds.hpp"
#include "verify/search/search_results.hpp"

namespace tasktwin::verify {

namespace {

/// As --runs has them.
constexpr std::uint64_t kMostRuns = 100'000;

/// FNV-1a (64 bits) of a file's bytes; 0 for one that cannot be read.
std::uint64_t hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t hash = file ? 0xcbf29ce484222325ull : 0;
  for (std::istreambuf_iterator<char> c(file), end; c != end; ++c) hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3ull;
  return hash;
}

/// By design, the number of its point with the lowest makespan of all scenarios together; of equal ones the first.
std::vector<std::optional<std::uint64_t>> best_points(const SearchSpace& space, const PointResults& results) {
  std::vector<std::optional<std::uint64_t>> best(space.designs().size());
  std::vector<double> lowest(best.size());
  for (const auto& [number, result] : results) {
    const std::optional<double> known = number < space.numbers() ? score(result) : std::nullopt;
    const std::size_t design = known ? space.at(number).design : 0;
    if (!known || (best[design] && lowest[design] <= *known)) continue;
    best[design] = number;
    lowest[design] = *known;
  }
  return best;
}

}  // namespace

Json to_json(const SearchPlan& plan) {
  Json files = Json::array();
  for (const std::string& scenario : plan.scenarios) files.push_back(hash_of_file(scenarios::find_scenario(scenario).path));
  return {{"scenarios", plan.scenarios},
          {"files", std::move(files)},
          {"designs", plan.designs},
          {"vary", plan.vary},
          {"method", to_word(plan.settings.method)},
          {"budget", plan.settings.budget},
          {"runs", plan.settings.runs},
          {"seed", plan.settings.seed},
          {"prune", plan.settings.prune}};
}

SearchPlan plan_from(const Json& json, const std::string& file) {
  const scenarios::JsonPlace place = scenarios::JsonPlace(file, json, "plan")
                                         .object_of({"scenarios", "files", "designs", "vary", "method", "budget", "runs", "seed", "prune"});
  const auto texts = [&place](const char* key) {
    std::vector<std::string> all;
    const scenarios::JsonPlace list = place.at(key).list();
    for (std::size_t i = 0; i < list.size(); ++i) all.push_back(list[i].text());
    return all;
  };
  const auto whole = [&place](const char* key, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t number = place.at(key).id();
    if (number < least || number > most) place.at(key).refuse(fmt::format("is {}; must be {} to {}", number, least, most));
    return number;
  };
  SearchPlan plan;
  plan.scenarios = texts("scenarios");
  if (plan.scenarios.empty()) place.at("scenarios").refuse("is empty");
  plan.designs = place.at("designs").text();
  plan.vary = texts("vary");
  const std::string method = place.at("method").text();
  const auto known = from_word<SearchMethod>(method);
  if (!known) place.at("method").refuse(fmt::format("unknown value '{}'{}", method, suggest(method, all_words<SearchMethod>())));
  plan.settings.method = *known;
  plan.settings.budget = whole("budget", 1, kMostSimulations);
  plan.settings.runs = whole("runs", 1, kMostRuns);
  plan.settings.seed = whole("seed", 0, std::numeric_limits<std::uint64_t>::max());
  plan.settings.prune = place.at("prune").boolean();
  const scenarios::JsonPlace hashes = place.at("files").list();
  if (hashes.size() != plan.scenarios.size()) hashes.refuse("must have a hash for each of the scenarios");
  for (std::size_t i = 0; i < plan.scenarios.size(); ++i) {
    if (hashes[i].id() != hash_of_file(scenarios::find_scenario(plan.scenarios[i]).path))
      throw InputError({file}, fmt::format("{} is no longer what it was when the search was begun; begin it anew", plan.scenarios[i]));
  }
  return plan;
}

SearchSpace space_of(const SearchPlan& plan) {
  const scenarios::VariedScenario first(plan.scenarios.front(), design_names(plan.designs));
  const std::vector<std::string> designs = chosen_designs(first, plan.designs);
  std::vector<SearchAxis> axes;
  for (const std::string& text : plan.vary) {
    axes.push_back(parse_search_axis(text, designs));
    refuse_left_out(first, designs, text.substr(0, text.find('=')));
  }
  return {designs, std::move(axes)};
}

bool is_database(const std::string& file) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  if (std::error_code ignored; !std::filesystem::is_regular_file(file, ignored)) return false;  // a pipe would be waited for
  std::ifstream stream(file, std::ios::binary);
  std::string head(kMagic.size(), '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  return stream && head == kMagic;
}

std::vector<Selection> best_of_search(const std::string& file, const std::string& designs) {
  scenarios::note_read(file);
  ResultFile results(file, Database::Mode::kRead);
  const SearchPlan plan = plan_from(results.plan(), file);
  const SearchSpace space = space_of(plan);
  for (const SearchAxis& axis : space.axes()) {
    if (!axis.path.starts_with("designs."))
      throw InputError({file}, fmt::format("the search varies {}, so that its points are no designs of one scenario", axis.path));
  }
  const PointResults known = results.read(space, plan.scenarios.size());
  const auto best = best_points(space, known);
  const std::vector<std::string> wanted = design_names(designs);
  for (const std::string& name : wanted) {
    if (std::ranges::find(space.designs(), name) == space.designs().end())
      throw InputError(fmt::format("--designs: the search in {} has no design '{}'", file, name));
  }
  std::vector<Selection> selections;
  for (const std::string& path : plan.scenarios) {
    Selection selection{path, load_on(path, "", {}, space.designs()), {}};
    scenarios::VariedScenario varied(path, space.designs());
    for (std::size_t d = 0; d < best.size(); ++d) {
      const std::string& name = space.designs()[d];
      if (!wanted.empty() && std::ranges::find(wanted, name) == wanted.end()) continue;
      if (!best[d]) {
        if (path == plan.scenarios.front()) remark(fmt::format("{}: no point of {} ran, so that it is left out", file, name));
        continue;
      }
      const scenarios::Scenario& of_point = varied.with(space.overrides(space.at(*best[d])), name);
      Design design = of_point.designs.front();
      const std::string why = below_bound(of_point, design, known.at(*best[d]).makespans[selections.size()]);
      if (!why.empty()) throw InputError({file}, fmt::format("runs: point {}: {}", *best[d], why));
      design.name = fmt::format("{}#{}", name, *best[d]);
      selection.designs.push_back(std::move(design));
    }
    if (selection.designs.empty()) throw InputError({file}, "has no point that ran");
    selections.push_back(std::move(selection));
  }
  return selections;
}

}  // namespace tasktwin::verify
