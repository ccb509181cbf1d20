#include "scenarios/machine_files/machine_schema.hpp"

#include <cmath>

#include "models/machine/machine.hpp"
#include "scenarios/machine_files/devices_file.hpp"
#include "scenarios/machine_files/machine_file.hpp"

namespace tasktwin::scenarios::schema {

namespace {

constexpr std::int64_t kMaxCores = 100'000;

/// `properties` with where a value comes from.
Json sourced(Json properties) {
  properties["method"] = text("how it was measured: a name of 'methods'", 200);
  properties["published"] = text("where it is published", 2000);
  properties["assumed"] = text("why this value is assumed", 2000);
  properties["date"] = text("YYYY-MM-DD", {});
  return properties;
}

/// A value with its source, or the bare number.
Json value_or_number(const Json& value, Json properties) {
  properties["value"] = value;
  Json schema = or_else("number", map("", sourced(std::move(properties)), {"value"}));
  for (const char* key : {"minimum", "maximum"}) schema[key] = value[key];
  return schema;
}

Json constant() {
  Json interval = list("95 % confidence interval of value", number("", 0, kMaxConstant), 2);
  interval["maxItems"] = 2;
  return value_or_number(number("in the unit of the key's suffix", 0, kMaxConstant), {{"interval", interval}});
}

Json count(const ConstantField& field) {
  Json schema = value_or_number(whole("", std::llround(field.min), std::llround(field.max)), Json::object());
  schema["type"] = {"object", "integer"};
  schema["description"] = field.meaning;
  return schema;
}

/// Constants that are assumed for one reason.
Json assumed(std::span<const std::string_view> names) {
  return list("constants that are assumed, by reason", map("",
                                                           {{"value", number("of each of them", 0, kMaxConstant)},
                                                            {"reason", text("why", 2000)},
                                                            {"constants", list("their names", word("", names))}},
                                                           {"value", "reason", "constants"}));
}

Json section(const MachineSection& section) {
  Json properties;
  std::vector<std::string_view> names;
  for (const ConstantField& field : constant_fields()) {
    if (field.section != section.name) continue;
    names.push_back(field.name);
    if (field.unit == Unit::kCount) {
      properties[field.name] = count(field);
      continue;
    }
    Json entry = reference(field.meaning, "#/definitions/constant");
    if (field.max < kMaxConstant) {
      const Json part{{"maximum", field.max}};
      entry = {{"description", field.meaning}, {"allOf", {entry, {{"maximum", field.max}, {"properties", {{"value", part}}}}}}};
    }
    properties[field.name] = std::move(entry);
  }
  properties["assumed"] = assumed(names);
  return map(section.meaning, std::move(properties));
}

Json kernels() {
  Json properties;
  for (const std::string_view word : all_words<Kernel>()) properties[std::string(word)] = reference("", "#/definitions/kernel");
  return map("cost of each kernel's body on one core", std::move(properties));
}

Json compute_cores() {
  const Json which = whole("", 0, kMaxCores - 1);
  return list(
      "compute cores by type; a core's number counts over them in this order",
      map("",
          {{"type", physical_core_type("core type")},
           {"count", whole("cores of this type", 1, kMaxCores)},
           {"per_cluster", whole("of them in each cluster; 0 where they belong to none", 0, kMaxCores, 0)},
           {"memory_ports", list("by core, in the order in which blocks of kernels take them while all are empty: the port by which "
                                 "it reaches memory",
                                 which)},
           {"memory_queues", list("by core, as resident workers are numbered: the queue in which what it loads waits for memory", which)},
           {"cluster_groups",
            list("by core, in the order of memory_ports: the group of cores within which a cluster's blocks start together", which)}},
          {"type", "count"}));
}

Json control_cores(Stated stated) {
  Json scale = value_or_number(number("1 for the times as stated", 0, 1000), Json::object());
  scale["description"] = "factor on the times of their own code: complete_ns and submit_ns of device_control";
  Json schema = map("control cores: AICPU threads, or the warps of a GPU's dispatcher block",
                    {{"count", whole("control cores", 0, 1024)},
                     {"lanes", whole("items that one works on at a time", 1, 1024)},
                     {"occupied_cores", whole("compute cores they take the place of when in use", 0, kMaxCores)},
                     {"code_scale", std::move(scale)}});
  if (stated == Stated::kInFull) schema["required"] = {"count", "lanes", "occupied_cores"};
  return schema;
}

Json limits() {
  Json properties;
  for (const LimitField& field : limit_fields()) properties[std::string(field.name)] = whole(field.meaning, 0, field.max);
  properties["carveouts_kib"] =
      list("KiB of shared memory into which a core divides what it shares with its cache, ascending", whole("", 0, 1 << 20));
  return map("what kernels meet on the device and one core holds at a time; 0 for no limit", sourced(std::move(properties)));
}

std::span<const std::string_view> section_names() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all;
    for (const MachineSection& one : machine_sections()) all.push_back(one.name);
    return all;
  }();
  return names;
}

}  // namespace

