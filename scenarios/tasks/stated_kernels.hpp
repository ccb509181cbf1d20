#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/graph/own_kernels.hpp"
#include "models/graph/task_graph.hpp"
#include "scenarios/document/document.hpp"

namespace tasktwin::scenarios {

/// How a kernel's cost is known: of one block, where nothing was measured.
struct StatedCost {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  double flops_per_ns = 0;  ///< 0 for the rate of kernel `fma`
  /// Times by the value of an integer parameter, ascending; between two of them linear, beyond them the nearest.
  std::optional<std::size_t> by = {};
  std::vector<std::pair<std::int64_t, std::int64_t>> table = {};  ///< value, ns
  bool measured = false;
  int registers = 0;  ///< a thread, as compiled; 0 where they are not known

  /// By the table. Contract: `by`.
  Duration time_at(std::int64_t value) const;
};

/// A scenario's own kernels as its file has them: what they are, and what their tasks may leave out.
class StatedKernels {
 public:
  StatedKernels() = default;
  /// Of `kernels` and `buffers` of a document that has passed the schema; sources are next to it. Throws InputFaults, each at its place,
  /// for a name given twice, a source that cannot be read or in which the entry's name does not occur, and threads or costs that
  /// contradict each other.
  explicit StatedKernels(const Document& document);

  bool empty() const { return own_.kernels.empty(); }
  /// Of all, as files write them.
  std::vector<std::string_view> names() const;
  std::optional<std::size_t> find(std::string_view name) const;
  const StatedCost& cost(std::size_t kernel) const { return costs_[kernel]; }
  const OwnKernels& own() const { return own_; }

  /// The kernel's costs were measured: its tasks need state none, and `table` takes the place of the stated one. `registers`: of a thread,
  /// 0 where they are not known.
  void take_measured(std::size_t kernel, std::vector<std::pair<std::int64_t, std::int64_t>> table, int registers);

  /// Makes `task` one of that kernel: its arguments as `given` (null for none) and the presets say, its cost where it states none, its
  /// footprint. `document` is given's, `path` is the task's. Throws InputError at the argument, and for want of a cost, once a kernel.
  void apply(std::size_t kernel, const Node* given, const Document& document, const Node& at, const std::string& path, Task& task,
             TaskTraits& traits);

  /// Of each kernel with tasks whose values lie beyond its table: how many, what is taken for them, and the first that was.
  std::vector<std::string> beyond_tables() const;

  /// `task`, of one of these kernels, does the work of block k of `blocks`, as its body reads from its Block. Contract: the kernel has at
  /// most kMostSplitArguments parameters.
  void number_block(Task& task, std::size_t k, std::size_t blocks);

 private:
  void read_buffers(const Document& document, const Node& list);
  void read_kernel(const Document& document, const Node& map, const std::string& path);
  void read_parameters(const Document& document, const Node& list, const std::string& path, OwnKernel& kernel);
  void read_cost(const Document& document, const Node& map, const std::string& path, const OwnKernel& kernel);
  std::uint32_t word_of(const OwnKernel::Parameter& parameter, const Node& value, const Document& document, const std::string& path) const;
  std::uint32_t row_of(const ArgumentRow& row);

  OwnKernels own_;
  std::vector<StatedCost> costs_;
  std::vector<std::vector<std::optional<std::uint32_t>>> presets_;  ///< by kernel and parameter
  std::map<ArgumentRow, std::uint32_t> rows_;
  struct Beyond {
    std::int64_t first = 0;  ///< the first value
    std::size_t tasks = 0;
  };
  std::map<std::size_t, Beyond> beyond_;  ///< by kernel
  std::set<std::size_t> without_cost_;    ///< kernels of which a task was refused for want of one; further tasks would say the same
};

}  // namespace tasktwin::scenarios
