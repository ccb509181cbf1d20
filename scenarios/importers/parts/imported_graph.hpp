#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.hpp"
#include "models/graph/task_graph.hpp"
#include "scenarios/importers/parts/imported.hpp"

namespace tasktwin::scenarios {

/// A task graph as a file of another tool has it, in the file's order.
struct ImportedGraph {
  struct Node {
    std::string name;
    Task task;
    TaskTraits traits = {};
    bool states_core_type = false;  ///< so that ImportOptions::core_type is not for it
  };
  struct Edge {
    std::uint32_t from = 0;  ///< positions in `nodes`
    std::uint32_t to = 0;
    std::int64_t bytes = 0;
    std::int32_t line = 0;     ///< of the file; 0 where the format has none
    std::uint16_t source = 0;  ///< what it was had from: a position in `sources`
  };

  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<std::string> sources;  ///< kinds of edges by the format's own words, "data_deps"
  std::vector<std::string> remarks;  ///< what was assumed, left out or lost, with counts
  std::string untimed;               ///< a remark on bodies' times, where no table (take_times) gives others

  std::uint32_t add(std::string name, const Task& task, const TaskTraits& traits = {});
};

/// The graph without the edges that `dropped` names: all of a source, one as "FROM->TO", or all after the tasks of a name or pattern
/// (models/base/name_pattern.hpp). Names become printable, of at most
/// kLongestTaskName bytes, and where they occur twice get "#" and a number. Throws InputError for more than kMaxTasks or kMaxEdges,
/// for no task, costs whose sum is beyond reason, a name in `dropped` that is no edge, and a cycle: as a path of names, with the
/// sources of its edges and what of `dropped` would open it.
/// `graph` keeps its remarks alone.
TaskGraph freeze(const std::string& file, ImportedGraph& graph, std::span<const std::string> dropped = {});

/// The same with counts and remarks, as ImportOptions::drop_edges says.
Imported imported(const std::string& file, ImportedGraph graph, const ImportOptions& options);

/// Whether `head` begins as JSON and has all of these keys.
bool is_json_with(const FileHead& head, std::initializer_list<std::string_view> keys);

inline constexpr std::size_t kLongestTaskName = 200;

/// Bounds of one task's cost in a foreign file; sums are checked by freeze and by what checks every scenario.
inline constexpr std::int64_t kMostImportedNs = 100'000'000'000'000'000;
inline constexpr std::int64_t kMostImportedAmount = 1'000'000'000'000'000'000;  ///< flops or bytes

/// "1 task", "12 tasks", for remarks.
std::string counted(std::size_t count, std::string_view thing);

/// A number of a foreign file as a whole count of ours: `value` times `per_unit` (1e9 for seconds as nanoseconds), rounded; nullopt for
/// what is negative, not finite or beyond `most`.
std::optional<std::int64_t> whole_amount(double value, double per_unit, std::int64_t most);

/// A decimal number, all of `text`; nullopt for anything else, infinities and NaN included.
std::optional<double> decimal(std::string_view text);

}  // namespace tasktwin::scenarios
