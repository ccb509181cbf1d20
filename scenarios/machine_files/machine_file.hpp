#pragma once

#include <string>
#include <string_view>

#include "models/machine/machine.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// A machine file's document, checked against its schema and for what a schema cannot say. A constant of a section that the file does not
/// state is in Machine::unstated. Throws InputError.
Machine machine_from(const Document& document);

/// Changes `machine` by the keys compute_cores, control_cores, limits, kernels and of sections in `changes`, a map of `document` that
/// has passed the scenario schema; `source` is the provenance of constants that name none. Of a type of
/// cores that `machine` has as many of already the first ones are meant: they keep their memory ports and queues unless told others.
void apply_changes(Machine& machine, const Document& document, const Node& changes, const std::string& source);

/// Its name, and which parts a scenario has changed of it, if any: "nvidia-h200 (changed: compute_cores, memory)".
std::string machine_title(const Machine& machine);

/// YAML's double-quoted form.
std::string yaml_text(std::string_view text);

/// Changes `cost` by the keys of kernel_fields() and `arithmetic` in `map`, which is at `path` of a document that has passed its
/// schema.
void read_kernel_cost(KernelCost& cost, const Document& document, const Node& map, const std::string& path);

/// The same as files write it: "overhead_ns: 12, …, arithmetic: [{flops: 1000, ns: 10}]".
std::string kernel_cost_text(const KernelCost& cost);

/// FNV-1a (64 bits) of the machine's canonical text, in hexadecimal.
std::string machine_hash(const Machine& machine);

/// The provenance key of a kernel's cost.
std::string kernel_key(Kernel kernel);

/// Those of the control cores' code_scale and of the limits.
inline constexpr const char* kCodeScaleKey = "control_cores.code_scale";
inline constexpr const char* kLimitsKey = "limits";
/// That of the parts that a scenario has changed.
inline constexpr const char* kChangesKey = "changes";

}  // namespace tasktwin::scenarios
