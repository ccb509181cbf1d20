#include "tests/verify/support/cases.hpp"
#include "models/runtimes/runtimes.hpp"
#include "tests/support/free_machine.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <stdlib.h>

namespace tasktwin::tests {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "tasktwin-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a temporary folder");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::size_t TemporaryFolder::file_count() const {
  return static_cast<std::size_t>(std::distance(fs::recursive_directory_iterator(path_), fs::recursive_directory_iterator()));
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

TaskGraph diamond() {
  TaskGraphBuilder builder;
  const auto add = [&builder](const char* name, int ns) {
    Task task;
    task.cost.time = Duration{ns};
    return builder.add_task(name, task);
  };
  const TaskId a = add("a", 100);
  const TaskId b = add("b, \"quoted\"", 200);
  const TaskId c = add("c", 300);
  const TaskId d = add("d", 400);
  builder.add_edge(a, b);
  builder.add_edge(a, c);
  builder.add_edge(b, d);
  builder.add_edge(c, d);
  return std::move(builder).build();
}

Timeline diamond_timeline() {
  Timeline timeline;
  timeline.cores = {CoreType::kSm, CoreType::kSm};
  timeline.tasks = {
      {at_ns(0), at_ns(10), at_ns(20), at_ns(30), at_ns(130), at_ns(140), core_id(0), dispatcher_id(0)},
      {at_ns(150), at_ns(160), at_ns(170), at_ns(180), at_ns(380), at_ns(390), core_id(1), dispatcher_id(0)},
      {at_ns(150), at_ns(165), kAbsent, at_ns(180), at_ns(480), at_ns(490), core_id(0), kNoDispatcher},
      {at_ns(500), at_ns(510), at_ns(520), at_ns(530), at_ns(930), at_ns(940), core_id(1), dispatcher_id(1)},
  };
  timeline.dispatchers = {{{at_ns(0), at_ns(10)}, {at_ns(150), at_ns(165)}}, {}, {{at_ns(495), at_ns(510)}}, {}};
  timeline.ready_queue = {{at_ns(0), 1}, {at_ns(10), 0}, {at_ns(150), 2}, {at_ns(165), 0}};
  return timeline;
}

scenarios::Scenario diamond_scenario() {
  scenarios::Scenario scenario;
  scenario.name = "diamond";
  scenario.graph = diamond();
  scenario.machine = free_machine();
  scenario.machine.name = "two-cores";
  scenario.machine.compute_cores = {{CoreType::kSm, 2}};
  scenario.machine_hash = "0123456789abcdef";
  scenario.designs = {named_design("shared-queue")};
  return scenario;
}

verify::RecordedCase diamond_recording(const scenarios::Scenario& scenario, const Design& design) {
  gpu::Measurement measurement;
  measurement.timeline = diamond_timeline();
  measurement.makespans = {Duration{990}, Duration{1000}, Duration{1030}, Duration{1000}, Duration{980}};
  measurement.stamped_makespans = {Duration{1100}, Duration{1120}, Duration{1110}};
  measurement.residual = 2.5e-6;
  measurement.residual_limit = 1e-5;
  return verify::make_recording(scenario, design, measurement,
                                {.scenario_source = "diamond.yaml",
                                 .command = "tasktwin run diamond.yaml",
                                 .date = "2024-05-06",
                                 .device = {.name = "A GPU", .driver = "1.2", .runtime = "3.4", .multiprocessors = 2}});
}

}  // namespace tasktwin::tests
