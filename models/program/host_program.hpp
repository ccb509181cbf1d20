#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/ids.hpp"
#include "models/base/units.hpp"
#include "models/graph/task_graph.hpp"
#include "models/program/stream_plan.hpp"

namespace tasktwin {

/// What a call of the host does to the order of work.
enum class HostCallKind : std::uint8_t {
  kLaunch,      ///< brings tasks into a stream: a kernel, a copy, a memset, a host function, or the nodes of a graph
  kRecord,      ///< records an event in a stream
  kWait,        ///< has a stream wait for a record
  kEventSync,   ///< blocks until what was launched before a record has ended
  kStreamSync,  ///< blocks until a stream has ended
  kDeviceSync,  ///< blocks until all that was launched has ended
};

/// Whether the call blocks until something has ended.
constexpr bool is_sync(HostCallKind kind) {
  return kind == HostCallKind::kEventSync || kind == HostCallKind::kStreamSync || kind == HostCallKind::kDeviceSync;
}

inline constexpr std::uint32_t kNoRecord = ~0u;

/// What a part of the host's time is called that loads code for a kernel's first launch; " in CALL" follows.
inline constexpr std::string_view kModuleLoading = "module loading";

/// How long calls of one name took, or a part of the program that it has given a name.
struct NamedTime {
  std::uint32_t name = 0;  ///< in HostProgram::names
  Duration time{};
  std::uint32_t calls = 1;
};

/// One call of a host thread. What orders nothing (allocations, queries) is part of the own time before the next, as `within` says.
struct HostCall {
  HostCallKind kind{};
  Duration own{};                    ///< the host's own time since its thread's call before has returned
  Duration call{};                   ///< how long the call itself keeps the host, without what it waits for
  std::uint32_t stream = 0;          ///< of all kinds but kEventSync and kDeviceSync
  std::uint32_t record = kNoRecord;  ///< kRecord: its number; kWait, kEventSync: the record they are about, none where it is not known
  TaskId first{};                    ///< kLaunch: the first of the tasks that it launches
  std::uint32_t tasks = 0;           ///< and how many; several are the nodes of a graph
  bool graph = false;                ///< kLaunch: it launches a graph
  bool blocks = false;               ///< kLaunch: it returns only when its task has ended
  /// kLaunch: from its begin to the start of its first task where nothing else kept that waiting; none where something did, or it is not
  /// known: then the machine says how long.
  std::optional<Duration> latency = {};
  std::uint32_t name = 0;              ///< in HostProgram::names
  std::vector<NamedTime> within = {};  ///< of `own`, what calls took that order nothing; each name once
  /// Of `own` without these, the time in each of the program's own ranges, the innermost counting; each name once.
  std::vector<NamedTime> ranges = {};
};

struct HostThread {
  std::string name;
  std::vector<HostCall> calls;
  Duration own_after{};       ///< the host's own time after the last call, calls that order nothing included
  std::uint32_t process = 0;  ///< threads wait for calls of their own process's alone
};

/// The host's part of a program as it was captured: what each of its threads called, and the time that it spent between calls. TaskIds
/// are in the order in which tasks were launched; TaskTraits::stream has the stream of each.
struct HostProgram {
  std::vector<HostThread> threads;
  /// Every call as {thread, its place among the thread's}, in the order in which the calls began.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
  std::uint32_t streams = 1;
  std::uint32_t records = 0;
  /// By TaskId, of copies of pinned memory: for what share of its captured time another moved bytes the other way, which slows both down.
  /// Empty where none did.
  std::vector<double> beside = {};
  std::vector<std::string> names{""};  ///< of calls and of ranges; that of number 0 is not known, or no range

  const HostCall& call(std::pair<std::uint32_t, std::uint32_t> at) const { return threads[at.first].calls[at.second]; }
};

/// What the host spends on a task where its design makes the calls that order work anew.
struct HostShare {
  Duration own{};  ///< its own time before the launch, since the launch before; not up to 100 us before records and waits
  std::optional<Duration> launch = {};  ///< the launching call; none for a graph's node, which had no call of its own
  std::vector<NamedTime> within = {};   ///< of `own`, as HostCall::within: calls that are still made
  std::vector<NamedTime> ranges = {};   ///< likewise as HostCall::ranges
};

/// By TaskId, as one host makes all calls in their order: of several threads each instant counts once. The own time
/// before a graph's launch is its first node's. Contract: `tasks` is what the program launches.
std::vector<HostShare> host_shares(const HostProgram& program, std::size_t tasks);

/// The same launches by one thread, with the same shares. Contract: as host_shares().
HostProgram on_one_thread(const HostProgram& program, std::size_t tasks);

/// What the device receives, launch by launch in TaskId's order: stream order, and in StreamLaunch::awaited what a stream waits for by
/// records, or within and around calls of several tasks, as launches of graphs, by the edges of `graph`. Contract: `program` is of `graph`.
std::vector<StreamLaunch> plan_program(const TaskGraph& graph, const HostProgram& program);

/// What one call launched.
struct LaunchedTasks {
  TaskId first{};
  std::uint32_t tasks = 0;  ///< 0 for nothing
};

/// By record: what was launched last into its stream before it.
std::vector<LaunchedTasks> record_sources(const HostProgram& program);

/// By TaskId, Cost::time: what the bodies of captured tasks take, with all that a machine would add to it.
std::vector<Duration> stated_times(const TaskGraph& graph);

/// The same program on a host whose own time and calls take `factor` times as long.
HostProgram scaled(const HostProgram& program, double factor);

/// The median of what calls of that kind keep the host for; of launches those of graphs and of nothing do not count. `otherwise` where
/// there are none.
Duration median_call(const HostProgram& program, HostCallKind kind, Duration otherwise);

/// What of a host's time.
enum class HostPart : std::uint8_t {
  kOwn,     ///< between calls
  kCall,    ///< in calls, without what they wait for
  kLaunch,  ///< of these, in calls that launch
  kOther,   ///< and in calls that order nothing
  kSync,    ///< in calls that block, what they wait for included: the device keeps the order
};

/// The same program on a host whose code takes no time: it waits for the device, and the device's work starts as it is launched.
HostProgram without_host_time(const HostProgram& program);

/// The same program without that part; where a name is given, only of calls of that name, of kOwn only in the range of that name.
HostProgram without(const HostProgram& program, HostPart part, std::optional<std::uint32_t> name = {});

}  // namespace tasktwin
