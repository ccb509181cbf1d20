// RapidJSON 1.1 adds to the null pointer of a stack that is empty, which Clang's sanitizer would report.
#ifdef __clang__
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>
#ifdef __clang__
#pragma clang attribute pop
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "models/base/error.hpp"
#include "models/base/names.hpp"
#include "scenarios/files/byte_source.hpp"
#include "scenarios/files/quoted.hpp"
#include "scenarios/importers/importers.hpp"
#include "scenarios/importers/parts/capture_fields.hpp"
#include "scenarios/importers/trace/kineto_events.hpp"

namespace tasktwin::scenarios {

namespace {

constexpr std::string_view kCaptureKey = "tasktwin_capture";
constexpr std::size_t kShortestCaptureKey = 13;  ///< that may be meant
constexpr std::size_t kMostDepth = 64;
constexpr std::size_t kMostRaces = 20;  ///< that are reported
constexpr std::uint64_t kProgressBytes = 16u << 20;

/// A whole number, which may be written with decimals of nothing; none where the text is another.
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const std::size_t point = text.find('.'); point != std::string_view::npos && point + 1 < text.size()) {
    if (text.find_first_not_of('0', point + 1) == std::string_view::npos) text = text.substr(0, point);
  }
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Microseconds, written out with any number of decimals, as nanoseconds: no digit is lost, further ones are cut off.
std::optional<std::int64_t> nanoseconds(std::string_view text) {
  constexpr std::int64_t kMost = INT64_MAX / 1000 - 1;
  const std::size_t point = text.find('.');
  std::string_view before = text.substr(0, point);
  std::string_view decimals = point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const bool plain = decimals.find_first_not_of("0123456789") == std::string_view::npos;
  const auto us = plain ? whole_number(before) : std::nullopt;
  if (!us) {
    const std::string copy(text);
    char* end = nullptr;
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || end != copy.c_str() + copy.size() || !(std::abs(value) < 9e15)) return std::nullopt;
    return std::llround(value * 1000);
  }
  if (*us > kMost || *us < -kMost) return std::nullopt;
  std::int64_t ns = 0;
  for (std::size_t i = 0; i < 3; ++i) ns = ns * 10 + (i < decimals.size() ? decimals[i] - '0' : 0);
  return *us * 1000 + (text.front() == '-' ? -ns : ns);
}

/// Where in the document the reader is.
enum class In : std::uint8_t {
  kNothing,
  kRoot,
  kEvents,
  kEvent,
  kArgs,
  kGrid,
  kBlock,
  kUndisturbed,
  kPointers,
  kPointer,
  kTensors,
  kTensor,
  kMemory,
  kAllocation,
  kStreams,
  kStream,
  kDevices,
  kDevice,
  kCapture,
  kLost,
  kRaces,
  kRace,
  kFirst,
  kSecond,
  kGraphs,
  kGraph,
  kNodes,
  kNode,
  kEdges,
  kEdge
};

/// As a capture names it.
struct Race {
  std::string kind;
  std::string times;
  std::string first;
  std::string second;
};

/// RapidJSON's events, as those of a trace. A refusal ends the parsing, and why() says it.
class Handler {
 public:
  Handler(Trace& trace, KinetoCollector& collector) : trace_(trace), collector_(collector) {}

