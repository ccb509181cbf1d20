#pragma once

#include <string>

#include "gpu/executor.hpp"
#include "models/machine/machine.hpp"
#include "verify/output/text/json.hpp"

namespace tasktwin::verify {

/// Where and by what a benchmark was measured.
struct BenchProvenance {
  std::string machine;       ///< name
  std::string machine_hash;  ///< of the machine file
  gpu::DeviceInfo device;
  std::string date;  ///< ISO 8601
  std::string command;
};

/// Contract: there is a GPU.
BenchProvenance bench_provenance(const Machine& machine, std::string command);

/// benchmark, machine, machine_hash, device, driver, runtime, date, version, commit, command: as recordings have them.
Json provenance_to_json(std::string_view benchmark, const BenchProvenance& provenance);

/// "NVIDIA H200 (driver 580.159.04, CUDA 13.0)".
std::string device_text(const BenchProvenance& provenance);

}  // namespace tasktwin::verify
