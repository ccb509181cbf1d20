#include "scenarios/claim_files/claim_schema.hpp"

#include "scenarios/generators/task_bench.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

namespace schema {

namespace {

/// What the scenario that a comparison makes is checked for.
Json as_in_a_scenario(std::string_view of) { return {{"description", "as in a scenario" + std::string(of)}}; }

Json ratio() {
  const Json bound = positive("", 1e6);
  return map("where baseline / contender lies if the claim holds", {{"at_least", bound}, {"at_most", bound}});
}

Json comparison() {
  const auto side = [](std::string_view meaning) {
    return or_else("string", map(meaning, {{"design", text("the name of a design")}, {"graph", as_in_a_scenario("")}}, {"design"}));
  };
  return map("",
             {{"scenario", name("its name")},
              {"machine", as_in_a_scenario("")},
              {"graph", as_in_a_scenario("")},
              {"seed", as_in_a_scenario("")},
              {"metg", word("compares METG(50 %) on this pattern of Task Bench, not the makespans of a graph", all_words<Pattern>())},
              {"baseline", side("the side that is divided: the name of a design, or a map of its name and a graph of its own")},
              {"contender", side("the side that it is divided by, likewise")},
              {"ratio", ratio()}},
             {"scenario", "baseline", "contender", "ratio"});
}

}  // namespace

}  // namespace schema

const Schema& claim_schema() {
  static const Schema made([] {
    using namespace schema;
    constexpr std::string_view kOfAll = ", of every comparison that has none of its own";
    const Json design{{"description", "a named design, or a map as in a scenario"}, {"type", {"string", "object"}}};
    return document("tasktwin claim", map("what is said about a mechanism, and the comparisons that it is held against",
                                          {{"claim", name("its name")},
                                           {"title", text("the claim in one line")},
                                           {"claimed", text("what is claimed, and how much")},
                                           {"source", text("where the claim comes from")},
                                           {"workload", text("what is run, and why it is a fair test")},
                                           {"machine", as_in_a_scenario(kOfAll)},
                                           {"graph", as_in_a_scenario(kOfAll)},
                                           {"designs", list("designs as in a scenario; named ones need not be listed", design)},
                                           {"seed", as_in_a_scenario(kOfAll)},
                                           {"comparisons", list("what is measured and predicted", comparison())}},
                                          {"claim", "title", "claimed", "source", "workload", "comparisons"}));
  }());
  return made;
}

}  // namespace tasktwin::scenarios
