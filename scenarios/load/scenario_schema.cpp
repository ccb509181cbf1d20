#include "scenarios/load/scenario_schema.hpp"

#include <limits>

#include "models/graph/collective_kernels.hpp"
#include "scenarios/designs/design_schema.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/machine_files/machine_schema.hpp"
#include "scenarios/operators/operator_schema.hpp"
#include "scenarios/tasks/kernel_schemas.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

namespace schema {

namespace {

Json value_of(const Parameter& parameter) {
  if (parameter.is_word()) return word(parameter.meaning, parameter.words, parameter.word);
  Json range = whole(parameter.meaning, parameter.min, parameter.max, parameter.value);
  if (parameter.multiple_of != 1) range["multipleOf"] = parameter.multiple_of;
  return range;
}

Json task() {
  Json properties;
  for (const TaskField& field : task_fields()) properties[std::string(field.name)] = field.schema;
  return map("", std::move(properties), {"name"});
}

/// What holds for a graph with the key `key` and without a generator.
Json without_generator(std::string_view key, Json then) {
  then.erase("type");
  return {{"if", {{"required", {key}}, {"not", {{"required", {"generator"}}}}}}, {"then", std::move(then)}};
}

Json generated(const Generator& generator) {
  const Json is_it{{"const", generator.name}};
  Json properties{{"generator", is_it}};
  for (const Parameter& parameter : generator.parameters) properties[std::string(parameter.name)] = value_of(parameter);
  return {{"if", {{"properties", {{"generator", is_it}}}, {"required", {"generator"}}}},
          {"then", {{"description", generator.meaning}, {"properties", std::move(properties)}, {"additionalProperties", false}}}};
}

Json imported() {
  std::vector<std::string_view> formats;
  for (const Importer& importer : importers()) formats.push_back(importer.name);
  Json properties{{"import", text("the file, beside this one", {})},
                  {"format", word("its format; found by its beginning where it is left out", formats)}};
  properties["replay_off_percent"] = number(
      "by how much the run, simulated as it was captured, misses its captured time, where import found that to be much", -1000, 1000);
  for (const ImportOptionField& field : import_option_fields()) {
    properties[std::string(field.name)] = field.number ? whole(field.meaning, 0, std::numeric_limits<std::int32_t>::max())
                                          : field.list ? list(field.meaning, text("", {}))
                                                       : text(field.meaning, {});
  }
  return map("the file of another program, which is read anew each time", std::move(properties), {"import"});
}

Json graph() {
  std::vector<std::string_view> names;
  Json kinds = Json::array({without_generator("tasks", map("tasks written out", {{"tasks", list("", task())}})),
                            without_generator("operators", map("operators that are cut into pieces, each a task",
                                                               {{"operators", operators()}, {"draws", draws()}, {"draw", draw()}})),
                            without_generator("records", map("a captured run of the Ascend runtime: its rows are the tasks",
                                                             {{"records", text("chip_swimlane_records.json, beside this file", {})},
                                                              {"deps", text("deps.json, beside this file", {})},
                                                              {"run", whole("run_epoch of the run that is meant, where there are several",
                                                                            0, std::numeric_limits<std::int64_t>::max())}},
                                                             {"records", "deps"})),
                            without_generator("import", imported())});
  for (const Generator& generator : generators()) {
    names.push_back(generator.name);
    kinds.push_back(generated(generator));
  }
  return {
      {"description",
       "tasks written out, operators that are cut into tasks, a generator with its parameters, a file of another program, or a capture"},
      {"type", "object"},
      {"properties", {{"generator", word("family of task graphs", names)}}},
      {"allOf", std::move(kinds)}};
}

}  // namespace

}  // namespace schema

const Schema& scenario_schema() {
  static const Schema made([] {
    using namespace schema;
    auto [changes, definitions] = machine_parts(Stated::kAsChanges);
    changes["from"] = text("machine to start from", {});
    Json json =
        map("one task graph on one machine under one or more designs",
            {{"scenario", name("its name")},
             {"description", remark()},
             {"question", text("what the scenario is there to answer")},
             {"finding", text("the answer that its simulation gave")},
             {"machine", or_else("string", map("the name of a shipped machine, a machine file, or one of them with changes",
                                               std::move(changes), {"from"}))},
             {"kernels", own_kernels()},
             {"buffers", own_buffers()},
             {"graph", graph()},
             {"collectives", map("who makes the graph's collectives",
                                 {{"by", word("the library (a design's axis collective), or kernels of the graph that read other devices' "
                                              "memory: all at once, or an all_reduce in two steps",
                                              all_words<CollectivesBy>())},
                                  {"pieces", whole("tasks of a rank's step, which share its bytes; workers run one at a time", 1, 4096, 1)},
                                  {"blocks", whole("blocks of a piece, as where a kernel is launched", 1, 65'536, 1)}},
                                 {"by"})},
             {"designs", designs()},
             {"seed", whole("of everything random", 0, std::numeric_limits<std::int64_t>::max(), 1)}},
            {"scenario", "machine", "graph", "designs"});
    json["definitions"] = std::move(definitions);
    return document("tasktwin scenario", std::move(json));
  }());
  return made;
}

}  // namespace tasktwin::scenarios
