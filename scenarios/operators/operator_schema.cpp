#include "scenarios/operators/operator_schema.hpp"

#include <set>
#include <utility>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/schema/schema_parts.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios::schema {

namespace {

constexpr int kMaxName = 100;
constexpr std::int64_t kMostDraws = 1'000'000;

Json sizes(std::string_view meaning) {
  return {{"description", meaning}, {"type", "object"}, {"additionalProperties", whole("", 1, kMaxBytes)}};
}

/// The values are checked as those of tasks, once expressions have become numbers.
Json piece(std::string_view meaning) {
  const std::set<std::string_view> of_the_whole{"name", "after", "spawned_by"};
  Json fields = Json::object();
  for (const TaskField& field : task_fields()) {
    if (of_the_whole.contains(field.name)) continue;
    Json value = Json::object();
    if (field.schema.contains("description")) value["description"] = field.schema["description"];
    fields[std::string(field.name)] = std::move(value);
  }
  return map(meaning, std::move(fields));
}

Json predecessor() {
  Json same = list("", text("", kMaxName));
  same["type"] = {"array", "object"};
  same["additionalProperties"] = text("the other operator's name of it", kMaxName);
  same["description"] =
      "dimensions along which a piece needs only those pieces that overlap it: names, or its own name and the other operator's";
  Json either = or_else("string", map("", {{"operator", text("name of the operator", kMaxName)}, {"same", std::move(same)}}, {"operator"}));
  either.update({{"minLength", 1}, {"maxLength", kMaxName}});
  return either;
}

}  // namespace

Json operators() {
  Json reduces =
      map("sums over dimensions: where it is cut along one of them, a piece more joins what those pieces made",
          {{"over", list("dimensions", text("", kMaxName))}, {"piece", piece("what a task that sums takes")}}, {"over", "piece"});
  return list("operators that are cut into pieces, each of which is a task",
              map("",
                  {{"name", name("unique name")},
                   {"extents", sizes("its dimensions, such as rows, columns, depth, experts or heads, with their sizes")},
                   {"cut", sizes("the size of a piece along a dimension; the whole where it is left out")},
                   {"piece", piece("what the task of a piece takes: fields of a task, of which numbers may be expressions")},
                   {"reduces", std::move(reduces)},
                   {"fused", truth("the pieces that wait for it do it themselves, each for its own part: their costs are added")},
                   {"after", list("operators it waits for: all of one, or the pieces that overlap its own", predecessor())}},
                  {"name", "piece"}));
}

Json draws() {
  constexpr double kMostDrawn = 1e12;
  Json rows = list("a row for each draw", list("by place, from 0", number("", 0, kMostDrawn)));
  return {{"description", "numbers that differ from run to run together, which expressions call table(place)"},
          {"type", "object"},
          {"additionalProperties", std::move(rows)}};
}

Json draw() { return whole("the row of each table of draws that counts, from 0", 0, kMostDraws - 1, 0); }

}  // namespace tasktwin::scenarios::schema
