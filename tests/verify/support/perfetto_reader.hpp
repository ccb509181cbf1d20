#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace tasktwin::tests {

/// A Perfetto trace as protoc decodes it with tests/verify/support/perfetto.proto: each message an object with a list for every
/// field. Throws std::runtime_error if it does not decode, or has a field that the schema has not.
nlohmann::json decode_perfetto(const std::filesystem::path& path);

/// A slice as a reader of such traces makes it of its begin and its end.
struct PerfettoSlice {
  std::string track;
  std::string category;
  std::string name;
  long long begin = 0;
  long long end = 0;
  std::size_t depth = 0;  ///< slices of its track that it lies within
  friend auto operator<=>(const PerfettoSlice&, const PerfettoSlice&) = default;
};

/// What a trace shows.
struct PerfettoView {
  std::vector<std::string> processes;                                            ///< in the file's order
  std::vector<std::string> threads;                                              ///< as "process/thread"
  std::vector<PerfettoSlice> slices;                                             ///< sorted
  std::map<std::string, std::vector<std::pair<long long, long long>>> counters;  ///< time and value, by name
  std::vector<std::pair<std::string, std::string>> flows;  ///< the names of the slices that each joins, the earlier first; sorted
  std::map<std::string, std::string> facts;                ///< the annotations of the instant event
};

/// Follows the schema's rules: names are known from the packet on that defines them, events are taken by time and, where that is
/// equal, as they stand in the file. Throws std::runtime_error for an unknown track or name, an end without a begin, a slice left open,
/// and a flow without two ends.
PerfettoView view_perfetto(const nlohmann::json& trace);

}  // namespace tasktwin::tests
