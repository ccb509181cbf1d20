#include "scenarios/tasks/task_fields.hpp"

#include <array>
#include <limits>
#include <type_traits>

#include "scenarios/document/file_limits.hpp"
#include "scenarios/schema/schema_parts.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr int kMaxName = 200;
constexpr std::int64_t kMany = 1'000'000;
constexpr std::array<std::string_view, 2> kHostMemory{"pinned", "pageable"};

schema::Json predecessor() {
  using namespace schema;
  Json either = or_else("string", map("",
                                      {{"task", text("name of the task", kMaxName)},
                                       {"bytes", whole("bytes that come from it through shared memory", 0, kMaxBytes)}},
                                      {"task"}));
  either.update({{"minLength", 1}, {"maxLength", kMaxName}});
  return either;
}

schema::Json kernel() {
  schema::Json json = schema::text("what the body does: spin, fma, stream, empty, or one of the scenario's 'kernels'", kMaxName);
  json["default"] = "spin";
  return json;
}

schema::Json arguments() {
  return {{"description", "of one of the scenario's 'kernels': a number or the name of a buffer for each of its parameters"},
          {"type", "object"},
          {"additionalProperties", {{"type", {"number", "string"}}}}};
}

schema::Json spawn_count() {
  using namespace schema;
  Json either = or_else("integer", pair("", whole("", 0, kMany)));
  either.update({{"description",
                  "how many of the tasks that it spawns exist, in the order of the list: a number, or the least and the most of a draw"},
                 {"minimum", 0},
                 {"maximum", kMany}});
  return either;
}

schema::Json other() {
  using namespace schema;
  return map("a core type it may run on as well, and its time there",
             {{"core_type", physical_core_type("the other kind of core")}, {"time_ns", whole("time of its body there", 0, kMaxTimeNs)}},
             {"core_type", "time_ns"});
}

/// Sets a member of Task or TaskTraits: a word, or a number.
template <auto Member>
void set(const Node& value, Task& task, TaskTraits& traits) {
  auto& member = [&]() -> auto& {
    if constexpr (std::is_invocable_v<decltype(Member), Task&>)
      return task.*Member;
    else
      return traits.*Member;
  }
  ();
  using T = std::remove_reference_t<decltype(member)>;
  if constexpr (std::is_enum_v<T>)
    member = *from_word<T>(value.text);
  else if constexpr (std::is_floating_point_v<T>)
    member = value.real;
  else if constexpr (std::is_same_v<T, bool>)
    member = value.boolean;
  else
    member = static_cast<T>(value.integer);
}

}  // namespace

