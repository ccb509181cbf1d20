#include "tests/gpu/executor_sources.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tasktwin::gpu {

namespace {

namespace fs = std::filesystem;

const fs::path kRoot = TASKTWIN_SOURCES;

std::string text_of(const fs::path& file) {
  std::ifstream in(kRoot / file);
  if (!in) throw std::runtime_error("no source " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What all executors include, and through which each would come to all others.
const std::set<std::string> kOfAll{"gpu/executors.hpp", "gpu/executor.hpp", "gpu/supported/supported.hpp"};

void follow(const std::string& file, std::set<std::string>& files) {
  static const std::regex include("#include \"(gpu/[^\"]+)\"");
  if (kOfAll.contains(file) || !files.insert(file).second) return;
  const std::string text = text_of(file);
  for (std::sregex_iterator found(text.begin(), text.end(), include), end; found != end; ++found) follow((*found)[1], files);
  for (const char* extension : {".cpp", ".cu"}) {
    const fs::path beside = fs::path(file).replace_extension(extension);
    if (fs::exists(kRoot / beside)) follow(beside.string(), files);
  }
}

/// Functions of models/ that read axes for whoever calls them.
const std::pair<std::string, std::vector<std::string>> kReaders[] = {
    {"dispatcher_count(", {"dispatchers"}},
    {"worker_lists(", {"static_percent"}},
    {"plan_streams(", {"streams", "stream_granularity", "stream_wait", "programmatic_launch"}},
    {"launch_levels(", {"stream_priorities"}},
};

}  // namespace

std::set<std::string> axes_read(const std::string& file, const std::string& support) {
  static const std::regex axis("\\bdesign_?\\.(\\w+)");
  std::set<std::string> files{"gpu/executor.cpp", "gpu/supported/" + support};
  follow("gpu/executors/" + file, files);
  std::set<std::string> axes;
  for (const std::string& one : files) {
    const std::string text = text_of(one);
    for (std::sregex_iterator found(text.begin(), text.end(), axis), end; found != end; ++found) axes.insert((*found)[1]);
    for (const auto& [function, read] : kReaders) {
      if (text.find(function) != std::string::npos) axes.insert(read.begin(), read.end());
    }
  }
  return axes;
}

}  // namespace tasktwin::gpu
