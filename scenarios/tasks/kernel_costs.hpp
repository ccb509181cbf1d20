#pragma once

#include <string>
#include <utility>
#include <vector>

#include "models/graph/own_kernels.hpp"
#include "models/machine/machine.hpp"
#include "scenarios/tasks/stated_kernels.hpp"

namespace tasktwin::scenarios {

/// What `calibrate --kernels` found of one of a scenario's own kernels.
struct MeasuredKernel {
  std::string kernel;
  std::string source_hash;  ///< OwnKernel::source_hash, threads and shared memory of what was measured
  int threads = 0;
  std::int64_t shared_memory = 0;
  int registers = 0;  ///< a thread, as compiled and launched; 0 where they are not known
  KernelCost cost;
  /// By the parameter that the kernel's stated table is by: value, ns; empty where it has none.
  std::vector<std::pair<std::int64_t, std::int64_t>> table = {};
};

/// A file of such costs. It is next to the scenario's file.
struct KernelCosts {
  std::string scenario;
  std::string machine;  ///< its name
  std::string device;
  std::string date;
  std::string command;
  std::string version;
  std::vector<MeasuredKernel> kernels;
};

/// "<folder>/<scenario file without .yaml>.kernels.yaml".
std::string kernel_costs_file(const std::string& scenario_file);

/// Throws InputError.
KernelCosts load_kernel_costs(const std::string& path);
std::string kernel_costs_to_yaml(const KernelCosts& costs);

/// Gives `machine` a cost for each of the scenario's own kernels: as the file beside `scenario_file` has it, of kernels that are still what
/// was measured on this machine, else from flops and bytes. Returns, in sentences, which have which. Contract: called once, before the
/// tasks of `kernels` are made: measured tables replace stated ones.
std::vector<std::string> price_kernels(StatedKernels& kernels, const std::string& scenario_file, Machine& machine);

}  // namespace tasktwin::scenarios
