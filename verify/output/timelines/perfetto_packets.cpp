#include "verify/output/timelines/perfetto_packets.hpp"

namespace tasktwin::verify {

namespace {

// Field numbers of Perfetto's public schema (protos/perfetto/trace): trace.proto, trace_packet.proto,
constexpr int kTracePacket = 1;
constexpr int kPacketTimestamp = 8;
constexpr int kPacketSequence = 10;
constexpr int kPacketTrackEvent = 11;
constexpr int kPacketInternedData = 12;
constexpr int kPacketSequenceFlags = 13;
constexpr int kPacketTrackDescriptor = 60;
// track_event/track_descriptor.proto, process_descriptor.proto, thread_descriptor.proto, counter_descriptor.proto,
constexpr int kTrackUuid = 1;
constexpr int kTrackName = 2;
constexpr int kTrackProcess = 3;
constexpr int kTrackThread = 4;
constexpr int kTrackParent = 5;
constexpr int kTrackCounter = 8;
constexpr int kProcessPid = 1;
constexpr int kProcessName = 6;
constexpr int kThreadPid = 1;
constexpr int kThreadTid = 2;
constexpr int kThreadName = 5;
constexpr int kCounterUnit = 3;
// track_event/track_event.proto, debug_annotation.proto
constexpr int kEventCategoryIid = 3;
constexpr int kEventAnnotation = 4;
constexpr int kEventType = 9;
constexpr int kEventNameIid = 10;
constexpr int kEventTrack = 11;
constexpr int kEventCounterValue = 30;
constexpr int kEventFlow = 47;
constexpr int kAnnotationNameIid = 1;
constexpr int kAnnotationWhole = 4;
constexpr int kAnnotationText = 6;
// and interned_data/interned_data.proto, whose entries are all {iid = 1, name = 2}.
constexpr int kInternedIid = 1;
constexpr int kInternedName = 2;

enum EventType : std::uint8_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounterValue = 4 };
enum SequenceFlags : std::uint8_t { kStateCleared = 1, kNeedsState = 2 };

constexpr std::uint64_t kOnlySequence = 1;

}  // namespace

void PerfettoEvent::flow(std::uint64_t id) { message_.fixed64(kEventFlow, id); }

void PerfettoPackets::track(std::uint64_t uuid, std::string_view name) {
  ProtobufMessage track;
  track.whole(kTrackUuid, uuid);
  track.text(kTrackName, name);
  describe(track);
}

void PerfettoPackets::process(std::uint64_t uuid, std::uint64_t pid, std::string_view name) {
  ProtobufMessage process;
  process.whole(kProcessPid, pid);
  process.text(kProcessName, name);
  ProtobufMessage track;
  track.whole(kTrackUuid, uuid);
  track.message(kTrackProcess, process);
  describe(track);
}

void PerfettoPackets::thread(std::uint64_t uuid, std::uint64_t parent, std::uint64_t pid, std::uint64_t tid, std::string_view name) {
  ProtobufMessage thread;
  thread.whole(kThreadPid, pid);
  thread.whole(kThreadTid, tid);
  thread.text(kThreadName, name);
  ProtobufMessage track;
  track.whole(kTrackUuid, uuid);
  track.whole(kTrackParent, parent);
  track.message(kTrackThread, thread);
  describe(track);
}

void PerfettoPackets::counter(std::uint64_t uuid, std::uint64_t parent, std::string_view name, Unit unit) {
  ProtobufMessage counter;
  counter.whole(kCounterUnit, unit);
  ProtobufMessage track;
  track.whole(kTrackUuid, uuid);
  track.whole(kTrackParent, parent);
  track.text(kTrackName, name);
  track.message(kTrackCounter, counter);
  describe(track);
}

void PerfettoPackets::annotate(PerfettoEvent& event, const std::string& name, std::string_view value) {
  ProtobufMessage annotation;
  annotation.whole(kAnnotationNameIid, iid(kAnnotationNames, name));
  annotation.text(kAnnotationText, value);
  event.message_.message(kEventAnnotation, annotation);
}

void PerfettoPackets::annotate(PerfettoEvent& event, const std::string& name, std::int64_t value) {
  ProtobufMessage annotation;
  annotation.whole(kAnnotationNameIid, iid(kAnnotationNames, name));
  annotation.signed_whole(kAnnotationWhole, value);
  event.message_.message(kEventAnnotation, annotation);
}

std::uint64_t PerfettoPackets::task_name(TaskId task, std::string_view name) {
  if (!task_named_[index(task)]) intern(kEventNames, index(task) + 1, name);
  task_named_[index(task)] = true;
  return index(task) + 1;
}

void PerfettoPackets::begin(std::int64_t ns, std::uint64_t track, const std::string& category, std::uint64_t name, PerfettoEvent event) {
  ProtobufMessage& message = event.message_;
  message.whole(kEventCategoryIid, iid(kCategories, category));
  message.whole(kEventType, kSliceBegin);
  message.whole(kEventNameIid, name);
  message.whole(kEventTrack, track);
  this->event(ns, message);
}

void PerfettoPackets::end(std::int64_t ns, std::uint64_t track) {
  ProtobufMessage message;
  message.whole(kEventType, kSliceEnd);
  message.whole(kEventTrack, track);
  event(ns, message);
}

void PerfettoPackets::instant(std::int64_t ns, std::uint64_t track, std::uint64_t name, PerfettoEvent event) {
  ProtobufMessage& message = event.message_;
  message.whole(kEventType, kInstant);
  message.whole(kEventNameIid, name);
  message.whole(kEventTrack, track);
  this->event(ns, message);
}

void PerfettoPackets::value(std::int64_t ns, std::uint64_t track, std::int64_t value) {
  ProtobufMessage message;
  message.whole(kEventType, kCounterValue);
  message.whole(kEventTrack, track);
  message.signed_whole(kEventCounterValue, value);
  event(ns, message);
}

std::uint64_t PerfettoPackets::iid(Index kind, const std::string& word) {
  auto& known = known_[kind];
  const std::uint64_t next = known.size() + 1 + (kind == kEventNames ? task_named_.size() : 0);
  const auto [entry, is_new] = known.emplace(word, next);
  if (is_new) intern(kind, next, word);
  return entry->second;
}

void PerfettoPackets::intern(Index kind, std::uint64_t number, std::string_view name) {
  ProtobufMessage entry;
  entry.whole(kInternedIid, number);
  entry.text(kInternedName, name);
  interned_.message(kind, entry);
}

void PerfettoPackets::describe(const ProtobufMessage& track) {
  packet_.message(kPacketTrackDescriptor, track);
  finish();
}

void PerfettoPackets::event(std::int64_t ns, const ProtobufMessage& event) {
  packet_.signed_whole(kPacketTimestamp, ns);
  packet_.message(kPacketTrackEvent, event);
  finish();
}

void PerfettoPackets::finish() {
  if (!interned_.bytes().empty()) packet_.message(kPacketInternedData, interned_);
  packet_.whole(kPacketSequence, kOnlySequence);
  packet_.whole(kPacketSequenceFlags, first_ ? kStateCleared | kNeedsState : kNeedsState);
  framed_.message(kTracePacket, packet_);
  file_.write(framed_.bytes());
  first_ = false;
  interned_.clear();
  packet_.clear();
  framed_.clear();
}

}  // namespace tasktwin::verify
