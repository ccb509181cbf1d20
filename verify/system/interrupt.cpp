#include "verify/system/interrupt.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <utility>

#include <signal.h>
#include <unistd.h>

namespace tasktwin::verify {

namespace {

// All that the handler reads: it may do no more than look at lock-free atomics, write and unlink.
constexpr std::size_t kSlots = 16;
std::array<std::atomic<const char*>, kSlots> half_written{};
std::atomic<bool> line_stands{false};
std::atomic<int> deferring{0};
std::atomic<int> deferred{0};  ///< the signal, or 0
thread_local const std::function<bool()>* asked_here = nullptr;
static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free &&
              std::atomic<int>::is_always_lock_free);

void clean_up(int signal) {
  int none = 0;
  if (deferring > 0 && deferred.compare_exchange_strong(none, signal)) return;
  if (line_stands) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWipeLine, sizeof kWipeLine - 1);
  }
  for (const auto& path : half_written) {
    if (const char* const file = path; file != nullptr) ::unlink(file);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);  // pending until this handler returns
}

}  // namespace

void clean_up_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    if (::sigaction(signal, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = clean_up;
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

DeferredInterrupt::DeferredInterrupt() { ++deferring; }

DeferredInterrupt::~DeferredInterrupt() { --deferring; }

AskedInThisThread::AskedInThisThread(const std::function<bool()>& asked) : before_(std::exchange(asked_here, &asked)) {}

AskedInThisThread::~AskedInThisThread() { asked_here = before_; }

bool interrupt_asked() { return deferred != 0 || (asked_here != nullptr && (*asked_here)()); }

void end_by_interrupt() {
  const int signal = deferred;
  deferring = 0;
  std::raise(signal);
  constexpr int kShellAddsToSignals = 128;
  std::_Exit(kShellAddsToSignals + signal);  // where the signal was ignored
}

void set_line_to_wipe(bool stands) { line_stands = stands; }

HalfWritten::HalfWritten(const char* path) : slot_(0) {
  for (; slot_ < kSlots; ++slot_) {
    const char* free = nullptr;
    if (half_written[slot_].compare_exchange_strong(free, path)) return;
  }
}

HalfWritten::~HalfWritten() {
  if (slot_ < kSlots) half_written[slot_] = nullptr;
}

}  // namespace tasktwin::verify