  bool Null() { return is_right(JsonShape::kNull, "null"); }
  bool Bool(bool value) { return is_right(JsonShape::kFlag, value ? "true" : "false") && (!value || flag()); }
  bool Int(int) { return true; }  // all numbers come as RawNumber
  bool Uint(unsigned) { return true; }
  bool Int64(std::int64_t) { return true; }
  bool Uint64(std::uint64_t) { return true; }
  bool Double(double) { return true; }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    return is_right(JsonShape::kNumber, {text, length}) && value({text, length});
  }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return is_right(JsonShape::kText, {text, length}) && value({text, length});
  }
  bool Key(const char* text, rapidjson::SizeType length, bool) { return key({text, length}); }
  bool StartObject() { return open(true); }
  bool StartArray() { return open(false); }
  bool EndObject(rapidjson::SizeType) { return close(); }
  bool EndArray(rapidjson::SizeType) { return close(); }

  const std::string& why() const { return why_; }
  std::uint64_t events() const { return events_; }
  bool is_capture() const { return is_capture_; }
  bool has_events() const { return has_events_; }

 private:
  bool refuse(std::string why) {
    why_ = std::move(why);
    return false;
  }
  /// What a capture says is held against its format; `wrong` is empty, or what is not as it has it.
  bool accept(std::string wrong) { return wrong.empty() || refuse(std::move(wrong)); }
  bool is_right(JsonShape shape, std::string_view text) { return !is_capture_ || in_.empty() || accept(fields_.value(shape, text)); }
  In inside(bool object) const;
  bool key(std::string_view name);
  bool dimension(std::int64_t size);
  bool open(bool object);
  bool close();
  void take_pointer();
  bool flag();
  bool value(std::string_view text);
  bool event_value(std::string_view text);
  void argument(std::string_view text);
  void device_value(std::string_view text);
  void capture_value(In in, std::string_view text);

  Trace& trace_;
  KinetoCollector& collector_;
  KinetoEvent event_;
  std::vector<In> in_;
  std::string key_;
  std::string why_;
  std::uint64_t events_ = 0;
  bool has_events_ = false;
  bool is_capture_ = false;
  bool has_keys_ = false;
  CaptureFields fields_;  ///< of a capture
  std::int64_t exec_ = -1;
  std::int64_t stream_ = -1;
  std::vector<std::int64_t> edge_;
  TraceGraph graph_;
  Race race_;
  std::size_t races_ = 0;
};

In Handler::inside(bool object) const {
  if (in_.empty()) return object ? In::kRoot : In::kEvents;
  switch (in_.back()) {
    case In::kRoot:
      if (key_ == "traceEvents") return object ? In::kNothing : In::kEvents;
      if (key_ == "deviceProperties") return object ? In::kNothing : In::kDevices;
      return key_ == "tasktwin_capture" && object ? In::kCapture : In::kNothing;
    case In::kEvents:
      return object ? In::kEvent : In::kNothing;
    case In::kEvent:
      return key_ == "args" && object ? In::kArgs : In::kNothing;
    case In::kArgs:
      return object                  ? In::kNothing
             : key_ == "grid"        ? In::kGrid
             : key_ == "block"       ? In::kBlock
             : key_ == "undisturbed" ? In::kUndisturbed
             : key_ == "pointers"    ? In::kPointers
             : key_ == "tensors"     ? In::kTensors
                                     : In::kNothing;
    case In::kDevices:
      return object ? In::kDevice : In::kNothing;
    case In::kCapture:
      return key_ == "lost" && object       ? In::kLost
             : key_ == "races" && !object   ? In::kRaces
             : key_ == "memory" && !object  ? In::kMemory
             : key_ == "streams" && !object ? In::kStreams
             : key_ == "graphs" && !object  ? In::kGraphs
                                            : In::kNothing;
    case In::kPointers:
      return object ? In::kNothing : In::kPointer;
    case In::kTensors:
      return object ? In::kNothing : In::kTensor;
    case In::kStreams:
      return object ? In::kStream : In::kNothing;
    case In::kMemory:
      return object ? In::kAllocation : In::kNothing;
    case In::kNode:
      return !object && key_ == "pointers" ? In::kPointers : In::kNothing;
    case In::kRaces:
      return object ? In::kRace : In::kNothing;
    case In::kRace:
      return object && key_ == "first" ? In::kFirst : object && key_ == "second" ? In::kSecond : In::kNothing;
    case In::kGraphs:
      return object ? In::kGraph : In::kNothing;
    case In::kGraph:
      return !object && key_ == "edges" ? In::kEdges : !object && key_ == "nodes" ? In::kNodes : In::kNothing;
    case In::kNodes:
      return object ? In::kNode : In::kNothing;
    case In::kEdges:
      return object ? In::kNothing : In::kEdge;
    default:
      return In::kNothing;
  }
}

