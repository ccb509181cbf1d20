#include "scenarios/tasks/kernel_costs.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "scenarios/document/scalar.hpp"
#include "scenarios/machine_files/machine_file.hpp"
#include "scenarios/tasks/kernel_schemas.hpp"

namespace tasktwin::scenarios {

namespace {

/// As one block of the project's own arithmetic on the same machine, at the rate that the scenario states.
KernelCost estimated(const Machine& machine, const StatedCost& stated) {
  KernelCost cost = machine.kernel_cost(Kernel::kFma);
  if (stated.flops_per_ns > 0) cost.arithmetic = {{.flops = 1e3 * stated.flops_per_ns, .ns = 1e3}};
  return cost;
}

/// Why what was measured does not hold; empty where it does.
std::string why_stale(const MeasuredKernel& measured, const OwnKernel& kernel) {
  if (measured.source_hash != kernel.source_hash) return "its source has changed since it was measured";
  if (measured.threads != kernel.threads || measured.shared_memory != kernel.shared_memory)
    return "its threads or shared memory have changed since it was measured";
  return "";
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

std::string kernel_costs_file(const std::string& scenario_file) {
  return std::filesystem::path(scenario_file).replace_extension(".kernels.yaml").string();
}

KernelCosts load_kernel_costs(const std::string& path) {
  const Document document = read_document(path);
  kernel_costs_schema().check(document);
  const auto text = [](const Node& map, std::string_view key) {
    const Node* const node = map.find(key);
    return node ? node->text : std::string();
  };
  const Node& root = document.root;
  const Node& measured = *root.find("measured");
  KernelCosts costs{.scenario = text(root, "kernel_costs"),
                    .machine = text(root, "machine"),
                    .device = text(measured, "device"),
                    .date = text(measured, "date"),
                    .command = text(measured, "command"),
                    .version = text(measured, "version"),
                    .kernels = {}};
  const Node& list = *root.find("kernels");
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& map = list.items[i];
    MeasuredKernel kernel{.kernel = text(map, "kernel"),
                          .source_hash = text(map, "source_hash"),
                          .threads = static_cast<int>(map.find("threads")->integer),
                          .shared_memory = map.find("shared_memory_bytes")->integer,
                          .cost = {}};
    if (const Node* registers = map.find("registers")) kernel.registers = static_cast<int>(registers->integer);
    read_kernel_cost(kernel.cost, document, map, "kernels[" + std::to_string(i) + "]");
    if (const Node* table = map.find("table")) {
      for (const Node& point : table->items) kernel.table.emplace_back(point.find("value")->integer, point.find("time_ns")->integer);
    }
    costs.kernels.push_back(std::move(kernel));
  }
  return costs;
}

std::string kernel_costs_to_yaml(const KernelCosts& costs) {
  std::string text = "# Costs of a scenario's own kernels, as 'tasktwin calibrate --kernels' measured them; docs/kernels.md\n";
  text += "kernel_costs: " + yaml_text(costs.scenario) + "\nmachine: " + yaml_text(costs.machine) + "\n";
  text += "measured: {device: " + yaml_text(costs.device) + ", date: " + yaml_text(costs.date) + ", command: " + yaml_text(costs.command) +
          ", version: " + yaml_text(costs.version) + "}\n";
  text += "kernels:\n";
  for (const MeasuredKernel& kernel : costs.kernels) {
    text += "  - {kernel: " + yaml_text(kernel.kernel) + ", source_hash: " + yaml_text(kernel.source_hash) +
            ", threads: " + std::to_string(kernel.threads) + ", shared_memory_bytes: " + std::to_string(kernel.shared_memory) +
            (kernel.registers > 0 ? ", registers: " + std::to_string(kernel.registers) : "") + ",\n     " + kernel_cost_text(kernel.cost);
    std::string points;
    for (const auto& [value, ns] : kernel.table)
      points += (points.empty() ? "" : ", ") + ("{value: " + std::to_string(value)) + ", time_ns: " + std::to_string(ns) + "}";
    if (!points.empty()) text += ",\n     table: [" + points + "]";
    text += "}\n";
  }
  return text;
}

std::vector<std::string> price_kernels(StatedKernels& kernels, const std::string& scenario_file, Machine& machine) {
  std::vector<std::string> remarks;
  const std::string file = kernel_costs_file(scenario_file);
  std::optional<KernelCosts> found;
  if (std::filesystem::exists(file)) {
    found = load_kernel_costs(file);
    if (found->machine != machine.name) {
      remarks.push_back(file + " was measured for machine '" + found->machine + "', not for '" + machine.name + "', and is left aside");
      found.reset();
    }
  }
  std::vector<std::string> guessed;
  for (std::size_t i = 0; i < kernels.own().kernels.size(); ++i) {
    const OwnKernel& kernel = kernels.own().kernels[i];
    machine.kernels.push_back(estimated(machine, kernels.cost(i)));
    const auto measured =
        found ? std::ranges::find(found->kernels, kernel.name, &MeasuredKernel::kernel) : decltype(found->kernels.begin()){};
    const bool known = found && measured != found->kernels.end();
    const std::string stale = known ? why_stale(*measured, kernel) : "";
    if (!stale.empty()) remarks.push_back("what " + file + " says of kernel '" + kernel.name + "' is left aside: " + stale);
    if (known && stale.empty()) {
      machine.kernels.back() = measured->cost;
      kernels.take_measured(i, measured->table, measured->registers);
    } else {
      guessed.push_back("'" + kernel.name + "'");
    }
  }
  if (!guessed.empty())
    remarks.push_back("the costs of kernel" + std::string(guessed.size() > 1 ? "s " : " ") + listed(guessed) +
                      " come from flops, bytes and tables as stated; 'tasktwin calibrate --kernels' measures them on a GPU");
  return remarks;
}

}  // namespace tasktwin::scenarios
