#include "verify/bench/bench_provenance.hpp"

#include <chrono>
#include <utility>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "scenarios/machine_files/machine_file.hpp"
#include "verify/system/version.hpp"

namespace tasktwin::verify {

BenchProvenance bench_provenance(const Machine& machine, std::string command) {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return {.machine = machine.name,
          .machine_hash = scenarios::machine_hash(machine),
          .device = gpu::device_info(),
          .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(now)),
          .command = std::move(command)};
}

Json provenance_to_json(std::string_view benchmark, const BenchProvenance& provenance) {
  return {{"benchmark", benchmark},
          {"machine", provenance.machine},
          {"machine_hash", provenance.machine_hash},
          {"device", provenance.device.name},
          {"driver", provenance.device.driver},
          {"runtime", provenance.device.runtime},
          {"date", provenance.date},
          {"version", version()},
          {"commit", commit()},
          {"command", provenance.command}};
}

std::string device_text(const BenchProvenance& provenance) {
  return fmt::format("{} (driver {}, CUDA {})", provenance.device.name, provenance.device.driver, provenance.device.runtime);
}

}  // namespace tasktwin::verify
