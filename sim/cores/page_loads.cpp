#include "sim/cores/page_loads.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/rules/row_steps.hpp"

namespace tasktwin::sim {

PageLoads::PageLoads(const WiringInputs& inputs, const std::vector<std::vector<TaskId>>& lists, Bodies& bodies, const MemoryPaths& paths)
    : bodies_(bodies),
      paths_(paths),
      ahead_(static_cast<std::size_t>(inputs.design.prefetch)),
      load_bandwidth_(inputs.machine.page_loads->load_bandwidth),
      read_bandwidth_(inputs.graph.size(), inputs.machine.page_loads->read_bandwidth),
      traffic_(inputs.graph.size(), 1),
      hop_(round_ns(2 * inputs.machine.memory->read_latency)),
      bytes_(inputs.graph.size()),
      spared_(inputs.graph.size()),
      held_(inputs.graph.size()),
      begun_(inputs.graph.size()),
      loaded_(inputs.graph.size(), kAbsent),
      loaders_(inputs.cores.size()) {
  const PageRing ring = page_ring(inputs.graph, inputs.machine.constants());
  room_ = ring.page_bytes * ring.pages;
  for (std::size_t core = 0; core < lists.size(); ++core) {
    Loader& loader = loaders_[core];
    for (const TaskId task : lists[core]) {
      const std::int64_t stated = inputs.graph[task].cost.bytes.count;
      const std::int64_t constant = constant_bytes(inputs.graph, task);
      if (constant == 0 || ring.pages == 0 || !bodies.draws()) continue;
      bytes_[index(task)] = Bytes{constant};
      const KernelCost& kernel = inputs.machine.kernel_cost(inputs.graph[task].kernel);
      traffic_[index(task)] = kernel.traffic;
      const std::int64_t rows = matrix_rows(inputs.graph[task]);
      const bool held = rows == 0 || stated / rows == rules::kHeldRowBytes;
      const KernelCost& alike = held ? kernel : inputs.machine.kernel_cost(Kernel::kDown);  // all read longer and shorter rows as it does
      if (alike.paged > 0) read_bandwidth_[index(task)] = alike.paged;
      if (stated == 0) continue;
      const double drawn = static_cast<double>(inputs.costs[task].bytes.count);
      spared_[index(task)] = Bytes{std::llround(drawn * static_cast<double>(constant) / static_cast<double>(stated))};
    }
    loader.list = lists[core];
    start_task(loader);
  }
}

Duration PageLoads::reading(TaskId task) const {
  const double bandwidth = read_bandwidth_[index(task)];
  if (bandwidth <= 0) return Duration{0};
  return round_ns(Nanoseconds{static_cast<double>(bytes_[index(task)].count) / bandwidth});
}

/// Leaves out those that need no loading.
void PageLoads::start_task(Loader& loader) {
  while (loader.next < loader.list.size() && bytes_[index(loader.list[loader.next])].count == 0) ++loader.next;
  if (loader.next < loader.list.size()) loader.left = bytes_[index(loader.list[loader.next])].count;
}

void PageLoads::come_to_next(CoreId core, TimePoint now) {
  ++loaders_[index(core)].come_to;
  go_on(core, now);
}

void PageLoads::begin(CoreId core, TaskId task, TimePoint now) {
  begun_[index(task)] = true;
  loaders_[index(core)].held -= std::exchange(held_[index(task)], 0);
  go_on(core, now);
}

std::optional<TaskId> PageLoads::piece_came(CoreId core, TimePoint now) {
  Loader& loader = loaders_[index(core)];
  loader.under_way = 0;
  const TaskId task = loader.list[loader.next];
  const bool last = loader.left == 0;
  if (last) {
    loaded_[index(task)] = now;
    ++loader.next;
    start_task(loader);
  }
  go_on(core, now);
  return last ? std::optional(task) : std::nullopt;
}

void PageLoads::go_on(CoreId core, TimePoint now) {
  Loader& loader = loaders_[index(core)];
  if (loader.under_way > 0 || loader.next >= loader.list.size() || loader.next >= loader.come_to + ahead_) return;
  const TaskId task = loader.list[loader.next];
  const bool begun = begun_[index(task)];
  const std::int64_t piece = begun ? loader.left : std::min(loader.left, room_ - loader.held);
  if (piece <= 0) return;
  loader.left -= piece;
  loader.under_way = piece;
  if (!begun) {
    loader.held += piece;
    held_[index(task)] += piece;
  }
  const auto runner = static_cast<std::uint32_t>(loaders_.size() + index(core));
  const double traffic = traffic_[index(task)];
  const Bytes bytes{std::llround(traffic * static_cast<double>(piece))};
  bodies_.start(runner, {.bytes = bytes, .rate = traffic * load_bandwidth_}, now, paths_.of[index(core)]);
}

}  // namespace tasktwin::sim
