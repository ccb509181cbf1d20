#include "gpu/persistent/worker_queues/worker_queues_executor.hpp"

#include <algorithm>
#include <bit>

#include "gpu/persistent/launch/timeline_samples.hpp"
#include "models/rules/home.hpp"

namespace tasktwin::gpu {

namespace {

/// Of all ticket queues together, unless the run's options say how large one is.
constexpr std::size_t kMostTicketBytes = std::size_t{256} << 20;
/// Of a queue that is stolen from: what does not fit waits in a backlog, where no thief sees it. To one that has room for all there is, a
/// push takes one atomic operation less, which thieves do not get in the way of. (On an H200, in a decode step of 10 545 tasks whose queues
/// had 4096 places, tasks were ready 0.7 us later after an end, and stolen 0.8 us later after that, than in decode steps that fit.)
constexpr std::size_t kOwnPlaces = 16384;

}  // namespace

WorkerQueuesExecutor::WorkerQueuesExecutor(const ExecutorInputs& inputs, std::vector<std::uint32_t> places)
    : PersistentExecutor(inputs, std::move(places)),
      next_event_(device_graph().events, "the events"),
      kept_first_(workers()),
      kept_last_(workers()) {
  const DeviceGraph& graph = device_graph();
  const std::uint32_t created = graph.before_spawning ? graph.before_spawning->created : run_count();
  outstanding_ = {std::vector<std::uint32_t>(kLineWords, created), "the termination words"};
  stops_ = {std::vector<std::uint32_t>(std::size_t{workers()} * kLineWords), "the termination words"};
  votes_ = {std::vector<VoteNode>(workers()), "the termination words"};
  kept_links_.resize(task_count());
  if (graph.places.empty()) return;
  std::vector<std::uint32_t> ids(task_count());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[graph.place(i)] = static_cast<std::uint32_t>(i);
  ids_ = {std::span<const std::uint32_t>(ids), "the tasks' places"};
  if (!graph.before_spawning) tasks_ = {std::span<const DeviceTask>(graph.tasks_by_place()), "the tasks"};
}

std::vector<std::vector<std::uint32_t>> WorkerQueuesExecutor::deal_roots(std::size_t queues) const {
  std::vector<std::vector<std::uint32_t>> dealt(queues);
  std::uint32_t turn = 0;
  for (const std::uint32_t root : device_graph().roots) {
    std::vector<std::uint32_t>& queue = dealt[rules::deal(turn, static_cast<std::uint32_t>(queues), [](std::uint32_t) { return true; })];
    queue.insert(queue.end(), device_graph().host_tasks[root].blocks, device_graph().place(root));
  }
  return dealt;
}

std::uint32_t WorkerQueuesExecutor::entries_in_all() const {
  const DeviceGraph& graph = device_graph();
  std::uint32_t entries = graph.blocks_of_wide;
  for (const DeviceTask& task : graph.host_tasks) entries += task.blocks == 1;
  return entries - graph.events;
}

void WorkerQueuesExecutor::keep(std::uint32_t worker, std::uint32_t place) {
  if (kept_last_[worker] == 1 + place) {
    ++kept_links_[place].copies;
    return;
  }
  kept_links_[place] = {0, 1};
  if (kept_first_[worker] == 0) {
    kept_first_[worker] = 1 + place;
  } else {
    kept_links_[kept_last_[worker] - 1].next = 1 + place;
  }
  kept_last_[worker] = 1 + place;
}

void WorkerQueuesExecutor::make_tickets(const std::vector<std::vector<std::uint32_t>>& ready) {
  ticket_queues_ = static_cast<std::uint32_t>(ready.size());
  const std::size_t most = std::max<std::size_t>(1, kMostTicketBytes / sizeof(std::uint64_t) / ready.size());
  const std::size_t wanted =
      inputs().options.queue_places > 0 ? static_cast<std::size_t>(inputs().options.queue_places) : std::size_t{entries_in_all()};
  ticket_capacity_ = static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 1, most));
  never_full_ = ticket_capacity_ >= entries_in_all();
  std::vector<std::uint32_t> ends(ready.size() * TicketQueues::kEnds * kLineWords);
  std::vector<std::uint64_t> places(ready.size() * ticket_capacity_);
  for (std::uint32_t queue = 0; queue < ready.size(); ++queue) {
    for (std::uint32_t i = 0; i < ready[queue].size(); ++i) {
      if (i < ticket_capacity_) {
        places[std::size_t{queue} * ticket_capacity_ + i] = 1 + ready[queue][i];
        ++ends[(TicketQueues::kEnds * std::size_t{queue} + 1) * kLineWords];
        ++ends[(TicketQueues::kEnds * std::size_t{queue} + 2) * kLineWords];
      } else {
        const std::uint32_t place = ready[queue][i];  // one worker keeps all blocks of a task
        keep(queue + place % (1 + (workers() - 1 - queue) / ticket_queues_) * ticket_queues_, place);
      }
    }
  }
  ticket_ends_ = {ends, "the queues' ends"};
  ticket_places_ = {places, "the ready queue"};
}

