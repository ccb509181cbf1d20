#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// A graph made from another, which stays as it is. Patterns: models/base/name_pattern.hpp.
struct EditedGraph {
  TaskGraph graph;
  std::vector<std::vector<TaskId>> from;  ///< by TaskId of `graph`: the tasks it was made of, ascending; none for one that is new
  std::size_t matched = 0;                ///< tasks that the pattern means; where it is 0, the graph is the same
  std::size_t joins = 0;                  ///< of those that were dropped: events take their place
  std::size_t apart = 0;                  ///< pairs that follow each other alone and were not fused;
  std::string apart_as = {};              ///< why the first of them was not
};

/// By TaskId, whether the pattern means it.
std::vector<bool> tasks_meant(const TaskGraph& graph, std::string_view pattern);

/// The work of bodies, `factor` times as much: time with its deviation, samples and estimate, arithmetic, bytes, those that come over the
/// edges into them among these, and rows of a matrix, each at least 1 where it was. Contract: factor is finite and at least 0.
EditedGraph scale_tasks(const TaskGraph& graph, std::string_view pattern, double factor);

/// What comes in place of a dropped task that joined several with several others.
enum class DroppedJoins : std::uint8_t {
  kEvents,  ///< where that is fewer edges and no bytes came with them, an event of its name (models/graph/events.hpp)
  kEdges,   ///< an edge for each pair
};

/// Without these tasks; what waited for one waits for what that waited for, and gets the bytes that came from it from there, in equal
/// parts. Throws InputError where a task that is spawned would be left
/// without its spawner, where none would be left, and where more than kMostEditedEdges edges would come of it.
EditedGraph drop_tasks(const TaskGraph& graph, std::string_view pattern, DroppedJoins joins = DroppedJoins::kEvents);
inline constexpr std::size_t kMostEditedEdges = 50'000'000;

/// The tasks ask for `stream`; under stream_granularity `hinted` they get it. Contract: stream is at least 0.
EditedGraph move_tasks(const TaskGraph& graph, std::string_view pattern, int stream);

/// A task to insert.
struct NewTask {
  std::string name;
  Duration time{};
  std::string after = {};                   ///< waits for all tasks of this pattern; empty for none
  std::string before = {};                  ///< all of these wait for it
  std::optional<int> stream = {};           ///< none: that of all those, or else 0
  std::optional<std::int32_t> device = {};  ///< none: that of all those
  std::optional<CoreType> core_type = {};   ///< none: that of all those that are kernels, or of the graph's first one where none is
};

/// With that task, a body on one core, before the first of those that wait for it, or after the last that it waits for. `matched` counts
/// both. Throws InputError for a name that a task has, for a cycle, which it names, and where those are on unlike devices or types of core
/// and the task says none.
EditedGraph insert_task(const TaskGraph& graph, const NewTask& task);

/// Of the tasks that the pattern means, each chain as one: where one is the only successor of the one before and waits for it alone, and
/// both are kernels of one body whose blocks are as many, on cores of one type of one device. Costs add up, a block has the most threads,
/// registers and shared memory of any; what comes over the edges between them stays in it, and the other traits are the first's. What runs
/// alone stays. `matched` counts the tasks that were in chains.
EditedGraph fuse_tasks(const TaskGraph& graph, std::string_view pattern);

}  // namespace tasktwin
