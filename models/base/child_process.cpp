#include "models/base/child_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>
#include <system_error>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "models/base/error.hpp"
#include "models/base/internal_error.hpp"

namespace tasktwin {

namespace {

// The first byte of what a child says: what the rest of it is.
constexpr char kResult = 'r';
constexpr char kBadInput = 'i';
constexpr char kFailure = 'f';
constexpr char kFault = 'x';
constexpr char kTerminated = 't';

[[noreturn]] void fail(std::string_view what) {
  throw RunError(std::string(what) + ": " + std::error_code(errno, std::generic_category()).message());
}

std::string outcome_of(const std::function<std::string()>& work) {
  try {
    return kResult + work();
  } catch (const InputError& wrong) {
    return kBadInput + std::string(wrong.what());
  } catch (const InternalError& fault) {
    return kFault + std::string(fault.what());
  } catch (const std::exception& error) {
    return kFailure + std::string(error.what());
  }
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Of the child, for what ends it from afar.
int said_to = -1;

[[noreturn]] void tell_and_end() {
  std::string what = "something that is no std::exception";
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
    what = "std::terminate was called";
  } catch (const std::exception& error) {
    what = error.what();
  } catch (...) {
  }
  ::_exit(write_all(said_to, kTerminated + what) ? 0 : 1);
}

using Clock = std::chrono::steady_clock;

/// Waits for more to read, or the end; false where neither has come by `deadline`.
bool comes(int descriptor, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd one{.fd = descriptor, .events = POLLIN, .revents = 0};
    const int ready = ::poll(&one, 1, static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000)));
    if (ready > 0) return true;
    if (Clock::now() >= deadline) return false;
  }
}

/// All that comes until the end; nullopt where that has not come by `deadline`.
std::optional<std::string> read_all(int descriptor, std::optional<Clock::time_point> deadline) {
  constexpr std::size_t kChunk = 65536;
  std::string text;
  std::array<char, kChunk> chunk{};
  for (;;) {
    if (deadline && !comes(descriptor, *deadline)) return std::nullopt;
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return text;
    if (count > 0) text.append(chunk.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) return "";
  }
}

}  // namespace

std::string in_child(const std::function<std::string()>& work, std::string_view who, std::optional<std::chrono::seconds> limit) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) fail("cannot make a pipe");
  std::fflush(nullptr);  // else a child that leaves by itself writes it too
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    fail("cannot start a process");
  }
  if (child == 0) {
    ::close(ends[0]);
    said_to = ends[1];
    std::set_terminate(tell_and_end);
    ::_exit(write_all(ends[1], outcome_of(work)) ? 0 : 1);  // without what the parent has to do at its own exit
  }
  ::close(ends[1]);
  const auto deadline = limit ? std::optional(Clock::now() + *limit) : std::nullopt;
  const std::optional<std::string> all = read_all(ends[0], deadline);
  ::close(ends[0]);
  if (!all) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for a process");
  }
  if (!all) throw Overdue(std::to_string(limit.value_or(std::chrono::seconds{0}).count()) + " s");
  const std::string& said = *all;
  if (WIFSIGNALED(status)) throw RunError(std::string(who) + " was ended by signal " + std::to_string(WTERMSIG(status)));
  if (said.empty() || WEXITSTATUS(status) != 0) throw RunError(std::string(who) + " ended without a result");
  if (said.front() == kBadInput) throw InputError(said.substr(1));
  if (said.front() == kTerminated) throw Terminated(said.substr(1));
  if (said.front() == kFault) throw InternalError(said.substr(1));
  if (said.front() == kFailure) throw RunError(said.substr(1));
  return said.substr(1);
}

}  // namespace tasktwin