std::span<const TaskField> task_fields() {
  using namespace schema;
  using Limits = std::numeric_limits<std::int32_t>;
  static const std::vector<TaskField> fields{
      {"name", text("unique name", kMaxName)},
      {"operation", word("the type of operation; only kernels occupy a core", all_words<Operation>(), "kernel"), set<&Task::operation>},
      {"buffer", text("name of the device memory that it allocates or frees, or that a transfer moves or sets", kMaxName)},
      {"uses", list("names of buffers that it reads or writes", text("", kMaxName), 0)},
      {"host_memory", word("the host's end of a copy", kHostMemory, "pinned"),
       [](const Node& value, Task&, TaskTraits& traits) { traits.pageable = value.text == "pageable"; }},
      {"device", whole("the device it runs on, or that a copy_p2p comes from; the design places what names none", 0, kMostDevices - 1),
       set<&Task::device>},
      {"group",
       list("devices of a collective, a rank each: tasks called by its name, '@' and the device", whole("", 0, kMostDevices - 1), 2)},
      {"root", whole("device that a broadcast or send_recv comes from", 0, kMostDevices - 1),
       [](const Node& value, Task& task, TaskTraits&) { task.args[2] = static_cast<std::int32_t>(value.integer); }},
      {"to_device", whole("device that a copy_p2p goes to", 0, kMostDevices - 1),
       [](const Node& value, Task& task, TaskTraits&) { task.args[2] = static_cast<std::int32_t>(value.integer); }},
      {"shard", whole("which part of a split operation it is, under device_placement hinted", 0, kMany), set<&TaskTraits::shard>},
      {"stream", whole("the stream it asks for, under stream_granularity hinted", 0, kMany, 0), set<&TaskTraits::stream>},
      {"kernel", kernel(),
       [](const Node& value, Task& task, TaskTraits&) { task.kernel = from_word<Kernel>(value.text).value_or(task.kernel); }, true},
      {"arguments", arguments(), nullptr, true},
      {"kind",
       text("what tables and pictures call its body; without a kernel it is only simulated, and states any of time, flops and bytes",
            kMaxName),
       [](const Node& value, Task&, TaskTraits& traits) { traits.kind = value.text; }, true},
      {"core_type", word("the kind of core it needs; mix for a whole cluster", all_words<CoreType>(), "sm"), set<&Task::core_type>, true},
      {"aic", whole("of core_type mix: matrix cores that it takes of a cluster; the whole cluster without aic and aiv", 0, kMany, 0),
       set<&TaskTraits::aic>, true},
      {"aiv", whole("of core_type mix: vector cores that it takes of a cluster", 0, kMany, 0), set<&TaskTraits::aiv>, true},
      {"part_times_ns",
       list("of core_type mix with aic and aiv: the time of its part on each of these cores, matrix cores first, in place of time_ns; with "
            "split, of blocks of unlike length",
            whole("", 0, kMaxTimeNs)),
       [](const Node& value, Task& task, TaskTraits& traits) {
         for (const Node& part : value.items) {
           traits.parts.push_back(Duration{part.integer});
           task.cost.time = std::max(task.cost.time, traits.parts.back());
         }
       },
       true},
      {"time_ns", whole("time of a spin body, or of a host function, or of a kind", 0, kMaxTimeNs),
       [](const Node& value, Task& task, TaskTraits&) { task.cost.time = Duration{value.integer}; }},
      {"sigma_ns", whole("standard deviation of time_ns", 0, kMaxSigmaNs),
       [](const Node& value, Task& task, TaskTraits&) { task.cost.sigma_ns = static_cast<std::uint32_t>(value.integer); }, true},
      {"estimate_ns", whole("its time as schedulers plan with it, in place of what it takes", 0, kMaxTimeNs),
       [](const Node& value, Task&, TaskTraits& traits) { traits.estimate = Duration{value.integer}; }, true},
      {"prologue_ns",
       whole("time, before its body, of work that needs no predecessor: a kernel launched programmatically does it while they run", 0,
             kMaxTimeNs),
       [](const Node& value, Task&, TaskTraits& traits) { traits.prologue = Duration{value.integer}; }, true},
      {"prologue_bytes", whole("bytes that a block reads meanwhile, of what no task writes", 0, kMaxBytes),
       set<&TaskTraits::prologue_bytes>, true},
      {"samples_ns", list("times of a spin body as they were observed: one of them is drawn", whole("", 0, kMaxTimeNs)),
       [](const Node& value, Task&, TaskTraits& traits) {
         for (const Node& sample : value.items) traits.samples.push_back(Duration{sample.integer});
       },
       true},
      {"flops", whole("floating-point operations of an fma body, or of a kernel of the scenario's own", 0, kMaxFlops),
       [](const Node& value, Task& task, TaskTraits&) { task.cost.flops = {value.integer}; }, true},
      {"bytes",
       whole("bytes that a stream body reads, one of the scenario's own moves, or an operation moves, sets or allocates", 0, kMaxBytes),
       [](const Node& value, Task& task, TaskTraits&) { task.cost.bytes = {value.integer}; }},
      {"blocks", whole("SPMD width: cores it occupies; on streams, blocks of its grid", 1, kMany, 1), set<&TaskTraits::blocks>, true},
      {"threads", whole("threads of a block", 0, kMostBlockThreads, 0), set<&TaskTraits::threads>, true},
      {"registers", whole("registers of a thread", 0, kMany, 0), set<&TaskTraits::registers>, true},
      {"shared_memory_bytes", whole("shared memory of a block", 0, 1'000'000'000'000, 0), set<&TaskTraits::shared_memory>, true},
      {"carveout", whole("per cent of a core's largest shared memory that its kernel prefers", 0, 100), set<&TaskTraits::carveout>, true},
      {"cluster", whole("blocks of a cluster, which start together within a group of cores", 1, 16, 1), set<&TaskTraits::cluster>, true},
      {"probability", number("that its body runs and the tasks it spawns come to be", 0, 1, 1), set<&TaskTraits::probability>, true},
      {"other", other(),
       [](const Node& value, Task&, TaskTraits& traits) {
         traits.other_type = from_word<CoreType>(value.find("core_type")->text);
         traits.other_time = Duration{value.find("time_ns")->integer};
       },
       true},
      {"workers", pair("the first and the last worker of its device, from 0, whose lists it may be in", whole("", 0, kMany)),
       [](const Node& value, Task&, TaskTraits& traits) {
         const auto at = [&](std::size_t i) { return static_cast<std::int32_t>(value.items[i].integer); };
         traits.workers = std::array{at(0), at(1)};
       },
       true},
      {"priority", whole("higher first, under the order priority", Limits::min(), Limits::max()), set<&Task::priority>},
      {"layer", whole("step, wave or level it belongs to", Limits::min(), Limits::max()), set<&Task::layer>},
      {"output_bytes", whole("bytes of the heap ring that it holds from its submission until it is retired", 0, kMaxBytes, 0),
       set<&TaskTraits::output>, true},
      {"scope", whole("its tasks are not retired before all of them are submitted; 0 for none", 0, kMany, 0), set<&TaskTraits::scope>,
       true},
      {"meets", whole("group of kernels that wait for each other while they run; 0 for none", 0, kMany, 0), set<&TaskTraits::co_resident>,
       true},
      {"cooperative", truth("no block of it starts before all of them have room at once, as of a kernel launched cooperatively"),
       set<&TaskTraits::cooperative>, true},
      {"split", truth("each of its blocks is a task of its own, NAME.0, NAME.1 and so on, as workers take them"), nullptr, true},
      {"spawn_count", spawn_count(),
       [](const Node& value, Task&, TaskTraits& traits) {
         const bool given = value.kind == Node::Kind::kInteger;
         const auto at = [&](std::size_t i) { return static_cast<std::int32_t>(given ? value.integer : value.items[i].integer); };
         traits.spawn_count = std::array{at(0), at(1)};
       },
       true},
      {"spawned_by", text("name of the task at whose end it comes to be", kMaxName), nullptr, true},
      {"after", list("tasks it waits for: names, or names with the bytes that come from there", predecessor(), 0)},
  };
  return fields;
}

}  // namespace tasktwin::scenarios
