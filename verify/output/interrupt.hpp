#pragma once

#include <cstddef>

namespace tasktwin::verify {

/// Back to the line's start, and what stands there erased.
inline constexpr char kWipeLine[] = "\r\033[K";

/// From here on SIGINT (Ctrl-C), SIGTERM and SIGHUP wipe the progress line and remove the files that are half written before they
/// end the process as they always do, so that a shell sees 128 + their number. One that is ignored (nohup) stays ignored.
void clean_up_on_interrupt();

/// Whether a progress line stands on the terminal.
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
