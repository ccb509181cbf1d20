#include "scenarios/importers/trace/trace.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

#include "models/base/name_pattern.hpp"

namespace tasktwin::scenarios {

namespace {

struct ApiKind {
  std::string_view begins;
  TraceCallKind kind;
};

/// Versions and forms for default streams of a thread ("_v2", "_ptsz") come after these.
constexpr std::array kApis{
    ApiKind{"cudaEventRecord", TraceCallKind::kRecord},           ApiKind{"cuEventRecord", TraceCallKind::kRecord},
    ApiKind{"cudaStreamWaitEvent", TraceCallKind::kWait},         ApiKind{"cuStreamWaitEvent", TraceCallKind::kWait},
    ApiKind{"cudaEventSynchronize", TraceCallKind::kEventSync},   ApiKind{"cuEventSynchronize", TraceCallKind::kEventSync},
    ApiKind{"cudaStreamSynchronize", TraceCallKind::kStreamSync}, ApiKind{"cuStreamSynchronize", TraceCallKind::kStreamSync},
    ApiKind{"cudaDeviceSynchronize", TraceCallKind::kDeviceSync}, ApiKind{"cuCtxSynchronize", TraceCallKind::kDeviceSync},
    ApiKind{"cudaThreadSynchronize", TraceCallKind::kDeviceSync}, ApiKind{"cudaGraphLaunch", TraceCallKind::kGraphLaunch},
    ApiKind{"cuGraphLaunch", TraceCallKind::kGraphLaunch},
};

/// cudaFree waits for all that the device has been given; cudaFreeAsync, cudaFreeHost and the like do not.
bool is_blocking_free(std::string_view api) {
  for (const std::string_view name : {"cudaFree", "cuMemFree"}) {
    if (api == name || (api.starts_with(name) && api.substr(name.size()).starts_with("_v"))) return true;
  }
  return false;
}

}  // namespace

std::uint32_t Texts::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto added = numbers_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size())).first;
  texts_.push_back(&added->first);
  return added->second;
}

TraceCallKind call_kind(std::string_view api) {
  const auto found = std::ranges::find_if(kApis, [api](const ApiKind& one) { return api.starts_with(one.begins); });
  if (found != kApis.end()) return found->kind;
  return is_blocking_free(api) ? TraceCallKind::kDeviceSync : TraceCallKind::kOther;
}

bool is_cooperative_launch(std::string_view api) {
  return api.starts_with("cudaLaunchCooperativeKernel") || api.starts_with("cuLaunchCooperativeKernel");
}

void add_annotation(Trace& trace, const std::string& name, std::int64_t ns) {
  constexpr std::size_t kMostAnnotations = 50;
  const std::string alike = range_name(name).first;
  auto found = std::ranges::find(trace.annotations, alike, &NamedRange::name);
  if (found == trace.annotations.end()) {
    if (trace.annotations.size() == kMostAnnotations) return;
    found = trace.annotations.insert(found, NamedRange{alike});
  }
  ++found->times;
  found->total += Duration{ns};
}

std::size_t iterations_of(std::span<const NamedRange> ranges) {
  struct Alike {
    std::int64_t times = 0;
    Duration total{};
  };
  std::map<std::string, Alike> groups;
  for (const NamedRange& range : ranges) {
    std::string name = range.name;
    std::erase_if(name, [](char letter) { return letter >= '0' && letter <= '9'; });
    groups[name].times += range.times;
    groups[name].total += range.total;
  }
  Alike most{.times = 1};
  for (const auto& [name, group] : groups) {
    if (group.times > 1 && group.total > most.total) most = group;
  }
  return static_cast<std::size_t>(most.times);
}

std::vector<std::string_view> annotation_names(const Trace& trace) {
  std::vector<std::string_view> names;
  for (const NamedRange& range : trace.annotations) names.push_back(range.name);
  return names;
}

std::pair<std::string, std::size_t> range_name(const std::string& range) {
  const std::size_t mark = range.rfind('#');
  if (mark == std::string::npos || mark + 1 == range.size()) return {range, 0};
  std::size_t number = 0;
  const auto [end, failure] = std::from_chars(range.data() + mark + 1, range.data() + range.size(), number);
  if (failure != std::errc() || end != range.data() + range.size()) return {range, 0};
  return {range.substr(0, mark), number};
}

bool is_wanted_range(std::string_view name, const ImportOptions& options) {
  if (!options.range.empty() && is_called(range_name(options.range).first, name)) return true;
  return std::ranges::any_of(options.independent, [name](std::string_view pattern) {
    const std::size_t to = pattern.find("..");
    if (to == std::string_view::npos) return is_called(pattern, name);
    return is_called(pattern.substr(0, to), name) || is_called(pattern.substr(to + 2), name);
  });
}

}  // namespace tasktwin::scenarios
