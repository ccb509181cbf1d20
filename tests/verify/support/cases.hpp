#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "models/graph/task_graph.hpp"
#include "models/run/timeline.hpp"
#include "scenarios/load/scenario.hpp"
#include "verify/recordings/recorded.hpp"

namespace tasktwin::tests {

/// A folder of its own, gone with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::size_t file_count() const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, std::string_view text);

/// a → b, a → c, b → d, c → d, of 100, 200, 300 and 400 ns; b's name needs quoting.
TaskGraph diamond();

/// The diamond on two cores, its phases by hand; c's `received` and all dispatchers are absent.
Timeline diamond_timeline();

/// A machine of two cores and no constants but those the diamond needs.
scenarios::Scenario diamond_scenario();

/// A scenario file: a diamond of spins on the shipped H200, four designs, seed 3.
inline constexpr std::string_view kTinyScenario = R"(scenario: tiny
machine: nvidia-h200
graph:
  tasks:
    - {name: first, time_ns: 4000}
    - {name: left, time_ns: 6000, sigma_ns: 900, after: [first]}
    - {name: right, time_ns: 5000, after: [first]}
    - {name: last, time_ns: 3000, after: [left, right]}
designs: [cuda-streams, central-dispatcher, static-queues, shared-queue]
seed: 3
)";

/// A recording of the diamond: 1000 ns in the median, with every field filled in.
verify::RecordedCase diamond_recording(const scenarios::Scenario& scenario, const Design& design);

}  // namespace tasktwin::tests
