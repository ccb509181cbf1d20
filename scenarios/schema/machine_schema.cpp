#include "scenarios/schema/machine_schema.hpp"

#include "models/machine.hpp"
#include "scenarios/machine_file.hpp"
#include "scenarios/schema.hpp"

namespace tasktwin::scenarios::schema {

namespace {

constexpr std::int64_t kMaxCores = 1'000'000;
constexpr std::int64_t kMaxBytesHeld = 1'000'000'000'000;

/// `schema`, a map, with where its values come from.
Json sourced(Json schema, Stated stated) {
  schema["properties"]["source"] = text("the micro-benchmark or publication", 2000);
  schema["properties"]["date"] = text("YYYY-MM-DD, or 'undated'", {});
  if (stated == Stated::kInFull) {
    for (const char* key : {"source", "date"}) schema["required"].push_back(key);
  }
  return schema;
}

/// A map with a `value`, or the bare number.
Json or_number(Json schema) {
  for (const char* key : {"minimum", "maximum"}) schema[key] = schema["properties"]["value"][key];
  return or_else("number", std::move(schema));
}

Json constant(Stated stated) {
  Json interval = list("95 % confidence interval of value", number("", 0, kMaxConstant), 2);
  interval["maxItems"] = 2;
  const Json value = number("in the unit of the key's suffix", 0, kMaxConstant);
  Json schema = sourced(map("", {{"value", value}, {"interval", std::move(interval)}}, {"value"}), stated);
  return stated == Stated::kInFull ? schema : or_number(std::move(schema));
}

Json constants() {
  Json properties;
  for (const ConstantField& field : constant_fields()) {
    Json entry = reference(field.meaning, "#/definitions/constant");
    if (field.rate == &Constants::memory_in_step) {  // a part of another constant
      const Json at_most_1{{"maximum", 1}, {"properties", {{"value", {{"maximum", 1}}}}}};
      entry = {{"description", field.meaning}, {"allOf", {std::move(entry), at_most_1}}};
    }
    properties[std::string(field.name)] = std::move(entry);
  }
  return map("times in ns, bandwidths in GB/s (bytes per ns)", std::move(properties));
}

Json kernel(Stated stated) {
  constexpr double kMaxFlopsOfBody = 1e15;
  constexpr double kMaxTimeOfBody = 1e12;
  Json properties;
  for (const KernelField& field : kernel_fields()) {
    const bool is_factor = field.ratio == &KernelCost::traffic;
    properties[std::string(field.name)] = number(field.meaning, is_factor ? 0.1 : 0, is_factor ? 1000 : kMaxConstant);
  }
  properties["arithmetic"] = list("time by size: piecewise linear through (0, 0) and these points",
                                  map("",
                                      {{"flops", positive("floating-point operations", kMaxFlopsOfBody)},
                                       {"ns", number("time", 0, kMaxTimeOfBody)},
                                       {"release_ns", number("added to the kernel's release_ns", 0, kMaxConstant)},
                                       {"uncached_ns", number("added to the kernel's uncached_ns", 0, kMaxConstant)}},
                                      {"flops", "ns"}),
                                  0);
  Json schema = map("", std::move(properties));
  if (stated == Stated::kInFull) schema["required"] = {"overhead_ns", "arithmetic"};
  return sourced(std::move(schema), stated);
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
           {"memory_queues", list("by core, as resident workers are numbered: the queue in which what it loads waits for memory", which)}},
          {"type", "count"}));
}

Json control_cores(Stated stated) {
  Json scale = or_number(sourced(map("factor on the times of their own code: complete_ns, enqueue_ns, hand_over_ns, submit_ns",
                                     {{"value", number("1 for the times as stated", 0, 1000)}}, {"value"}),
                                 stated));
  Json schema = map("control cores: AICPU threads, or the warps of a GPU's dispatcher block",
                    {{"count", whole("control cores", 0, 1024)},
                     {"lanes", whole("items that one works on at a time", 1, 1024)},
                     {"occupied_cores", whole("compute cores they take the place of when in use", 0, kMaxCores)},
                     {"code_scale", std::move(scale)}});
  if (stated == Stated::kInFull) schema["required"] = {"count", "lanes", "occupied_cores"};
  return schema;
}

Json limits(Stated stated) {
  return sourced(
      map("what kernels meet on the device and one core holds at a time; 0 for no limit",
          {{"hardware_queues", whole("queues that all streams share", 0, 1024)},
           {"resident_kernels", whole("kernels that run at a time", 0, 1'000'000)},
           {"priorities", whole("levels that a kernel's priority may have", 0, 64)},
           {"partition_granularity", whole("a share of the cores is a multiple of so many; 0 or 1 for any number", 0, kMaxCores)},
           {"registers", whole("registers of a core", 0, 1'000'000'000)},
           {"threads", whole("threads on a core", 0, 1'000'000)},
           {"blocks", whole("blocks on a core", 0, 1'000'000)},
           {"shared_memory_bytes", whole("shared memory of a core", 0, kMaxBytesHeld)},
           {"copy_engines", whole("engines that copies share", 0, 1024)},
           {"memory_bytes", whole("device memory that tasks can allocate", 0, 1000 * kMaxBytesHeld)},
           {"page_bytes", whole("device memory is given out in multiples of it", 0, 1'000'000'000)},
           {"pool_segment_bytes", whole("a stream-ordered pool grows by multiples of it", 0, kMaxBytesHeld)},
           {"staging_bytes", whole("piece of a pageable copy in the staging buffer", 0, kMaxBytesHeld)},
           {"cache_bytes", whole("what a run leaves in the cache for the next; 0 for all of it", 0, kMaxBytesHeld)}}),
      stated);
}

}  // namespace

MachineParts machine_parts(Stated stated) {
  return {.properties = {{"compute_cores", compute_cores()},
                         {"control_cores", control_cores(stated)},
                         {"limits", limits(stated)},
                         {"constants", constants()},
                         {"kernels", kernels()}},
          .definitions = {{"constant", constant(stated)}, {"kernel", kernel(stated)}}};
}

}  // namespace tasktwin::scenarios::schema

namespace tasktwin::scenarios {

const Schema& machine_schema() {
  static const Schema made([] {
    auto [properties, definitions] = schema::machine_parts(schema::Stated::kInFull);
    properties["machine"] = schema::name("its name");
    properties["description"] = schema::remark();
    nlohmann::json json = schema::map("cores and latencies of a machine; every constant with its source and date", std::move(properties),
                                      {"machine", "compute_cores", "control_cores", "constants", "kernels"});
    json["definitions"] = std::move(definitions);
    return schema::document("tasktwin machine", std::move(json));
  }());
  return made;
}

}  // namespace tasktwin::scenarios
