#include "gpu/peers/plans/peer_lists.hpp"

#include <algorithm>

namespace tasktwin::gpu {

std::vector<PeerList> peer_lists(const TaskGraph& graph, const FrozenSchedule& lists, int devices,
                                 const std::vector<std::pair<TaskId, TaskId>>& ignored, const std::vector<TaskId>& extra) {
  std::vector<PeerList> all(static_cast<std::size_t>(devices));
  std::vector<std::uint32_t> places(graph.size());
  const std::size_t workers = lists.size() / all.size();
  for (std::size_t worker = 0; worker < lists.size(); ++worker) {
    PeerList& mine = all[worker / workers];
    mine.first.push_back(static_cast<std::uint32_t>(mine.tasks.size()));
    for (const TaskId task : lists[worker]) {
      places[index(task)] = static_cast<std::uint32_t>(mine.tasks.size());
      mine.tasks.push_back(task);
    }
  }
  const auto waits = [&](TaskId from, TaskId to) { return std::ranges::find(ignored, std::pair(from, to)) == ignored.end(); };
  std::vector<bool> shared(graph.size(), false);  // some predecessor is on another device
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const TaskId before : graph.predecessors(task_id(i)))
      if (graph[before].device != graph[task_id(i)].device && waits(before, task_id(i))) shared[i] = true;
  }
  for (PeerList& mine : all) {
    mine.first.push_back(static_cast<std::uint32_t>(mine.tasks.size()));
    for (const TaskId task : mine.tasks) {
      mine.row_begins.push_back(static_cast<std::uint32_t>(mine.rows.size()));
      auto count = static_cast<std::uint32_t>(std::ranges::count(extra, task));
      for (const TaskId before : graph.predecessors(task)) count += waits(before, task) ? 1 : 0;
      mine.counts.push_back(count);
      for (const TaskId after : graph.successors(task)) {
        if (!waits(task, after)) continue;
        const auto code = shared[index(after)] ? static_cast<std::uint32_t>(graph[after].device) + 1 : 0;
        mine.rows.push_back(places[index(after)] | code << kPeerShift);
      }
    }
    mine.row_begins.push_back(static_cast<std::uint32_t>(mine.rows.size()));
  }
  return all;
}

}  // namespace tasktwin::gpu
