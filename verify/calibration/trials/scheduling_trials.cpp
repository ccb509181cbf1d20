#include "models/design/design.hpp"
#include "models/runtimes/runtimes.hpp"
#include "verify/calibration/probes/micro_graphs.hpp"
#include "verify/calibration/trials/refinement.hpp"

namespace tasktwin::verify {

using mechanism::ControlLoop;
using mechanism::ReadyQueues;
using mechanism::ResidentCores;

namespace {

using namespace std::chrono_literals;

/// Seeds of their own: no scenario has them.
constexpr std::uint64_t kSeed = 0xca11'b4a7e;

/// Waves one after the other, each after an empty task.
TaskGraph waves(int count, int width, Duration each) {
  return wave_graph(std::vector<Task>(static_cast<std::size_t>(count) * static_cast<std::size_t>(width), spin_task(each)), width, {}, {});
}

/// What every design runs: more tasks than cores, bursts, and layers that are narrow, wide, short and long. Where a dispatcher resolves
/// completions also ones that make all tasks of a wave ready, and layers each task of which awaits all of the one before.
std::vector<MakespanTrial> trials_of(const Design& design) {
  std::vector<MakespanTrial> trials;
  const auto add = [&](std::string graph, TaskGraph tasks) { trials.push_back({std::move(graph), std::move(tasks), design}); };
  add("2500 tasks of 4 us", independent_graph(2500, spin_task(4000ns)));
  add("12 stars of 90 leaves", stars_graph(12, 90, 1500ns));
  add("16 x 48 tasks with 2 predecessors", layered_graph({16, 48, 2, 700ns, 2500ns, kSeed}));
  add("16 x 120 tasks with 1 predecessor", layered_graph({16, 120, 1, 1500ns, 1500ns, kSeed + 1}));
  add("14 x 120 tasks with 3 predecessors", layered_graph({14, 120, 3, 800ns, 800ns, kSeed + 2}));
  add("10 x 220 tasks with 4 predecessors", layered_graph({10, 220, 4, 1000ns, 6000ns, kSeed + 3}));
  add("8 x 90 tasks with 12 predecessors", layered_graph({8, 90, 12, 3000ns, 5000ns, kSeed + 4}));
  add("10 x 80 tasks with 40 predecessors", layered_graph({10, 80, 40, 2000ns, 3000ns, kSeed + 7}));
  if (runtime_of(design).dispatched()) {
    add("6 waves of 100 tasks", waves(6, 100, 15us));
    add("3 waves of 450 tasks", waves(3, 450, 1200ns));
    add("9 x 72 tasks with all of the layer before", layered_graph({9, 72, 72, 3500ns, 3500ns, kSeed + 11}));
  }
  return trials;
}

/// Where cores stay resident also short tasks, fewer cores, and a lonely chain, unless its list puts it on a single core, which would
/// say most of where that core lies.
std::vector<MakespanTrial> resident_trials_of(const Design& design) {
  std::vector<MakespanTrial> trials = trials_of(design);
  if (!has_lists(design)) trials.push_back({"a chain of 400", chain_graph(400, 1000ns), design});
  trials.push_back({"6000 tasks of 1.5 us", independent_graph(6000, spin_task(1500ns)), design});
  trials.push_back({"14 x 30 tasks with 3 predecessors", layered_graph({14, 30, 3, 1000ns, 2000ns, kSeed + 5}), design, 24});
  trials.push_back({"12 x 90 tasks with 2 predecessors", layered_graph({12, 90, 2, 1500ns, 3000ns, kSeed + 6}), design, 60});
  trials.push_back({"12 x 130 tasks with 3 predecessors", layered_graph({12, 130, 3, 1000ns, 3000ns, kSeed + 8}), design});
  trials.push_back({"18 x 70 tasks with 2 predecessors", layered_graph({18, 70, 2, 2000ns, 6000ns, kSeed + 9}), design});
  trials.push_back({"10 x 100 tasks with 6 predecessors", layered_graph({10, 100, 6, 500ns, 4000ns, kSeed + 10}), design, 90});
  return trials;
}

/// Few dispatchers, whose warps go over their lanes several times to look at all of their cores.
std::vector<MakespanTrial> few_dispatcher_trials() {
  std::vector<MakespanTrial> trials;
  for (const int dispatchers : {1, 2}) {
    Design few = named_design("central-dispatcher");
    few.name = "central-dispatcher with " + std::to_string(dispatchers);
    few.dispatchers = dispatchers;
    const auto add = [&](std::string graph, TaskGraph tasks) { trials.push_back({std::move(graph), std::move(tasks), few}); };
    add("1500 tasks of 9 us", independent_graph(1500, spin_task(9000ns)));
    add("a chain of 300", chain_graph(300, 1000ns));
    add("10 x 120 tasks with 2 predecessors", layered_graph({10, 120, 2, 1500ns, 6000ns, kSeed + 12}));
    add("6 waves of 110 tasks", waves(6, 110, 9us));
  }
  return trials;
}

/// What a dispatcher does with tasks that exist during the run.
std::vector<MakespanTrial> spawning_trials() {
  const Design design = named_design("central-dispatcher");
  std::vector<MakespanTrial> trials;
  trials.push_back({"a tree of 10 levels of 2 children", spawned_tree(10, 2, 5000ns), design});
  trials.push_back({"a tree of 6 levels of 4 children", spawned_tree(6, 4, 3000ns), design});
  trials.push_back({"60 generations of 40 spawned tasks", spawning_graph(60, 40, 3000ns), design});
  trials.push_back({"150 generations of 8 spawned tasks", spawning_graph(150, 8, 2000ns), design});
  trials.push_back({"a tree of 7 levels of 3 children", spawned_tree(7, 3, 1000ns), design});
  trials.push_back({"12 generations of 300 spawned tasks", spawning_graph(12, 300, 6000ns), design});
  return trials;
}

/// How well micro-benchmarks know a constant, as a share of it: steps of resident cores take 0.1 to 1 us, and stamps as much; fetching
/// takes longer, and dispatchers' rounds are timed without.
constexpr double kUnderStamps = 0.4;
constexpr double kStamped = 0.15;
constexpr double kGuessed = 1;

std::vector<Refined> operator+(std::vector<Refined> some, const std::vector<Refined>& others) {
  some.insert(some.end(), others.begin(), others.end());
  return some;
}

std::vector<Refined> cores(std::initializer_list<Nanoseconds ResidentCores::*> constants) {
  return known_to(kUnderStamps, &Machine::resident_cores, constants);
}

std::vector<Refined> queues(double share, std::initializer_list<Nanoseconds ReadyQueues::*> constants) {
  return known_to(share, &Machine::ready_queues, constants);
}

std::vector<Refined> dispatchers() {
  using M = ControlLoop;
  return known_to(kStamped, &Machine::device_control, {&M::poll, &M::complete, &M::pass_on, &M::resolve, &M::claim, &M::dispatch}) +
         known_to(kUnderStamps, &Machine::device_mailboxes, {&mechanism::Mailboxes::hop, &mechanism::Mailboxes::publish});
}

}  // namespace

Family streams_family() {
  using M = mechanism::HostCalls;
  return {"streams", known_to(kUnderStamps, &Machine::host_calls, {&M::launch, &M::event_record, &M::stream_wait}),
          trials_of(named_design("cuda-streams"))};
}

/// Graphs and what the device launches keep what their own micro-benchmarks say: launches take microseconds, which stamps do not hide. So
/// do threads of the host, whose rounds are timed without stamps: makespans of dense layers would have them tell a counter in three times
/// as long as they do, for something that is missing there.
std::vector<Family> scheduling_families() {
  using C = ResidentCores;
  using Q = ReadyQueues;
  const auto resident = [](const char* design) { return resident_trials_of(named_design(design)); };
  return {
      {"static queues", cores({&C::start, &C::list_read, &C::release, &C::counter_hop, &C::counter_hop_spread}), resident("static-queues")},
      {"barriers",
       cores({&C::hand_off}) + known_to(kUnderStamps, &Machine::barriers, {&mechanism::Barriers::leave, &mechanism::Barriers::arrive}),
       resident("layer-barrier")},
      {"shared queue", cores({&C::push, &C::push_per_successor}) + queues(kUnderStamps, {&Q::hop}), resident("shared-queue")},
      {"work stealing", queues(kUnderStamps, {&Q::take, &Q::steal, &Q::steal_hop}), resident("work-stealing")},
      {"hybrid", queues(kStamped, {&Q::list_take, &Q::list_hop}), resident("hybrid")},
      {"dispatchers", dispatchers(), resident("central-dispatcher")},
      {"spawned tasks", known_to(kGuessed, &Machine::device_control, {&ControlLoop::spawn, &ControlLoop::locked_queue}),
       spawning_trials()}};
}

Calibrated<mechanism::DeviceControl> refine_few_dispatchers(Probes& probes, const Machine& known) {
  Calibrated<mechanism::DeviceControl> loop(&Machine::device_control, *known.device_control);
  const Nanoseconds once = known.device_control->poll + known.device_control->poll_per_core;
  const std::vector<MakespanTrial> trials = few_dispatcher_trials();
  const std::vector<Target> targets = measure_trials(probes, known, trials);
  if (targets.empty() || known.device_control->poll_per_core <= Nanoseconds{0}) return loop;
  const Unknown pass{[](const Machine& machine) { return machine.device_control->poll_per_core.count(); },
                     [once](Machine& machine, double value) {
                       machine.device_control->poll_per_core = Nanoseconds{value};
                       machine.device_control->poll = std::max(Nanoseconds{0}, once - Nanoseconds{value});
                     },
                     kGuessed};
  const Estimate found = fit_by_simulation(known, std::vector{pass}, targets, true).front();
  const auto refined = [&](const char* constant) {
    return known.provenance.at(constant).text + "; refined by makespans of " + std::to_string(targets.size()) +
           " micro-graphs under one and two dispatchers without stamps";
  };
  loop.set(&ControlLoop::poll_per_core, found, refined("device_control.poll_per_core_ns"));
  loop.set(&ControlLoop::poll, std::max(0.0, once.count() - found.value), refined("device_control.poll_ns"));
  return loop;
}

}  // namespace tasktwin::verify
