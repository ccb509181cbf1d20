#include "verify/system/policy_guard.hpp"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "models/policies/policy_call.hpp"

namespace tasktwin::verify {

namespace {

constexpr int kBadUsage = 2;
constexpr int kFaults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

pid_t guarded = 0;  ///< the process that tells
long limit_s = 60;
std::uint64_t last_count = 0;
long seconds_in_call = 0;
bool ending = false;  ///< it has returned from main

/// Called in handlers of signals. Its memory may be in disorder; the process ends in any case.
[[noreturn]] void end(const std::string& why) {
  if (::getpid() == guarded) {
    const std::string text = "error: " + why + "\n";
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  }
  ::_exit(kBadUsage);
}
[[noreturn]] void end(const PolicyCall& call, const std::string& why) { end(call.text() + ": " + why); }

void on_fault(int signal) {
  for (const int fault : kFaults) ::signal(fault, SIG_DFL);  // a second one ends the process
  if (const PolicyCall* const call = PolicyCall::current())
    end(*call, signal == SIGABRT ? "it aborted" : "it was ended by a signal, as by a wrong pointer or a division by 0");
  ::raise(signal);
}

void on_second(int) {
  if (ending) {  // in a destructor of an object of a policy's
    if (++seconds_in_call >= limit_s) end("a policy's shared object has not let the process end for " + std::to_string(limit_s) + " s");
    return;
  }
  const PolicyCall* const call = PolicyCall::current();
  const std::uint64_t count = PolicyCall::count();
  seconds_in_call = call != nullptr && count == last_count ? seconds_in_call + 1 : 0;
  last_count = count;
  if (call != nullptr && seconds_in_call >= limit_s) end(*call, "it has not returned for " + std::to_string(limit_s) + " s");
}

void on_exit() {
  if (const PolicyCall* const call = PolicyCall::current()) end(*call, "it called exit()");
  seconds_in_call = 0;
  ending = true;
}

/// Before a process's first call.
void watch() {
  struct sigaction action {};
  action.sa_flags = SA_RESTART;
  action.sa_handler = on_second;
  ::sigaction(SIGALRM, &action, nullptr);
  const itimerval every_second{{1, 0}, {1, 0}};
  ::setitimer(ITIMER_REAL, &every_second, nullptr);
  static std::array<char, 1 << 16> stack;  // of handlers: a policy may have used up its own
  const stack_t handlers{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&handlers, nullptr);
  struct sigaction fault {};
  fault.sa_handler = on_fault;
  fault.sa_flags = SA_NODEFER | SA_ONSTACK;
  for (const int signal : kFaults) ::sigaction(signal, &fault, nullptr);
  std::atexit(on_exit);
}

}  // namespace

void guard_policies() {
  guarded = ::getpid();
  limit_s = static_cast<long>(policy_limit().count());
  PolicyCall::set_before_first(watch);
}

}  // namespace tasktwin::verify
