#include "tests/scenarios/temporary_file.hpp"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <sstream>

#include "models/base/error.hpp"
#include "scenarios/load/scenario.hpp"

namespace tasktwin::scenarios {

TemporaryFile::TemporaryFile(const std::string& text, const std::string& name) : name_(name) {
  static std::atomic<int> count{0};
  folder_ = std::filesystem::temp_directory_path() / ("tasktwin-test-" + std::to_string(getpid()) + "-" + std::to_string(count++));
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / name_, std::ios::binary) << text;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string refusal(const std::string& text) {
  const TemporaryFile file(text);
  try {
    load_scenario(file.path());
  } catch (const InputError& error) {
    const std::string prefix = file.path() + ":";
    std::istringstream lines(error.what());
    std::string message;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with(prefix)) line.erase(0, line.find_first_not_of(' ', prefix.size()));
      message += (message.empty() ? "" : "\n") + line;
    }
    return message;
  }
  return "";
}

std::string with_graph(const std::string& graph) {
  return "scenario: s\nmachine: nvidia-h200\ndesigns: [shared-queue]\ngraph: " + graph + "\n";
}

}  // namespace tasktwin::scenarios
