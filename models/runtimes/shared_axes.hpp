#pragma once

#include <array>

#include "models/runtimes/conditions.hpp"
#include "models/runtimes/runtime.hpp"

namespace tasktwin {

// Axes, sections and random parts that several runtimes have alike.

template <class T, std::size_t... N>
constexpr auto joined(const std::array<T, N>&... parts) {
  std::array<T, (N + ...)> all{};
  std::size_t next = 0;
  const auto append = [&](const auto& part) {
    for (const T& one : part) all[next++] = one;
  };
  (append(parts), ...);
  return all;
}

constexpr GpuAxis only(std::array<std::string_view, 4> values, std::string_view why) {
  return {.read = true, .values = values, .why = why};
}

/// Where executors on the GPU have no choice but the device's graph as the host built it.
inline constexpr std::array kBuildAxes{
    AxisUse{.axis = "graph_build", .gpu = only({"host"}, "graphs come to the GPU from the host")},
    AxisUse{.axis = "host_build", .gpu = kNotRead, .when = &condition::kHostBuild},
    AxisUse{.axis = "orchestrators", .gpu = kNotRead, .when = &condition::kDeviceBuild},
    AxisUse{.axis = "window", .gpu = kNotRead, .when = &condition::kDeviceBuild},
    AxisUse{.axis = "heap_kib", .gpu = kNotRead, .when = &condition::kDeviceBuild},
    AxisUse{.axis = "dependency_pool", .gpu = kNotRead, .when = &condition::kDeviceBuild},
    AxisUse{.axis = "spin_limit_us", .gpu = kNotRead, .when = &condition::kDeviceBuild},
    AxisUse{.axis = "output_flush",
            .gpu = only({"both"}, "the GPU's workers fence before they signal, and after they have seen the signal")},
};

inline constexpr AxisUse kFallbackAxis{
    .axis = "fallback", .gpu = only({"none"}, "on the GPU no control core stands beside workers that take tasks for themselves")};
inline constexpr AxisUse kWorkersPerCoreAxis{
    .axis = "workers_per_core",
    .gpu = only({"1", "2", "3", "4"}, "workers' kernels are compiled for four blocks a multiprocessor at most")};
/// Of workers that fetch for themselves into a ring of slots.
inline constexpr AxisUse kWorkerSlotsAxis{
    .axis = "mailbox_depth",
    .gpu = only({"1", "2", "4"}, "a worker that fetches for itself has a power of two of slots, and four at most")};

/// Of persistent workers that fetch for themselves, by what they share.
inline constexpr std::array kStealingAxes{
    AxisUse{.axis = "stealing"},
    AxisUse{.axis = "steal_batch", .when = &condition::kBatches},
    AxisUse{.axis = "victim", .when = &condition::kThieves},
};

inline constexpr std::array kFetchingSections{
    SectionUse{"memory"},
    SectionUse{"resident_cores"},
    SectionUse{"first_looks"},
    SectionUse{"launched_kernels", &condition::kWorkersBeside},  // how blocks beside each other read
    SectionUse{"ready_queues"},
    SectionUse{"device_control", &condition::kControlBeside},
    SectionUse{"device_mailboxes", &condition::kFallsBack},
    SectionUse{"host_build", &condition::kTimedBuild},
};

/// Slots of a worker that fetches for itself: as many as it can have.
inline constexpr int kMostSlots = 4;
/// Tasks a claim of a shared queue under METG: one atomic operation on one word serves as many.
inline constexpr int kTasksAClaim = 16;

// What is drawn.
inline constexpr RandomPart kDeviceHops{"mailbox hops (device_mailboxes.hop_sigma_ns)", [](const Design&, const Machine& m) {
                                          return m.device_mailboxes && m.device_mailboxes->hop_sigma > Nanoseconds{0};
                                        }};
inline constexpr RandomPart kGatheredHops{"mailbox hops (device_mailboxes.hop_sigma_ns)", [](const Design& d, const Machine& m) {
                                            return d.fallback == Fallback::kTask && kDeviceHops.drawn(d, m);
                                          }};
inline constexpr RandomPart kRandomOrder{"task order (random)", [](const Design& d, const Machine&) {
                                           return d.order == TaskOrder::kRandom || (d.own.order && d.own.order->draws);
                                         }};
inline constexpr RandomPart kRandomVictims{
    "victims (random)", [](const Design& d, const Machine&) { return d.stealing != Stealing::kOff && d.victim == Victim::kRandom; }};
inline constexpr RandomPart kThievesLook{"when thieves look (ready_queues.take_ns)", [](const Design& d, const Machine& m) {
                                           return d.stealing != Stealing::kOff && m.ready_queues && m.ready_queues->take > Nanoseconds{0};
                                         }};
inline constexpr RandomPart kBackOff{"back-off (backoff_ns)", [](const Design& d, const Machine&) { return d.backoff_ns > 0; }};

}  // namespace tasktwin
