#include "scenarios/importers/trace/trace.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "models/base/name_pattern.hpp"

namespace tasktwin::scenarios {

namespace {

struct ApiKind {
  std::string_view begins;
  TraceCallKind kind;
};

/// Without the prefix of an API. Versions and forms for default streams of a thread ("_v2", "_ptsz") come after these.
constexpr std::array kApis{
    ApiKind{"EventRecord", TraceCallKind::kRecord},           ApiKind{"StreamWaitEvent", TraceCallKind::kWait},
    ApiKind{"EventSynchronize", TraceCallKind::kEventSync},   ApiKind{"StreamSynchronize", TraceCallKind::kStreamSync},
    ApiKind{"DeviceSynchronize", TraceCallKind::kDeviceSync}, ApiKind{"CtxSynchronize", TraceCallKind::kDeviceSync},
    ApiKind{"ThreadSynchronize", TraceCallKind::kDeviceSync}, ApiKind{"GraphLaunch", TraceCallKind::kGraphLaunch},
};

/// "StreamWaitEvent" of the CUDA runtime's name, of the driver's and of HIP's; empty for a name of another kind.
std::string_view without_prefix(std::string_view api) {
  for (const std::string_view prefix : {"cuda", "cu", "hip"}) {
    if (api.starts_with(prefix)) return api.substr(prefix.size());
  }
  return {};
}

std::string without_digits(std::string name) {
  std::erase_if(name, [](char letter) { return letter >= '0' && letter <= '9'; });
  return name;
}

/// When the host launched kernels, or where there are none, anything.
class Launches {
 public:
  explicit Launches(const Trace& trace) {
    const bool kernels = std::ranges::any_of(trace.ops, [](const TraceOp& op) { return op.operation == Operation::kKernel; });
    std::unordered_set<std::int64_t> launched;  // by correlation
    for (const TraceOp& op : trace.ops) {
      if (op.correlation >= 0 && (!kernels || op.operation == Operation::kKernel)) launched.insert(op.correlation);
    }
    for (const TraceCall& call : trace.calls) {
      if (launched.erase(call.correlation) == 0) continue;
      all_.push_back(call.begin);
      threads_[call.thread].push_back(call.begin);
    }
    std::ranges::sort(all_);
    for (auto& [thread, begins] : threads_) std::ranges::sort(begins);
  }

  bool none() const { return all_.empty(); }
  /// By any thread while the range was open.
  std::int64_t of_all(const TraceRange& range) const { return within(all_, range); }
  /// By the range's own.
  std::int64_t of_thread(const TraceRange& range) const {
    const auto own = threads_.find(range.thread);
    return own == threads_.end() ? 0 : within(own->second, range);
  }

 private:
  static std::int64_t within(const std::vector<std::int64_t>& begins, const TraceRange& range) {
    return std::ranges::lower_bound(begins, range.end) - std::ranges::lower_bound(begins, range.begin);
  }

  std::vector<std::int64_t> all_;
  std::map<std::uint32_t, std::vector<std::int64_t>> threads_;
};

/// Ranges whose names are alike but for digits.
struct Alike {
  std::int64_t times = 0;
  std::int64_t total = 0;      ///< ns
  std::int64_t launches = 0;   ///< within them
  std::int64_t meanwhile = 0;  ///< other threads' too

  /// What launches most is the loop; of ranges within each other, the outer takes longer.
  auto weight() const { return std::tuple(launches, meanwhile, total); }
};

}  // namespace

bool is_blocking_free(std::string_view api) {
  for (const std::string_view name : {"cudaFree", "cuMemFree", "hipFree"}) {
    if (api == name || (api.starts_with(name) && api.substr(name.size()).starts_with("_v"))) return true;
  }
  return false;
}

std::uint32_t Texts::number(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const auto added = numbers_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size())).first;
  texts_.push_back(&added->first);
  return added->second;
}

std::unordered_map<std::int64_t, const TraceCall*> outermost_calls(const Trace& trace) {
  std::unordered_map<std::int64_t, const TraceCall*> outermost;
  for (const TraceCall& call : trace.calls) {
    if (call.correlation < 0) continue;
    const auto [found, is_new] = outermost.emplace(call.correlation, &call);
    if (!is_new && call.begin < found->second->begin) found->second = &call;
  }
  return outermost;
}

TraceCallKind call_kind(std::string_view api) {
  const std::string_view name = without_prefix(api);
  const auto found = std::ranges::find_if(kApis, [name](const ApiKind& one) { return name.starts_with(one.begins); });
  if (found != kApis.end()) return found->kind;
  return is_blocking_free(api) ? TraceCallKind::kDeviceSync : TraceCallKind::kOther;
}

bool is_cooperative_launch(std::string_view api) { return without_prefix(api).starts_with("LaunchCooperativeKernel"); }

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

std::size_t iterations_of(const Trace& trace) {
  const Launches launches(trace);
  std::map<std::uint32_t, std::string> alike;                                              // by name
  std::map<std::pair<std::string, std::uint32_t>, std::vector<const TraceRange*>> groups;  // by that and thread
  for (const TraceRange& range : trace.ranges) {
    if (!range.of_program) continue;
    const auto [name, is_new] = alike.emplace(range.name, "");
    if (is_new) name->second = without_digits(trace.texts[range.name]);
    groups[{name->second, range.thread}].push_back(&range);
  }
  std::map<std::string, Alike> all;
  for (auto& [key, ranges] : groups) {
    std::ranges::stable_sort(
        ranges, [](const TraceRange* a, const TraceRange* b) { return a->begin != b->begin ? a->begin < b->begin : a->end > b->end; });
    std::int64_t reached = INT64_MIN;
    for (const TraceRange* range : ranges) {
      if (range->begin < reached) continue;  // within one that is alike
      reached = range->end;
      Alike& one = all[key.first];
      ++one.times;
      one.total += range->end - range->begin;
      one.launches += launches.of_thread(*range);
      one.meanwhile += launches.of_all(*range);
    }
  }
  Alike most{.times = 1};
  for (const auto& [name, one] : all) {
    const bool holds_some = launches.none() || one.launches + one.meanwhile > 0;
    if (one.times > 1 && holds_some && one.weight() > most.weight()) most = one;
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
  if (!options.range.empty()) {
    const std::string asked = range_name(options.range).first;
    const std::string own(name);
    if (is_called(options.range, name) || is_called(asked, name) || is_called(asked, range_name(own).first)) return true;
  }
  return std::ranges::any_of(options.independent, [name](std::string_view pattern) {
    const std::size_t to = pattern.find("..");
    if (to == std::string_view::npos) return is_called(pattern, name);
    return is_called(pattern.substr(0, to), name) || is_called(pattern.substr(to + 2), name);
  });
}

}  // namespace tasktwin::scenarios
