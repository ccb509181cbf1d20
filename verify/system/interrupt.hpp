#pragma once

#include <cstddef>
#include <exception>
#include <functional>

namespace tasktwin::verify {

/// Back to the line's start, and the line erased.
inline constexpr char kWipeLine[] = "\r\033[K";

/// From here on SIGINT (Ctrl-C), SIGTERM and SIGHUP wipe the progress line and remove the files that are half written before they
/// end the process as they always do, so that a shell sees 128 + their number. One that is ignored (nohup) stays ignored.
void clean_up_on_interrupt();

/// While one lives, the first of those signals does not end the process: work that asks interrupt_asked() comes to its end, so that what
/// is finished can be printed. The second ends it as usual.
class DeferredInterrupt {
 public:
  DeferredInterrupt();
  ~DeferredInterrupt();
  DeferredInterrupt(const DeferredInterrupt&) = delete;
  DeferredInterrupt& operator=(const DeferredInterrupt&) = delete;
};

/// While one lives, interrupt_asked() in this thread asks this, too.
class AskedInThisThread {
 public:
  /// Contract: outlived by `asked`.
  explicit AskedInThisThread(const std::function<bool()>& asked);
  ~AskedInThisThread();
  AskedInThisThread(const AskedInThisThread&) = delete;
  AskedInThisThread& operator=(const AskedInThisThread&) = delete;

 private:
  const std::function<bool()>* before_;
};

/// Whether such a signal was deferred.
bool interrupt_asked();

/// Work ended because interrupt_asked(). main() ends the process by that signal.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

/// Ends the process by the signal that was deferred. Contract: there was one.
[[noreturn]] void end_by_interrupt();

/// Whether the terminal shows a progress line.
void set_line_to_wipe(bool stands);

/// A file that goes if the process is interrupted. Contract: `path` stays where it is for this object's life; of at most
/// sixteen at a time, further ones are left alone.
class HalfWritten {
 public:
  explicit HalfWritten(const char* path);
  ~HalfWritten();
  HalfWritten(const HalfWritten&) = delete;
  HalfWritten& operator=(const HalfWritten&) = delete;

 private:
  std::size_t slot_;
};

}  // namespace tasktwin::verify
