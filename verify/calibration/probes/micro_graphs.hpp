#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/graph/task_graph.hpp"

namespace tasktwin::verify {

/// Graphs that calibration runs. None of them is a scenario that verification judges.

/// `length` spinning tasks, each after the one before.
TaskGraph chain_graph(int length, Duration each);

/// `chains` chains of `length` spinning tasks that each have a predicate, which holds with that probability, all after a task that spins
/// for `first`; the tasks of the chains in turn, and after them all an empty one, if they are `joined`.
TaskGraph predicated_chains_graph(int chains, int length, Duration each, double probability, Duration first, bool joined = false);

/// A chain of `length` spinning tasks after one that spins for `first`, and after it `branches` more and an empty one that joins them.
/// All but the first and the last have a predicate, which holds with that probability.
TaskGraph predicated_fan_graph(int length, int branches, Duration each, double probability, Duration first);

/// `count` tasks of that shape, without dependencies.
TaskGraph independent_graph(int count, const Task& task, const Problem& problem = {});
TaskGraph independent_graph(const std::vector<Task>& tasks, const Problem& problem);

/// `count` tasks of that shape before one that is empty.
TaskGraph joined_graph(int count, const Task& task);

/// `tasks` in waves of `width`, each preceded by the waves `between`, and all by the wave `ahead`; every wave waits for the whole one
/// before, through an empty task.
TaskGraph wave_graph(const std::vector<Task>& tasks, int width, const std::vector<std::vector<Task>>& between, const Problem& problem,
                     const std::vector<Task>& ahead = {});

/// `stars` hubs one after the other, each releasing `leaves` spinning tasks of which the first releases the next hub.
TaskGraph stars_graph(int stars, int leaves, Duration each);

/// A spinning task that spawns `children`, of which the first spawns as many, and so on for that many `generations`.
TaskGraph spawning_graph(int generations, int children, Duration each);

/// A tree of `depth` levels in which every task above the lowest spawns `children`.
TaskGraph spawned_tree(int depth, int children, Duration each);

/// `layers` of `width` spinning tasks; each waits for three of the layer before, its own column and both beside it.
TaskGraph stencil_graph(int layers, int width, Duration each);

struct LayeredShape {
  int layers = 0;
  int width = 0;
  int predecessors = 0;  ///< of each task after the first layer, in the layer before, drawn
  Duration shortest{};
  Duration longest{};
  std::uint64_t seed = 0;
};

/// Layers of tasks that spin for a time drawn between the two.
TaskGraph layered_graph(const LayeredShape& shape);

struct GroupedShape {
  int groups = 0;
  int width = 0;
  int layers = 0;
  Duration shortest{};
  Duration longest{};
  std::uint64_t seed = 0;
};

/// After one first task, groups of layers that each wait for the whole one before, of tasks that spin for a time drawn between the two;
/// the tasks of a layer follow each other by group.
TaskGraph groups_behind_one(const GroupedShape& shape);

/// stencil_graph() after one further task, the first; the tasks of a layer follow each other by column.
TaskGraph stencil_behind_one(int layers, int width, Duration each);

Task spin_task(Duration time);
Task sized_task(Kernel kernel, std::array<std::int32_t, 4> args, std::int64_t flops, std::int64_t bytes);

}  // namespace tasktwin::verify