bool Handler::key(std::string_view name) {
  if (in_.size() == 1 && in_.back() == In::kRoot) {
    if (name == kCaptureKey && has_keys_)
      return refuse("has " + in_quotes(kCaptureKey) + " behind other keys; in a capture it is the first");
    if (name.size() >= kShortestCaptureKey && name != kCaptureKey && nearest_word(name, std::array{kCaptureKey}))
      return refuse("has a key " + in_quotes(name) + "; did you mean " + in_quotes(kCaptureKey) + ", which makes it a capture?");
    if (name == kCaptureKey) {
      is_capture_ = true;
      fields_.open(JsonShape::kObject);
    }
    has_keys_ = true;
  }
  if (is_capture_ && !accept(fields_.key(name))) return false;
  if (in_.empty() || in_.back() != In::kNothing) key_.assign(name);
  return true;
}

bool Handler::open(bool object) {
  if (in_.size() == kMostDepth) return refuse("is nested deeper than " + std::to_string(kMostDepth) + " levels");
  if (is_capture_ && !accept(fields_.open(object ? JsonShape::kObject : JsonShape::kList))) return false;
  const In in = inside(object);
  in_.push_back(in);
  if (in == In::kEvents) has_events_ = true;
  if (in == In::kEvent) event_.clear();
  if (in == In::kDevice) trace_.devices.emplace_back();
  if (in == In::kGraph) graph_ = {};
  if (in == In::kRace) race_ = {};
  if (in == In::kNode) graph_.nodes.emplace_back();
  if (in == In::kEdge || in == In::kPointer || in == In::kTensor) edge_.clear();
  if (in == In::kAllocation) trace_.allocations.emplace_back();
  return true;
}

bool Handler::close() {
  const In in = in_.back();
  in_.pop_back();
  if (is_capture_ && !accept(fields_.close())) return false;
  if (in == In::kEvent) {
    if (is_capture_ && event_.phase == "X" && event_.category.empty())
      return refuse("traceEvents[" + std::to_string(events_) + "] (" + in_quotes(event_.name) + ") lacks the field 'cat'");
    if (std::string why = collector_.take(event_); !why.empty())
      return refuse("traceEvents[" + std::to_string(events_) + "] (" + in_quotes(event_.category) + ", " + in_quotes(event_.name) + ") " +
                    why);
    ++events_;
  }
  if (in == In::kPointer && edge_.size() == 3) take_pointer();
  if (in == In::kTensor && edge_.size() == 3)
    event_.tensors.push_back(
        {static_cast<std::uint32_t>(edge_[0]), static_cast<std::uint64_t>(edge_[1]), static_cast<std::uint64_t>(edge_[2])});
  if (in == In::kEdge && edge_.size() == 2) graph_.edges.emplace_back(edge_[0], edge_[1]);
  if (in == In::kGraph) trace_.graphs[exec_] = std::move(graph_);
  if (in == In::kRace && races_++ < kMostRaces)
    trace_.remarks.push_back("race (" + race_.kind + "), " + race_.times + " times: nothing orders " + short_kernel_name(race_.first) +
                             " and " + short_kernel_name(race_.second));
  return true;
}

/// Of a call, or of a node of a graph.
void Handler::take_pointer() {
  const bool of_call = std::ranges::find(in_, In::kArgs) != in_.end();
  std::vector<TraceMemoryUse::Pointer>& pointers = of_call ? event_.pointers : graph_.nodes.back().uses.pointers;
  pointers.push_back({edge_[0], edge_[1], static_cast<std::uint64_t>(edge_[2])});
}