void WorkerQueuesExecutor::make_own(const std::vector<std::vector<std::uint32_t>>& ready) {
  own_queues_ = static_cast<std::uint32_t>(ready.size());
  const std::size_t enough = std::min<std::size_t>(entries_in_all(), std::max(kOwnPlaces, 2 * entries_in_all() / ready.size()));
  const std::size_t wanted = inputs().options.queue_places > 0 ? static_cast<std::size_t>(inputs().options.queue_places) : enough;
  own_capacity_ = static_cast<std::uint32_t>(std::bit_ceil(std::max<std::size_t>(1, wanted)));
  std::vector<std::uint64_t> ends(ready.size() * StealQueues::kEndsApart);
  std::vector<std::uint32_t> entries(ready.size() * own_capacity_);
  for (std::uint32_t queue = 0; queue < ready.size(); ++queue) {
    for (std::uint32_t i = 0; i < ready[queue].size(); ++i) {
      if (i < own_capacity_) {
        entries[std::size_t{queue} * own_capacity_ + i] = 1 + ready[queue][i];
        ends[std::size_t{queue} * StealQueues::kEndsApart] += std::uint64_t{1} << 32;
      } else {
        keep(queue, ready[queue][i]);
      }
    }
  }
  own_ends_ = {ends, "the queues' ends"};
  own_entries_ = {entries, "the workers' queues"};
  taken_ = {std::size_t{workers()} * own_capacity_, "what workers have taken"};
  claimed_ = {std::vector<std::uint32_t>(kLineWords), "the count of claims"};
}

WorkerQueues WorkerQueuesExecutor::describe_queues(const PersistentRun& run) const {
  const Design& design = inputs().design;
  const bool by_id = device_graph().places.empty();
  const std::uint32_t batch = static_cast<std::uint32_t>(design.steal_batch);
  return {.tasks = run.children.tasks ? run.children.tasks
                   : by_id            ? run.tasks
                                      : tasks_.data(),
          .ids = ids_.data(),
          .ending = {.scheme = design.termination,
                     .created = device_graph().before_spawning ? device_graph().before_spawning->created : run_count(),
                     .outstanding = outstanding_.data(),
                     .stops = stops_.data(),
                     .votes = votes_.data()},
          .claims = {.rule = {design.claim, static_cast<std::uint32_t>(design.claim_size), workers()},
                     .claimable = entries_in_all(),
                     .claimed = claimed_.data()},
          .backlogs = {links_.data(), backlog_first_.data(), backlog_last_.data()},
          .tickets = {ticket_ends_.data(), ticket_places_.data(), ticket_queues_, ticket_capacity_, never_full_, false},
          .own = {own_ends_.data(), own_entries_.data(), own_queues_, own_capacity_, own_capacity_ >= entries_in_all()},
          .newest_first = design.order == TaskOrder::kLifo,
          .taken = taken_.data(),
          .stealing = {.on = design.stealing != Stealing::kOff, .size = {design.stealing, batch}, .victim = design.victim},
          .bits = {},
          .first = nullptr,
          .frozen = 0,
          .first_event = device_graph().events > 0 ? device_graph().first_event() : kStopTask,
          .next_event = next_event_.data()};
}

void WorkerQueuesExecutor::reset(cudaStream_t stream) {
  if (backlog_first_.size() == 0) {
    links_ = {kept_links_, "the backlogs"};
    backlog_first_ = {std::span<const std::uint32_t>(kept_first_), "the backlogs"};
    backlog_last_ = {std::span<const std::uint32_t>(kept_last_), "the backlogs"};
  }
  outstanding_.restore(stream);
  stops_.restore(stream);
  votes_.restore(stream);
  links_.restore(stream);
  ticket_ends_.restore(stream);
  ticket_places_.restore(stream);
  own_ends_.restore(stream);
  own_entries_.restore(stream);
  claimed_.restore(stream);
}

void WorkerQueuesExecutor::add_observations(RunResult& result, std::uint64_t) {
  result.timeline.ready_queue = queue_samples(result.timeline);
}

}  // namespace tasktwin::gpu
