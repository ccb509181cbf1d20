#include "verify/explain/cause_words.hpp"

namespace tasktwin::verify {

std::string_view in_words(PathCause cause) {
  switch (cause) {
    case PathCause::kBody:
      return "bodies that the next task needed";
    case PathCause::kBandwidth:
      return "bodies short of memory bandwidth";
    case PathCause::kWaves:
      return "later waves of a grid";
    case PathCause::kDataWait:
      return "waiting for tasks whose data it did not need";
    case PathCause::kCoreWait:
      return "waiting for tasks that had the core";
    case PathCause::kStream:
      return "waiting for tasks before it in its stream";
    case PathCause::kCopyEngine:
      return "waiting for copies that had the engine";
    case PathCause::kRoom:
      return "no room on the device";
    case PathCause::kHardwareQueue:
      return "waiting in a hardware queue";
    case PathCause::kHeadOfLine:
      return "waiting behind another task in a ready queue";
    case PathCause::kGang:
      return "waiting for the other cores of a gang";
    case PathCause::kDispatch:
      return "control cores at work";
    case PathCause::kLock:
      return "the lock of a ready queue";
    case PathCause::kQueue:
      return "ready queues and lists";
    case PathCause::kNotification:
      return "signalling latency";
    case PathCause::kCollective:
      return "collectives";
    case PathCause::kSkew:
      return "waiting for the last rank of a collective";
    case PathCause::kTransfer:
      return "transfers and signals between devices";
    case PathCause::kStart:
      return "starting bodies";
    case PathCause::kPublish:
      return "publishing completions";
    case PathCause::kLaunch:
      return "launching kernels";
    case PathCause::kHostOwn:
      return "the host between its calls";
    case PathCause::kHostCall:
      return "the host in calls";
    case PathCause::kHostSync:
      return "the host in synchronisations";
    case PathCause::kHostBlocked:
      return "the host blocked by the device";
    case PathCause::kStartUp:
      return "starting up";
    case PathCause::kSubmit:
      return "submitting tasks";
    case PathCause::kWindow:
      return "a full window of tasks";
    case PathCause::kReplays:
      return "runs of the graph before the last";
    case PathCause::kRest:
      return "unexplained time";
  }
  return "";
}

std::string_view in_words(IdleCause cause) {
  switch (cause) {
    case IdleCause::kNoReadyWork:
      return "nothing was ready";
    case IdleCause::kDispatch:
      return "ready work had not been handed over";
    case IdleCause::kGang:
      return "ready work needed more cores at once than were idle";
    case IdleCause::kNotification:
      return "work was on its way to the core";
    case IdleCause::kHeadOfLine:
      return "ready work waited behind other work in its queue";
    case IdleCause::kRoom:
      return "a kernel on the device had no room";
    case IdleCause::kHardwareQueue:
      return "a kernel waited behind another in a hardware queue";
    case IdleCause::kStream:
      return "a kernel waited behind another in its stream";
    case IdleCause::kHostBlocked:
      return "the device blocked the host that had to launch";
    case IdleCause::kWindow:
      return "the window of tasks was full";
    case IdleCause::kTail:
      return "the core's last task was done";
  }
  return "";
}

}  // namespace tasktwin::verify
