#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/ids.hpp"
#include "verify/output/files/atomic_file.hpp"
#include "verify/output/timelines/protobuf.hpp"

namespace tasktwin::verify {

/// A begin or an instant before it is written: its annotations and flows.
class PerfettoEvent {
 public:
  void flow(std::uint64_t id);

 private:
  friend class PerfettoPackets;
  ProtobufMessage message_;
};

/// Writes the packets of a Perfetto trace, in one sequence. Names are interned: the packet that is the first to use one defines it.
/// Times are in nanoseconds, at least 0. Contract: an event's annotations are made right before the event is written; tracks are
/// described before events on them, and have uuids of their own.
class PerfettoPackets {
 public:
  /// CounterDescriptor.Unit
  enum Unit : std::uint8_t { kCount = 2, kSizeBytes = 3 };

  /// `tasks`: how many tasks have names.
  PerfettoPackets(AtomicFile& file, std::size_t tasks) : file_(file), task_named_(tasks) {}

  void track(std::uint64_t uuid, std::string_view name);
  void process(std::uint64_t uuid, std::uint64_t pid, std::string_view name);
  void thread(std::uint64_t uuid, std::uint64_t parent, std::uint64_t pid, std::uint64_t tid, std::string_view name);
  void counter(std::uint64_t uuid, std::uint64_t parent, std::string_view name, Unit unit);

  void annotate(PerfettoEvent& event, const std::string& name, std::string_view value);
  void annotate(PerfettoEvent& event, const std::string& name, std::int64_t value);

  /// The interned number of an event's name: a word out of a small vocabulary, or a task's, which is kept in no table.
  std::uint64_t name(const std::string& word) { return iid(kEventNames, word); }
  std::uint64_t task_name(TaskId task, std::string_view name);

  void begin(std::int64_t ns, std::uint64_t track, const std::string& category, std::uint64_t name, PerfettoEvent event = {});
  void end(std::int64_t ns, std::uint64_t track);
  void instant(std::int64_t ns, std::uint64_t track, std::uint64_t name, PerfettoEvent event);
  void value(std::int64_t ns, std::uint64_t track, std::int64_t value);

 private:
  /// The indices that names are interned in, by their field in InternedData.
  enum Index : std::uint8_t { kCategories = 1, kEventNames = 2, kAnnotationNames = 3 };

  std::uint64_t iid(Index kind, const std::string& word);
  void intern(Index kind, std::uint64_t number, std::string_view name);
  void describe(const ProtobufMessage& track);
  void event(std::int64_t ns, const ProtobufMessage& event);
  void finish();

  AtomicFile& file_;
  std::map<Index, std::map<std::string, std::uint64_t>> known_;
  std::vector<bool> task_named_;
  ProtobufMessage interned_;
  ProtobufMessage packet_;
  ProtobufMessage framed_;
  bool first_ = true;
};

}  // namespace tasktwin::verify
