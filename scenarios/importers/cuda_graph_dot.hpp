#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "models/graph/task_graph.hpp"
#include "scenarios/importers/parts/imported_graph.hpp"

namespace tasktwin::scenarios {

/// What ran on the device, as a trace has it.
struct DeviceRun {
  std::string name;  ///< demangled, of a kernel
  Task task;         ///< with the time that it took, and what it took up
  TaskTraits traits;
};

/// A CUDA graph as cudaGraphDebugDotPrint writes it: kernels with their grids, copies and memsets with their bytes, edges. What else it
/// says is not read. The file has no times: `launches` has what a trace saw of each launch of the graph, in the order of starts, and a node
/// takes the mean time over them of the runs that are its own by order: the k-th node of a kernel's name is the k-th run of that
/// name, copies and memsets likewise. Without, bodies are empty. Throws as parse_dot does, for a file without such nodes, and for launches
/// that do not fit the graph.
ImportedGraph read_cuda_graph_dot(const std::string& file, std::string_view text, const std::vector<std::vector<DeviceRun>>& launches);

/// The name of a kernel's function alone, by which the file and traces can be compared: without namespaces, types, template's and other
/// arguments; of a mangled name too; of a long one its beginning.
std::string function_name(const std::string& name);

/// Whether `head` has nodes as cudaGraphDebugDotPrint calls them.
bool begins_as_cuda_graph(std::string_view head);

}  // namespace tasktwin::scenarios