bool Handler::flag() {
  const In in = in_.empty() ? In::kNothing : in_.back();
  if (in == In::kArgs && key_ == "capturing") event_.capturing = true;
  if (in == In::kArgs && key_ == "parameters_unknown") event_.parameters_unknown = true;
  if (in == In::kArgs && key_ == "cooperative") event_.cooperative = true;
  if (in == In::kArgs && key_ == "rows_apart") event_.rows_apart = true;
  if (in == In::kNode && key_ == "parameters_unknown") graph_.nodes.back().uses.unknown = true;
  if (in == In::kNode && key_ == "rows_apart") graph_.nodes.back().uses.rows_apart = true;
  if (in == In::kAllocation && key_ == "host") trace_.allocations.back().host = true;
  if (in == In::kAllocation && key_ == "free") trace_.allocations.back().free = true;
  return true;
}

bool Handler::value(std::string_view text) {
  if (in_.empty()) return refuse("is no trace, but a single value");
  switch (in_.back()) {
    case In::kEvent:
      return event_value(text);
    case In::kArgs:
      argument(text);
      return true;
    case In::kGrid:
    case In::kBlock:
      return dimension(whole_number(text).value_or(0));
    case In::kUndisturbed:
      if (const auto time = nanoseconds(text)) event_.undisturbed.push_back(*time);
      return true;
    case In::kDevice:
      device_value(text);
      return true;
    case In::kEvents:
      return refuse("traceEvents[" + std::to_string(events_) + "] is " + in_quotes(text) + ", no event");
    default:
      capture_value(in_.back(), text);
      return true;
  }
}

/// Of a grid or a block; 0 where the file does not know it.
bool Handler::dimension(std::int64_t size) {
  const bool grid = in_.back() == In::kGrid;
  if (size < 0)
    return refuse("traceEvents[" + std::to_string(events_) + "].args." + (grid ? "grid" : "block") + " has " + std::to_string(size) +
                  "; it must be whole numbers from 1");
  std::int64_t& product = grid ? event_.grid : event_.block;
  if (size > 0) product = product > INT64_MAX / size ? INT64_MAX : product * size;
  return true;
}

bool Handler::event_value(std::string_view text) {
  const auto time = [&](std::int64_t& into) {
    const auto ns = nanoseconds(text);
    if (!ns) return refuse("traceEvents[" + std::to_string(events_) + "]." + key_ + " is " + in_quotes(text) + "; it must be a time in µs");
    into = *ns;
    return true;
  };
  if (key_ == "ts") return time(event_.ts);
  if (key_ == "dur") return time(event_.dur);
  if (key_ == "name") event_.name.assign(text);
  if (key_ == "cat") event_.category.assign(text);
  if (key_ == "ph") event_.phase.assign(text);
  if (key_ == "pid") event_.process.assign(text);
  if (key_ == "tid") event_.thread.assign(text);
  return true;
}

void Handler::argument(std::string_view text) {
  struct Argument {
    std::string_view name;
    std::int64_t KinetoEvent::*number;
  };
  static constexpr std::array arguments{
      Argument{"correlation", &KinetoEvent::correlation},
      Argument{"stream", &KinetoEvent::stream},
      Argument{"device", &KinetoEvent::device},
      Argument{"registers per thread", &KinetoEvent::registers},
      Argument{"shared memory", &KinetoEvent::shared_memory},
      Argument{"bytes", &KinetoEvent::bytes},
      Argument{"Bytes", &KinetoEvent::bytes},
      Argument{"graph node id", &KinetoEvent::node},
      Argument{"channel", &KinetoEvent::channel},
      Argument{"wait_on_stream", &KinetoEvent::wait_on_stream},
      Argument{"wait_on_cuda_event_record_corr_id", &KinetoEvent::wait_on_record},
      Argument{"call_stream", &KinetoEvent::call_stream},
      Argument{"record", &KinetoEvent::record},
      Argument{"graph_exec", &KinetoEvent::graph_exec},
      Argument{"src", &KinetoEvent::source},
      Argument{"dst", &KinetoEvent::target},
      Argument{"address", &KinetoEvent::address},
  };
  if (key_ == "cuda_sync_kind") event_.sync_kind.assign(text);
  if (key_ == "op") event_.op.assign(text);
  const auto found = std::ranges::find(arguments, key_, &Argument::name);
  if (found == arguments.end()) return;
  if (const auto number = whole_number(text)) event_.*found->number = *number;
}

