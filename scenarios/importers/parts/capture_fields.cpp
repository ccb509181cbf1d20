#include "scenarios/importers/parts/capture_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "models/base/names.hpp"
#include "models/program/captured_ops.hpp"
#include "scenarios/files/quoted.hpp"

namespace tasktwin::scenarios {

/// A name, what its value is; of an object its fields, of a list what each element is, and how many there are.
struct CaptureFields::Field {
  enum class Kind : std::uint8_t { kWhole, kUnsigned, kNumber, kText, kTextOrNull, kFlag, kObject, kList };
  std::string_view name;
  Kind kind = Kind::kWhole;
  std::span<const Field> fields{};            ///< of an object
  const Field* element = nullptr;             ///< of a list
  std::span<const std::string_view> words{};  ///< that a text may be; any where there are none
  std::size_t length = 0;                     ///< of a list; any where it is 0
  bool required = false;
};

namespace {

using Field = CaptureFields::Field;
using Kind = Field::Kind;

constexpr int kVersion = 1;
constexpr std::string_view kVersionName = "version";

constexpr Field kWhole{.name = "", .kind = Kind::kWhole};
constexpr Field kTime{.name = "", .kind = Kind::kNumber};
constexpr Field kText{.name = "", .kind = Kind::kText};
constexpr Field kPair{.name = "", .kind = Kind::kList, .element = &kWhole, .length = 2};
constexpr Field kThree{.name = "", .kind = Kind::kList, .element = &kWhole, .length = 3};

template <std::size_t N>
constexpr std::array<Field, N> all_of(Kind kind, const std::array<std::string_view, N>& names) {
  std::array<Field, N> fields{};
  for (std::size_t i = 0; i < N; ++i) fields[i] = {.name = names[i], .kind = kind};
  return fields;
}

template <std::size_t A, std::size_t B>
constexpr std::array<Field, A + B> joined(const std::array<Field, A>& first, const std::array<Field, B>& second) {
  std::array<Field, A + B> fields{};
  std::ranges::copy(first, fields.begin());
  std::ranges::copy(second, fields.begin() + A);
  return fields;
}

constexpr std::array<std::string_view, 4> kStreamKinds{"legacy", "per_thread", "blocking", "non_blocking"};
constexpr std::array<std::string_view, 2> kEnds{"normally", "abruptly"};
constexpr std::array<std::string_view, 2> kPhases{"X", "M"};
constexpr std::array<std::string_view, 6> kCategories{"kernel",       "gpu_memcpy",  "gpu_memset",
                                                      "cuda_runtime", "cuda_driver", "user_annotation"};

constexpr auto kCounts = all_of<10>(Kind::kWhole, {"calls", "kernels", "copies", "memsets", "host_functions", "event_records", "waits",
                                                   "syncs", "graph_launches", "allocations"});
constexpr auto kLost = all_of<10>(
    Kind::kWhole, {"records_dropped", "buffers_refused", "calls_dropped", "runs_dropped", "launches_without_times", "waits_without_record",
                   "calls_without_arguments", "pointers_left_out", "nodes_without_definition", "capture_errors"});
constexpr std::array<Field, 5> kStream{
    {{"stream"}, {"context"}, {"device"}, {"priority"}, {.name = "kind", .kind = Kind::kText, .words = kStreamKinds}}};
constexpr auto kKernel = all_of<2>(Kind::kText, {"name", "mangled"});
constexpr std::array<Field, 5> kAllocation{{{"address"}, {"bytes"}, {"host", Kind::kFlag}, {"free", Kind::kFlag}, {"ts", Kind::kNumber}}};

// Of what is launched: a kernel, a copy or a memset.
constexpr std::array<Field, 16> kWork{{
    {"kernel"},
    {.name = "grid", .kind = Kind::kList, .element = &kWhole, .length = 3},
    {.name = "block", .kind = Kind::kList, .element = &kWhole, .length = 3},
    {.name = "cluster", .kind = Kind::kList, .element = &kWhole, .length = 3},
    {"shared memory"},
    {"priority"},
    {.name = "pointers", .kind = Kind::kList, .element = &kThree},
    {"parameters_unknown", Kind::kFlag},
    {"copy", Kind::kText},
    {"bytes"},
    {"src"},
    {"dst"},
    {"value", Kind::kUnsigned},
    {"rows_apart", Kind::kFlag},
    {"address"},
    {"graph_exec"},
}};
constexpr auto kNode = joined(std::array<Field, 3>{{{"node"}, {"definition"}, {"type", Kind::kText}}}, kWork);
constexpr Field kNodeElement{.name = "", .kind = Kind::kObject, .fields = kNode};
constexpr std::array<Field, 4> kGraph{{{"exec"},
                                       {"graph"},
                                       {.name = "nodes", .kind = Kind::kList, .element = &kNodeElement},
                                       {.name = "edges", .kind = Kind::kList, .element = &kPair}}};
constexpr std::array<Field, 3> kSide{{{"correlation"}, {"call_stream"}, {"what", Kind::kText}}};
constexpr std::array<Field, 5> kRace{{{"kind", Kind::kText},
                                      {"times"},
                                      {"address"},
                                      {.name = "first", .kind = Kind::kObject, .fields = kSide},
                                      {.name = "second", .kind = Kind::kObject, .fields = kSide}}};

constexpr Field kStreamElement{.name = "", .kind = Kind::kObject, .fields = kStream};
constexpr Field kKernelElement{.name = "", .kind = Kind::kObject, .fields = kKernel};
constexpr Field kAllocationElement{.name = "", .kind = Kind::kObject, .fields = kAllocation};
constexpr Field kGraphElement{.name = "", .kind = Kind::kObject, .fields = kGraph};
constexpr Field kRaceElement{.name = "", .kind = Kind::kObject, .fields = kRace};
constexpr std::array<Field, 18> kHead{{
    {.name = kVersionName, .required = true},
    {"pass", Kind::kText},
    {.name = "command", .kind = Kind::kList, .element = &kText},
    {"signal"},
    {"exit_code"},
    {"date", Kind::kText},
    {"driver", Kind::kText},
    {"process"},
    {"range", Kind::kTextOrNull},
    {.name = "ended", .kind = Kind::kText, .words = kEnds},
    {.name = "counts", .kind = Kind::kObject, .fields = kCounts},
    {.name = "lost", .kind = Kind::kObject, .fields = kLost},
    {.name = "streams", .kind = Kind::kList, .element = &kStreamElement},
    {.name = "kernels", .kind = Kind::kList, .element = &kKernelElement},
    {.name = "memory", .kind = Kind::kList, .element = &kAllocationElement},
    {.name = "graphs", .kind = Kind::kList, .element = &kGraphElement},
    {"unchecked_launches"},
    {.name = "races", .kind = Kind::kList, .element = &kRaceElement},
}};

constexpr auto kDevice =
    joined(std::array<Field, 1>{{{"name", Kind::kText}}},
           all_of<13>(Kind::kWhole, {"id", "totalGlobalMem", "computeMajor", "computeMinor", "maxThreadsPerBlock",
                                     "maxThreadsPerMultiprocessor", "regsPerBlock", "regsPerMultiprocessor", "warpSize",
                                     "sharedMemPerBlock", "sharedMemPerBlockOptin", "sharedMemPerMultiprocessor", "numSms"}));
constexpr auto kArguments = joined(kWork, std::array<Field, 40>{{
                                              {.name = "op", .kind = Kind::kText, .words = kCapturedOps},
                                              {"cbid"},
                                              {"correlation"},
                                              {"inside"},
                                              {"device"},
                                              {"context"},
                                              {"call_stream"},
                                              {"stream"},
                                              {"result"},
                                              {"blocking", Kind::kFlag},
                                              {"capturing", Kind::kFlag},
                                              {"graph_node"},
                                              {"graph"},
                                              {"event"},
                                              {"record"},
                                              {"external", Kind::kFlag},
                                              {"cooperative", Kind::kFlag},
                                              {"programmatic", Kind::kFlag},
                                              {.name = "tensors", .kind = Kind::kList, .element = &kThree},
                                              {.name = "undisturbed", .kind = Kind::kList, .element = &kTime, .length = 2},
                                              {"registers per thread"},
                                              {"static shared memory"},
                                              {"dynamic shared memory"},
                                              {"shared memory executed"},
                                              {"local memory per thread"},
                                              {"channel"},
                                              {"carveout requested"},
                                              {"device launched", Kind::kFlag},
                                              {"graph node id"},
                                              {"graph id"},
                                              {"memory bandwidth (GB/s)", Kind::kNumber},
                                              {"copy kind", Kind::kText},
                                              {"fromDevice"},
                                              {"inDevice"},
                                              {"toDevice"},
                                              {"range", Kind::kText},
                                              {"domain"},
                                              {"name", Kind::kText},  // of a process or a thread, as the next two
                                              {"labels", Kind::kText},
                                              {"sort_index"},
                                          }});
static_assert(kArguments.size() <= 64, "Level::seen has a bit for each field of an object");
constexpr std::array<Field, 8> kEvent{{{.name = "ph", .kind = Kind::kText, .words = kPhases, .required = true},
                                       {.name = "cat", .kind = Kind::kText, .words = kCategories},
                                       {.name = "name", .kind = Kind::kText, .required = true},
                                       {.name = "pid", .required = true},
                                       {.name = "tid", .required = true},
                                       {"ts", Kind::kNumber},
                                       {"dur", Kind::kNumber},
                                       {.name = "args", .kind = Kind::kObject, .fields = kArguments}}};

constexpr Field kDeviceElement{.name = "", .kind = Kind::kObject, .fields = kDevice};
constexpr Field kEventElement{.name = "", .kind = Kind::kObject, .fields = kEvent};
constexpr std::array<Field, 1> kDistributed{{{"rank"}}};
constexpr std::array<Field, 8> kRoot{{
    {.name = "tasktwin_capture", .kind = Kind::kObject, .fields = kHead},
    {"schemaVersion"},
    {"displayTimeUnit", Kind::kText},
    {"baseTimeNanoseconds"},
    {"traceName", Kind::kText},
    {.name = "distributedInfo", .kind = Kind::kObject, .fields = kDistributed},
    {.name = "deviceProperties", .kind = Kind::kList, .element = &kDeviceElement},
    {.name = "traceEvents", .kind = Kind::kList, .element = &kEventElement},
}};
constexpr Field kDocument{.name = "", .kind = Kind::kObject, .fields = kRoot};

template <class Number>
bool is_a(std::string_view text) {
  Number number{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failure == std::errc() && end == text.data() + text.size();
}

std::string_view words_of(Kind kind) {
  switch (kind) {
    case Kind::kWhole:
      return "a whole number of 64 bits";
    case Kind::kUnsigned:
      return "a whole number from 0 of 64 bits";
    case Kind::kNumber:
      return "a number";
    case Kind::kText:
      return "a text";
    case Kind::kTextOrNull:
      return "a text or null";
    case Kind::kFlag:
      return "true or false";
    case Kind::kObject:
      return "an object";
    case Kind::kList:
      return "a list";
  }
  return {};
}

bool is_of(Kind kind, JsonShape shape, std::string_view text) {
  switch (kind) {
    case Kind::kWhole:
      return shape == JsonShape::kNumber && is_a<std::int64_t>(text);
    case Kind::kUnsigned:
      return shape == JsonShape::kNumber && is_a<std::uint64_t>(text);
    case Kind::kNumber:
      return shape == JsonShape::kNumber;
    case Kind::kText:
      return shape == JsonShape::kText;
    case Kind::kTextOrNull:
      return shape == JsonShape::kText || shape == JsonShape::kNull;
    case Kind::kFlag:
      return shape == JsonShape::kFlag;
    case Kind::kObject:
      return shape == JsonShape::kObject;
    case Kind::kList:
      return shape == JsonShape::kList;
  }
  return false;
}

std::string written(JsonShape shape, std::string_view text) {
  switch (shape) {
    case JsonShape::kObject:
      return "an object";
    case JsonShape::kList:
      return "a list";
    default:
      return in_quotes(text);
  }
}

}  // namespace

const Field& CaptureFields::expected() const { return levels_.empty() ? kDocument : *levels_.back().field; }

std::string CaptureFields::place() const {
  std::string path;
  for (const Level& level : levels_) {
    if (level.list) path += '[' + std::to_string(level.next) + ']';
    if (!level.list && level.field != nullptr) path += (path.empty() ? "" : ".") + std::string(level.field->name);
  }
  return path;
}

std::string CaptureFields::key(std::string_view name) {
  Level& level = levels_.back();
  level.field = nullptr;
  const auto found = std::ranges::find(level.fields, name, &Field::name);
  if (found != level.fields.end()) {
    level.field = &*found;
    const std::uint64_t bit = std::uint64_t{1} << static_cast<std::size_t>(found - level.fields.begin());
    if ((level.seen & bit) != 0) return place() + " is given twice";
    level.seen |= bit;
    return {};
  }
  std::vector<std::string_view> known;
  for (const Field& field : level.fields) known.push_back(field.name);
  const std::string in = place();
  return (in.empty() ? "" : in + ": ") + "a capture has no field " + in_quotes(name) + " there" + suggest(name, known);
}

std::string CaptureFields::value(JsonShape shape, std::string_view text) {
  const Field& field = expected();
  if (!is_of(field.kind, shape, text)) return place() + " is " + written(shape, text) + "; it must be " + std::string(words_of(field.kind));
  if (!field.words.empty() && std::ranges::find(field.words, text) == field.words.end())
    return place() + " is " + in_quotes(text) + suggest(text, field.words);
  if (field.name == kVersionName && text != std::to_string(kVersion))
    return place() + " is " + std::string(text) + "; this tasktwin reads version " + std::to_string(kVersion);
  ++levels_.back().next;
  return {};
}

std::string CaptureFields::open(JsonShape shape) {
  const Field& field = expected();
  if (!is_of(field.kind, shape, {})) return place() + " is " + written(shape, {}) + "; it must be " + std::string(words_of(field.kind));
  levels_.push_back({.list = shape == JsonShape::kList, .fields = field.fields, .field = field.element});
  return {};
}

std::string CaptureFields::close() {
  const Level ended = levels_.back();
  levels_.pop_back();
  for (std::size_t i = 0; i < ended.fields.size(); ++i) {
    const Field& field = ended.fields[i];
    if (field.required && (ended.seen >> i & 1) == 0) return place() + " lacks the field " + in_quotes(field.name);
  }
  if (levels_.empty()) return {};
  const Field& field = expected();
  if (ended.list && field.length != 0 && ended.next != field.length)
    return place() + " has " + std::to_string(ended.next) + (ended.next == 1 ? " element" : " elements") + "; it must have " +
           std::to_string(field.length);
  ++levels_.back().next;
  return {};
}

}  // namespace tasktwin::scenarios