Json kernel_cost(Stated stated) {
  constexpr double kMaxFlopsOfBody = 1e15;
  constexpr double kMaxTimeOfBody = 1e12;
  Json properties;
  for (const KernelField& field : kernel_fields()) properties[std::string(field.name)] = number(field.meaning, field.min, field.max);
  properties["arithmetic"] = list("time by size: piecewise linear through (0, 0) and these points",
                                  map("",
                                      {{"flops", positive("floating-point operations", kMaxFlopsOfBody)},
                                       {"ns", number("time", 0, kMaxTimeOfBody)},
                                       {"uncached_ns", number("added to the kernel's uncached_ns", 0, kMaxConstant)}},
                                      {"flops", "ns"}),
                                  0);
  Json schema = map("", sourced(std::move(properties)));
  if (stated == Stated::kInFull) schema["required"] = {"overhead_ns", "arithmetic"};
  return schema;
}

MachineParts machine_parts(Stated stated) {
  Json properties{
      {"compute_cores", compute_cores()},
      {"control_cores", control_cores(stated)},
      {"limits", limits()},
      {"methods", {{"description", "how constants were measured, by name"}, {"type", "object"}, {"additionalProperties", text("", 2000)}}},
      {"measured", map("what measured constants have in common",
                       {{"device", text("the device, its driver and runtime", 500)}, {"date", text("YYYY-MM-DD", {})}})},
      {"without", list("sections that the machine it starts from has, and this one has not", word("", section_names()))},
      {"devices", devices()},
      {"collective_times", collective_times()},
      {"kernels", kernels()}};
  for (const MachineSection& one : machine_sections()) properties[std::string(one.name)] = section(one);
  return {.properties = std::move(properties), .definitions = {{"constant", constant()}, {"kernel", kernel_cost(stated)}}};
}

}  // namespace tasktwin::scenarios::schema

namespace tasktwin::scenarios {

namespace {

Schema make_machine_schema(schema::Stated stated) {
  auto [properties, definitions] = schema::machine_parts(stated);
  properties["machine"] = schema::name("its name");
  properties["description"] = schema::remark();
  properties["provisional"] = {
      {"description",
       "of a shipped file: not compared with any run of that machine, so that simulations say how many of its constants are "
       "another machine's and how many are assumed, as they do of files of users"},
      {"type", "boolean"}};
  properties["from"] = schema::text("machine to start from: a shipped one's name, or a file", {});
  nlohmann::json json = schema::map("cores, limits and mechanisms of a machine", std::move(properties), {"machine"});
  if (stated == schema::Stated::kInFull) json["required"] = {"machine", "compute_cores", "control_cores", "kernels"};
  json["definitions"] = std::move(definitions);
  return Schema(schema::document("tasktwin machine", std::move(json)));
}

}  // namespace

const Schema& machine_schema() {
  static const Schema made = make_machine_schema(schema::Stated::kInFull);
  return made;
}

const Schema& derived_machine_schema() {
  static const Schema made = make_machine_schema(schema::Stated::kAsChanges);
  return made;
}

}  // namespace tasktwin::scenarios
