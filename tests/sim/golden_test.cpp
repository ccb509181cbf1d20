// Timelines small enough to check by hand, in tests/goldens/sim/. UPDATE_GOLDENS=1 rewrites them; a person reads the diff.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "models/runtimes/runtimes.hpp"
#include "sim/simulator.hpp"
#include "tests/sim/gantt.hpp"
#include "tests/sim/small_worlds.hpp"
#include "tests/support/counting_axes.hpp"

namespace tasktwin::sim {
namespace {

/// Two cores. One sweep takes 2 + 2 · 1 = 4 ns.
Machine golden_machine() {
  Machine machine = plain_machine(2);
  const auto ns = [](double value) { return Nanoseconds{value}; };
  machine.host_calls->launch = ns(5), machine.host_calls->event_record = ns(1), machine.host_calls->stream_wait = ns(1);
  machine.streams->launch_latency = ns(8), machine.streams->gap = ns(2), machine.streams->event_gap = ns(3);
  machine.device_mailboxes->hop = ns(3), machine.resident_cores->counter_hop = ns(5), machine.ready_queues->hop = ns(9);
  machine.resident_cores->start = ns(1), machine.device_mailboxes->publish = ns(5), machine.resident_cores->release = ns(2);
  machine.resident_cores->list_read = machine.memory->read_latency = ns(4), machine.memory->atomic_latency = ns(6),
  machine.memory->atomic_service = ns(1);
  machine.device_control->poll = ns(2), machine.device_control->poll_per_core = ns(1), machine.device_control->complete = ns(1),
  machine.device_control->resolve = ns(1), machine.device_control->dispatch = ns(2);
  machine.memory->bandwidth = 3;
  machine.memory->core_bandwidth = 2;
  return machine;
}

std::vector<Design> golden_designs() {
  std::vector<Design> designs;
  for (const char* name : {"cuda-streams", "central-dispatcher", "static-queues", "shared-queue"}) designs.push_back(named_design(name));
  for (Design& design : designs) {
    design.streams = 2;
    design.mailbox_depth = 2;
    design.fill = Fill::kAlways;
    if (is_static(design.placement)) design.placement = Placement::kRoundRobin;
    design = with_counting_axes(design);
  }
  return designs;
}

void expect_golden(const std::string& name, const TaskGraph& graph, const Machine& machine) {
  std::string actual;
  for (const Design& design : golden_designs())
    actual += design.name + "\n" + gantt(graph, simulate(graph, machine, design).timeline) + "\n";
  const std::string path = "tests/goldens/sim/" + name + ".txt";
  if (std::getenv("UPDATE_GOLDENS") != nullptr) {
    std::ofstream(path) << actual;
    return;
  }
  std::ostringstream expected;
  expected << std::ifstream(path).rdbuf();
  EXPECT_EQ(expected.str(), actual) << path;
}

// a → b
//   central-dispatcher  the sweep from 0 ends at 4: a handed over 4 + 2 = 6, received + 3 = 9, started + 1 = 10, ended 30,
//     published 32, visible 35. The loop finds nothing at 6, parks at 10, sweeps at 14, … 34, 38: T = 38, t1 = 38 + 4 + 1
//     completion + 1 successor = 44 = b ready; 46, 49, 50, 60, 62; visible 65. Parked at 50; T = 66, t1 = 71.
//   static-queues  a: read at 4, started 5, ended 25, published 25 + 2 + 1 = 28. b, on the other core: max(2 · 4, 28 + 5) = 33,
//     started 34, ended 44, published 46.
//   shared-queue  both claims arrive at 3, served 4 and 5, back 7 and 8. a: max(7 + 4, 0 + 5) + 4 = 15, started 16, ended 36,
//     published 39. b goes to the second ticket: max(8 + 4, 39 + 5) + 4 = 48, 49, 59, 61.
//   cuda-streams  a launched 0 to 5, record to 6; b: wait to 7, launched 7 to 12. a starts 0 + 8, ends 28;
//     b: max(7 + 8, 28 + 3) = 31, ends 41.
TEST(Golden, Chain) { expect_golden("chain", small_graph({{"a", 20}, {"b", 10}}, {{0, 1}}), golden_machine()); }

// a → b, c → d
//   central-dispatcher  a: 6, 9, 10, 20, 22, visible 25. Parked at 10; T = 26, t1 = 26 + 4 + 1 + 2 = 33. b: 35, 38, 39, 59, 61,
//     visible 64; c: 37, 40, 41, 51, 53, visible 56. Parked at 41; T = 57 sees c: busy to 57 + 4 + 1 + 1 = 63. At 63 nothing;
//     parked at 67, which is past 64: T = 67, t1 = 73 = d ready; 75, 78, 79, 89, 91, visible 94. Parked at 79; T = 95 to 100.
//   static-queues  core 0: a, c; core 1: b, d. a: 4, 5, 15, published 15 + 2 + 2 = 19. b: max(8, 24) = 24, 25, 45, 48.
//     c: fetched from 4 (a received): max(4 + 8, 24) = 24, 25, 35, 38. d: fetched from 24: max(32, 48 + 5) = 53, 54, 64, 66.
//   shared-queue  a: 15, 16, 26, published 26 + 2 + 2 = 30. Tickets: core 1 (back 8), then core 0 (claimed at 15, back 22).
//     b to core 1: max(12, 35) + 4 = 39, 40, 60, 63. c to core 0: max(26, 35) + 4 = 39, 40, 50, 53. Both claim at 39, core 0
//     first, back 39 + 3 + 1 + 3 = 46: d to core 0: max(50, 63 + 5) + 4 = 72, 73, 83, 85.
//   cuda-streams  host: a 0 to 5, record 6; wait 7, b to 12; c to 17, record 18; wait 19, d to 24. a: 8 to 18. b: max(15, 21)
//     = 21 to 41. c: max(20, 18 + 2) = 20 to 30. d: max(27, 41 + 2, 30 + 3) = 43 to 53.
TEST(Golden, Diamond) {
  expect_golden("diamond", small_graph({{"a", 10}, {"b", 20}, {"c", 10}, {"d", 10}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}), golden_machine());
}

// four tasks without dependencies, mailboxes of two
//   central-dispatcher  at 4: a to core 0 (6), b to core 1 (8), then a second each: c (10), d (12). a: 9, 10, 20, 22; b: 11, 12, 22,
//     24; c: 13, started 20 + 1 = 21, 31, 33; d: 15, 23, 33, 35. Visible 25, 27, 36, 38. Parked at 16; T = 28 to 28 + 4 + 2 = 34;
//     nothing at 34; parked at 38, T = 38 sees both others: to 44.
//   static-queues  core 0: a 4, 5, 15, 17; c fetched from 4: 8, 16, 26, 28. Core 1 the same with b, d.
//   shared-queue  back 7 and 8: a: 15, 16, 26, 28; b: 16, 17, 27, 29. Core 0 claims again at 15: back 22, c: 30, 31, 41, 43.
//     Core 1 at 16: arrives 19, served 20, back 23, d: 31, 32, 42, 44.
//   cuda-streams  launches begin at 0, 5, 10, 15. a: 8 to 18; b: 13 to 23; c: max(18, 18 + 2) = 20; d: max(23, 23 + 2) = 25.
TEST(Golden, Independent) { expect_golden("independent", small_graph({{"a", 10}, {"b", 10}, {"c", 10}, {"d", 10}}), golden_machine()); }

// a moves 40 bytes, b 20; 3 bytes/ns in all, 2 for one core
//   central-dispatcher  a from 10, b from 12: a moves 4 bytes alone, then 1.5 each: b's 20 take 13.33, to 25.33, so 26. a has 16
//     left, at 2: to 33.33, so 34.
//   static-queues  both from 5: b to 18.33, so 19; a has 20 left: to 28.33, so 29.
//   shared-queue  a from 16, b from 17: b to 30.33, so 31; a has 40 − 2 − 20 = 18 left: to 39.33, so 40.
//   cuda-streams  a from 8, b from 13: b to 26.33, so 27; a has 40 − 10 − 20 = 10 left: to 31.33, so 32.
TEST(Golden, SharedBandwidth) { expect_golden("shared_bandwidth", small_graph({{"a", 0, 40}, {"b", 0, 20}}), golden_machine()); }

// a → b → c; a and c need an aic, b an aiv; one of each
//   central-dispatcher  a: 6, 9, 10, 20, 22, visible 25. T = 26, t1 = 32: b: 34, 37, 38, 48, 50, visible 53. Parked at 38; T = 54,
//     t1 = 60: c: 62, 65, 66, 76, 78, visible 81. Parked at 66; T = 82 to 87.
//   static-queues  a: 4, 5, 15, 18. b: max(8, 23) = 23, 24, 34, 37. c: fetched from 4: max(12, 42) = 42, 43, 53, 55.
//   shared-queue  one counter for both types: claims back at 7 and 8. a: 15, 16, 26, 29. b: max(12, 34) + 4 = 38, 39, 49, 52.
//     c: core 0 claims at 15, back 22: max(26, 57) + 4 = 61, 62, 72, 74.
//   cuda-streams  a 0 to 5, record 6; wait 7, b to 12, record 13; wait 14, c to 19. a: 8 to 18. b: max(15, 21) = 21 to 31.
//     c: max(22, 18 + 2, 31 + 3) = 34 to 44.
TEST(Golden, TwoCoreTypes) {
  Machine machine = golden_machine();
  machine.compute_cores = {{CoreType::kAic, 1}, {CoreType::kAiv, 1}};
  const TaskGraph graph =
      small_graph({{"a", 10, 0, CoreType::kAic}, {"b", 10, 0, CoreType::kAiv}, {"c", 10, 0, CoreType::kAic}}, {{0, 1}, {1, 2}});
  expect_golden("two_core_types", graph, machine);
}

}  // namespace
}  // namespace tasktwin::sim
