#include "scenarios/document/file_limits.hpp"
#include "scenarios/generators/generators.hpp"
#include "scenarios/generators/parts/over_devices.hpp"

namespace tasktwin::scenarios {

namespace {

/// The same collective of all devices several times in a row, as benchmarks of collectives measure it: devices · count tasks.
struct CollectivesParameters {
  int devices = 2;
  std::int64_t count = 20;
  Operation kind = Operation::kAllReduce;
  std::int64_t bytes = 1'048'576;
};

TaskGraph make_collectives(const CollectivesParameters& parameters) {
  OverDevices over(parameters.devices);
  OverDevices::Each before;
  for (std::int64_t i = 0; i < parameters.count; ++i) {
    const OverDevices::Each ranks =
        over.add_collective("collective(" + std::to_string(i) + ")", parameters.kind, parameters.bytes, static_cast<std::int32_t>(i));
    over.join(before, ranks);
    before = ranks;
  }
  return std::move(over.builder()).build();
}

void parameters(ParameterTable& table, CollectivesParameters& values) {
  table.number("devices", "devices that take part in each", values.devices, 2, kMostDevices);
  table.number("count", "how many, one after the other", values.count, 1, 1'000'000);
  table.word("kind", "which collective", values.kind, {"all_reduce", "all_gather", "reduce_scatter", "all_to_all"});
  table.number("bytes", "its bytes, as in nccl-tests", values.bytes, 1, 1'000'000'000'000);
}

GraphSize size_of(const CollectivesParameters& values) {
  const std::int64_t devices = values.devices;
  return {devices * values.count, devices * (values.count - 1),
          "devices " + std::to_string(devices) + " x count " + std::to_string(values.count) + " tasks"};
}

}  // namespace

Generator collectives_generator() {
  return generator_of("collectives", "one collective of all devices several times in a row", parameters, size_of, make_collectives);
}

}  // namespace tasktwin::scenarios