void Handler::device_value(std::string_view text) {
  TraceDevice& device = trace_.devices.back();
  const std::int64_t number = whole_number(text).value_or(0);
  if (key_ == "id") device.id = number;
  if (key_ == "name") device.name = text;
  if (key_ == "numSms") device.cores = number;
  if (key_ == "maxThreadsPerMultiprocessor") device.threads = number;
  if (key_ == "regsPerMultiprocessor") device.registers = number;
  if (key_ == "sharedMemPerMultiprocessor") device.shared_memory = number;
  if (key_ == "computeMajor") device.major = number;
  if (key_ == "computeMinor") device.minor = number;
}

void Handler::capture_value(In in, std::string_view text) {
  const std::int64_t number = whole_number(text).value_or(-1);
  if (in == In::kEdge || in == In::kPointer || in == In::kTensor) edge_.push_back(number);
  const auto unsigned_number = static_cast<std::uint64_t>(std::max<std::int64_t>(0, number));
  if (in == In::kStream && key_ == "stream") stream_ = number;
  if (in == In::kStream && key_ == "kind" && (text == "legacy" || text == "blocking"))
    trace_.stream_orders[static_cast<std::int32_t>(stream_)] = text == "legacy" ? StreamOrder::kLegacy : StreamOrder::kBlocking;
  if (in == In::kAllocation && key_ == "address") trace_.allocations.back().address = unsigned_number;
  if (in == In::kAllocation && key_ == "ts") trace_.allocations.back().time = nanoseconds(text).value_or(INT64_MIN);
  if (in == In::kAllocation && key_ == "bytes") trace_.allocations.back().bytes = unsigned_number;
  if (in == In::kNode && key_ == "src") graph_.nodes.back().uses.source = unsigned_number;
  if (in == In::kNode && key_ == "dst") graph_.nodes.back().uses.target = unsigned_number;
  if (in == In::kNode && key_ == "bytes") graph_.nodes.back().uses.bytes = unsigned_number;
  if (in == In::kGraph && key_ == "exec") exec_ = number;
  if (in == In::kNode && key_ == "node") graph_.nodes.back().id = number;
  if (in == In::kNode && key_ == "parent") graph_.nodes.back().parent = number;
  if (in == In::kRace && key_ == "kind") race_.kind = text;
  if (in == In::kRace && key_ == "times") race_.times = text;
  if (in == In::kFirst && key_ == "what") race_.first = text;
  if (in == In::kSecond && key_ == "what") race_.second = text;
  if (in == In::kLost && number > 0) trace_.remarks.push_back("the capture has lost " + std::to_string(number) + " of " + in_quotes(key_));
  if (in == In::kCapture && key_ == "ended" && text != "normally")
    trace_.remarks.push_back("the captured program ended " + std::string(text) + ": device times of its last moments may lack");
}

/// A ByteSource as RapidJSON reads it.
class Stream {
 public:
  using Ch = char;
  Stream(ByteSource& source, const ImportOptions& options) : source_(source), options_(options) {}

  char Peek() { return source_.peek(); }
  char Take() {
    if (source_.position() >= next_progress_) tell();
    return source_.take();
  }
  std::size_t Tell() const { return source_.position(); }
  char* PutBegin() { return nullptr; }
  void Put(char) {}
  void Flush() {}
  std::size_t PutEnd(char*) { return 0; }

 private:
  void tell() {
    next_progress_ = source_.position() + kProgressBytes;
    if (options_.progress) options_.progress(source_.read_of_file(), source_.file_size());
  }

  ByteSource& source_;
  const ImportOptions& options_;
  std::uint64_t next_progress_ = kProgressBytes;
};

