#include "scenarios/tasks/kernel_schemas.hpp"

#include <limits>

#include "models/graph/own_kernels.hpp"
#include "scenarios/document/file_limits.hpp"
#include "scenarios/machine_files/machine_schema.hpp"
#include "scenarios/tasks/task_fields.hpp"

namespace tasktwin::scenarios {

namespace schema {

namespace {

using Whole = std::numeric_limits<std::int32_t>;
constexpr std::int64_t kMostSharedBytes = 1 << 24;

Json parameter() {
  Json value{{"description", "what tasks pass that say nothing: a number, or the name of a buffer"}, {"type", {"number", "string"}}};
  return map("",
             {{"name", name("its name, by which tasks pass an argument")},
              {"type", word("what the function takes: an int, a float or a pointer", all_words<ArgumentType>())},
              {"value", std::move(value)}},
             {"name", "type"});
}

Json time_table(std::string_view meaning) {
  return list(meaning, map("",
                           {{"value", whole("of the parameter", Whole::min(), Whole::max())},
                            {"time_ns", whole("time of a block's body then", 0, kMaxTimeNs)}},
                           {"value", "time_ns"}));
}

Json cost() {
  return map("what a block's body costs, where nothing was measured",
             {{"flops", whole("floating-point operations, of tasks that state none", 0, kMaxFlops)},
              {"bytes", whole("bytes through device memory, of tasks that state none", 0, kMaxBytes)},
              {"flops_per_ns", positive("how many one block does in a nanosecond; left out, those of kernel fma", 1e9)},
              {"by", name("the integer parameter that 'table' is by")},
              {"table", time_table("times by its value, rising; between two of them linear")}});
}

}  // namespace

Json own_kernels() {
  Json threads = whole("of a block", 32, kMostBlockThreads, 256);
  threads["multipleOf"] = 32;
  Json parameters = list("of the function, in its order, behind the block", parameter(), 0);
  parameters["maxItems"] = kMostArguments;
  return list("kernels that the scenario brings along",
              map("",
                  {{"name", name("by which tasks name it")},
                   {"source", text("the CUDA source, beside this file", {})},
                   {"entry", name("the __device__ function; by default called as the kernel")},
                   {"threads", std::move(threads)},
                   {"shared_memory_bytes", whole("dynamic shared memory of a block", 0, kMostSharedBytes, 0)},
                   {"carveout", whole("per cent of a core's largest shared memory that it prefers", 0, 100)},
                   {"parameters", std::move(parameters)},
                   {"cost", cost()}},
                  {"name", "source"}));
}

Json own_buffers() {
  constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
  return list(
      "device memory that the scenario's kernels read and write",
      map("",
          {{"name", name("by which tasks pass it")},
           {"type", word("of its elements", all_words<ElementType>())},
           {"count", whole("elements", 1, kMostElements)},
           {"fill", word("what it holds when a run begins: zeros; numbers drawn evenly from [-scale, scale), whole ones from 0 to below "
                         "range; or each element's index",
                         all_words<BufferFill>(), "zero")},
           {"range", whole("of whole numbers under fill 'uniform'", 1, Whole::max())},
           {"scale", positive("of others under fill 'uniform'; 1 where it is left out", 1e9)}},
          {"name", "type", "count"}));
}

}  // namespace schema

const Schema& kernel_costs_schema() {
  static const Schema made([] {
    using namespace schema;
    Json kernel = kernel_cost(Stated::kInFull);
    for (const char* key : {"method", "published", "assumed", "date"}) kernel["properties"].erase(key);
    kernel["properties"].update(Json{{"kernel", name("its name in the scenario")},
                                     {"source_hash", text("of the source that was measured")},
                                     {"threads", whole("of a block", 1, kMostBlockThreads)},
                                     {"shared_memory_bytes", whole("of a block", 0, kMostSharedBytes)},
                                     {"registers", whole("of a thread, as compiled and launched", 1, 255)},
                                     {"table", time_table("times by the parameter that the scenario's table is by")}});
    for (const char* key : {"kernel", "source_hash", "threads", "shared_memory_bytes"}) kernel["required"].push_back(key);
    return document("tasktwin kernel costs", map("costs of a scenario's own kernels",
                                                 {{"kernel_costs", name("the scenario")},
                                                  {"machine", name("the machine that they hold for")},
                                                  {"measured", map("where and how",
                                                                   {{"device", text("the device, its driver and runtime", 500)},
                                                                    {"date", text("YYYY-MM-DD", {})},
                                                                    {"command", text("that measured them")},
                                                                    {"version", text("of tasktwin")}},
                                                                   {"device", "date"})},
                                                  {"kernels", list("", std::move(kernel), 0)}},
                                                 {"kernel_costs", "machine", "measured", "kernels"}));
  }());
  return made;
}

}  // namespace tasktwin::scenarios
