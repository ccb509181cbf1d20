#include "sim/memory/allocations.hpp"

#include <algorithm>
#include <utility>

#include "models/checks/mechanisms.hpp"
#include "models/program/buffers.hpp"

namespace tasktwin::sim {

namespace {

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace

Allocations::Allocations(const TaskGraph& graph, const std::vector<StreamLaunch>& plan, const AsRun& machine, const Design& design,
                         RunEvents& events)
    : graph_(graph),
      allocators_(machine.allocators.or_zero_unless(first_task(graph, reads_allocators).has_value())),
      events_(events),
      how_(design.allocator),
      keeps_(design.release_threshold == ReleaseThreshold::kMax),
      own_stream_alone_(design.pool_reuse == PoolReuse::kOwnStream),
      memory_(machine.memory_limits.capacity, machine.memory_limits.page),
      pool_(memory_,
            how_ == Allocator::kMalloc ? std::max<std::int64_t>(1, machine.memory_limits.page) : machine.memory_limits.pool_segment,
            how_ == Allocator::kPool),
      cache_(memory_,
             {.expandable = design.segments == MemorySegments::kExpandable, .max_split = std::int64_t{design.max_split_mib} << 20}) {
  if (design.record_stream == RecordStream::kOff) return;
  event_record_ = machine.host_calls->event_record;
  std::vector<std::uint32_t> stream_of(graph.size());
  for (const StreamLaunch& launch : plan) stream_of[index(launch.task)] = launch.stream;
  for (const auto& [buffer, users] : buffer_users(graph)) {
    for (const TaskId user : users) streams_of_[buffer].insert(stream_of[index(user)]);
  }
  launched_.resize(total_streams(graph, design));
  ended_.resize(launched_.size());
}

bool Allocations::waits_for_device(TaskId task, std::uint32_t stream) {
  const bool frees = graph_[task].operation != Operation::kAlloc;
  if (how_ == Allocator::kMalloc) return frees;
  if (how_ != Allocator::kCaching || frees) return false;
  if (!memory_.has(cache_.asks_for(stream, graph_[task].cost.bytes.count))) grows_for_ = task;
  return grows_for_ == task;
}

void Allocations::launched(std::uint32_t stream) {
  pool_.launched(stream);
  if (!launched_.empty()) ++launched_[stream];
}

void Allocations::ended(std::uint32_t stream, TimePoint now) {
  if (ended_.empty()) return;
  ++ended_[stream];
  const auto passed = [this](const Recorded& buffer) {
    return std::ranges::all_of(buffer.until, [this](const auto& until) { return ended_[until.first] >= until.second; });
  };
  bool any = false;
  std::erase_if(recorded_, [&](const Recorded& buffer) {
    if (!passed(buffer)) return false;
    cache_.free(buffer.address);
    return any = true;
  });
  if (any) sample(now);
}

Nanoseconds Allocations::asks(TaskId task, std::uint32_t stream) {
  if (how_ != Allocator::kPool || own_stream_alone_ || graph_[task].operation != Operation::kAlloc) return Nanoseconds{0};
  const std::int64_t bytes = graph_[task].cost.bytes.count;
  if (search_.alloc != task) search_ = {.alloc = task, .taken = pool_.take(stream, bytes)};
  if (search_.asked) take_turn(stream, bytes);
  const bool asking_takes = round_ns(allocators_.pool_look) > Duration{0};
  for (; !search_.taken && search_.turn < 2 * pool_.users(); take_turn(stream, bytes)) {
    const std::size_t user = search_.turn % pool_.users();
    const bool in_vain = search_.turn < pool_.users() && pool_.is_own(user, stream);  // take() has looked there
    search_.asked = asking_takes && !in_vain && pool_.must_ask(user);
    if (search_.asked) return allocators_.pool_look;
  }
  return Nanoseconds{0};
}

void Allocations::take_turn(std::uint32_t stream, std::int64_t bytes) {
  const std::size_t user = search_.turn % pool_.users();
  if (search_.turn < pool_.users()) {
    search_.taken = pool_.take_from(user, stream, bytes);
  } else {
    pool_.collect(user);
  }
  search_.asked = false;
  ++search_.turn;
}

std::optional<Nanoseconds> Allocations::call(TaskId task, std::uint32_t stream, TimePoint now) {
  const std::optional<Nanoseconds> time =
      graph_[task].operation == Operation::kAlloc ? allocate(task, stream, now) : std::optional(free(task, stream));
  if (time) sample(now + round_ns(*time));
  return time;
}

std::optional<Nanoseconds> Allocations::allocate(TaskId task, std::uint32_t stream, TimePoint now) {
  const std::int64_t bytes = graph_[task].cost.bytes.count;
  Buffer& buffer = buffers_[graph_[task].args[0]];
  if (how_ == Allocator::kCaching) {
    const bool looked = std::exchange(grows_for_, std::nullopt) == task;
    if (const auto grant = looked ? cache_.grow(stream, bytes) : cache_.allocate(stream, bytes)) {
      buffer.address = grant->address;
      if (grant->segment_bytes == 0) return Nanoseconds{0};
      const Nanoseconds frees = cuda_free(grant->released_bytes, grant->released);
      return frees + cuda_malloc(grant->segment_bytes);
    }
  } else if (const auto grant = from_pool(task, stream)) {
    buffer = {.address = grant->address, .bytes = bytes};
    if (how_ == Allocator::kMalloc) return cuda_malloc(bytes);
    Nanoseconds time = allocators_.malloc_async + static_cast<double>(grant->trimmed.segments) * allocators_.pool_trim;
    if (grant->segment_bytes > 0) time += mib(grant->segment_bytes) * allocators_.pool_grow_per_mib;
    return time;
  }
  failure_ = "out of memory at " + std::to_string(to_ns(now)) + " ns: task '" + std::string(graph_.name(task)) + "' asks for " +
             std::to_string(bytes) + " bytes; " + std::to_string(used()) + " bytes are in use and " + std::to_string(reserved()) +
             " reserved of the device's " + std::to_string(memory_.capacity());
  return std::nullopt;
}

std::optional<StreamPool::Grant> Allocations::from_pool(TaskId task, std::uint32_t stream) {
  const std::int64_t bytes = graph_[task].cost.bytes.count;
  if (search_.alloc != task) return pool_.allocate(stream, bytes);
  const Search found = std::exchange(search_, {});
  return found.taken ? found.taken : pool_.grow(stream, bytes);
}

Nanoseconds Allocations::free(TaskId task, std::uint32_t stream) {
  Buffer& buffer = buffers_[graph_[task].args[0]];
  if (how_ == Allocator::kCaching) return free_in_cache(task, stream);
  buffer.free = pool_.free(buffer.address, stream);
  if (how_ == Allocator::kPool) return allocators_.malloc_async;
  pool_.pass(buffer.free);
  pool_.trim();
  return cuda_free(buffer.bytes);
}

Nanoseconds Allocations::free_in_cache(TaskId task, std::uint32_t stream) {
  const std::int32_t number = graph_[task].args[0];
  Recorded buffer{buffers_[number].address, {}};
  if (const auto streams = streams_of_.find(number); streams != streams_of_.end()) {
    for (const std::uint32_t other : streams->second) {
      if (other != stream) buffer.until.emplace_back(other, launched_[other]);
    }
  }
  const auto under_way = [this](const auto& until) { return ended_[until.first] < until.second; };
  if (std::ranges::any_of(buffer.until, under_way)) {
    recorded_.push_back(buffer);
  } else {
    cache_.free(buffer.address);
  }
  return static_cast<double>(buffer.until.size()) * event_record_;
}

Nanoseconds Allocations::cuda_malloc(std::int64_t bytes) {
  if (freed_ < bytes) return allocators_.malloc_new;
  freed_ -= bytes;
  return allocators_.malloc + mib(bytes) * allocators_.malloc_per_mib;
}

Nanoseconds Allocations::cuda_free(std::int64_t bytes, std::int64_t calls) {
  freed_ += bytes;
  return static_cast<double>(calls) * allocators_.free + mib(bytes) * allocators_.free_per_mib;
}

void Allocations::passed(TaskId free) {
  if (how_ == Allocator::kPool && !own_stream_alone_) pool_.pass(buffers_[graph_[free].args[0]].free);
}

Nanoseconds Allocations::synchronised(TimePoint now) {
  if (how_ != Allocator::kPool) return Nanoseconds{0};
  own_stream_alone_ ? pool_.pass_all() : pool_.collect();
  if (keeps_) return Nanoseconds{0};
  const StreamPool::Trimmed trimmed = pool_.trim();
  const Nanoseconds time = static_cast<double>(trimmed.segments) * allocators_.pool_trim;
  if (trimmed.segments > 0) sample(now + round_ns(time));
  return time;
}

void Allocations::sample(TimePoint at) { events_.memory_changed({at, used(), reserved()}); }

}  // namespace tasktwin::sim