/// Of the byte at `offset` of the unpacked text, which is read again up to there.
SourceLocation place_of(const std::string& path, std::uint64_t offset) {
  ByteSource source(path);
  SourceLocation where{path, 1, 1};
  for (std::uint64_t i = 0; i < offset; ++i) {
    const bool line_ends = source.take() == '\n';
    where.line += line_ends ? 1 : 0;
    where.column = line_ends ? 1 : where.column + 1;
  }
  return where;
}

[[noreturn]] void refuse_text(const std::string& path, ByteSource& source, const rapidjson::ParseResult& result, const Handler& handler) {
  const std::uint64_t offset = result.Offset();
  const std::string behind = handler.events() > 0 ? ", behind traceEvents[" + std::to_string(handler.events() - 1) + "]" : "";
  if (result.Code() == rapidjson::kParseErrorTermination) throw InputError(place_of(path, offset), handler.why());
  if (result.Code() == rapidjson::kParseErrorDocumentEmpty) throw InputError({path}, "is empty");
  if (result.Code() == rapidjson::kParseErrorDocumentRootNotSingular)
    throw InputError(place_of(path, offset), "goes on behind the end of its JSON; a file has one trace");
  if (source.peek() == '\0' && source.read_of_file() >= source.file_size())
    throw InputError(place_of(path, offset), "is truncated: its JSON ends early" + behind);
  throw InputError(place_of(path, offset), "is no JSON" + behind + ": " + rapidjson::GetParseError_En(result.Code()));
}

Trace read_trace(const std::string& path, const ImportOptions& options, bool as_capture) {
  Trace trace;
  KinetoCollector collector(trace, options);
  Handler handler(trace, collector);
  ByteSource source(path);
  Stream stream(source, options);
  rapidjson::Reader reader;
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseNumbersAsStringsFlag;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, handler);
  if (result.IsError()) refuse_text(path, source, result, handler);
  if (!handler.has_events()) throw InputError({path}, "has no list 'traceEvents', so it is no trace in Chrome's format");
  if (as_capture && !handler.is_capture())
    throw InputError({path}, "does not begin with the key " + in_quotes(kCaptureKey) +
                                 ", so it is no capture; as 'kineto' it is read as a profiler's trace");
  collector.finish(handler.is_capture());
  trace.counts.emplace_back("events", static_cast<std::int64_t>(handler.events()));
  return trace;
}

bool contains(std::string_view text, std::string_view word) { return text.find(word) != std::string_view::npos; }

/// The file of `tasktwin capture`, which is Kineto's with every argument of the calls.
bool is_capture(const FileHead& head) { return contains(head.text.substr(0, 200), '"' + std::string(kCaptureKey) + '"'); }

/// A trace of the PyTorch profiler (libkineto), or one in Chrome's format whose events have Kineto's categories and arguments; packed by
/// gzip or not. Read as a stream. Of calls, the arguments `call_stream`, `record` and `graph_exec`, which `tasktwin capture` writes, count
/// where they are there; what a file of the profiler does not say of waits is counted in remarks.
bool is_kineto(const FileHead& head) {
  const std::size_t first = head.text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (first == std::string_view::npos || (head.text[first] != '{' && head.text[first] != '[')) return false;
  return contains(head.text, "\"traceEvents\"") || contains(head.text, "\"deviceProperties\"") ||
         (contains(head.text, "\"ph\"") && contains(head.text, "\"ts\""));
}

/// Throws InputError with the place for what is no JSON, truncated, nested too deep or more than one document, events without times, and as
/// program_of does.
Imported import_kineto(const std::string& path, const ImportOptions& options) {
  return program_of(read_trace(path, options, false), path, options);
}

Imported import_capture(const std::string& path, const ImportOptions& options) {
  return program_of(read_trace(path, options, true), path, options);
}

}  // namespace

Importer capture_importer() { return {"capture", "what 'tasktwin capture' wrote", is_capture, import_capture, kTraceOptions}; }

Importer kineto_importer() {
  return {"kineto", "a trace of the PyTorch profiler (Kineto), or one in Chrome's format with its categories", is_kineto, import_kineto,
          kTraceOptions};
}

}  // namespace tasktwin::scenarios
