#include "models/base/child_process.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <string_view>
#include <system_error>

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

std::string read_all(int descriptor) {
  constexpr std::size_t kChunk = 65536;
  std::string text;
  std::array<char, kChunk> chunk{};
  for (;;) {
    const ssize_t count = ::read(descriptor, chunk.data(), chunk.size());
    if (count == 0) return text;
    if (count > 0) text.append(chunk.data(), static_cast<std::size_t>(count));
    if (count < 0 && errno != EINTR) return {};
  }
}

}  // namespace

std::string in_child(const std::function<std::string()>& work, std::string_view who) {
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
  const std::string said = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) fail("cannot wait for a process");
  }
  if (WIFSIGNALED(status)) throw RunError(std::string(who) + " was ended by signal " + std::to_string(WTERMSIG(status)));
  if (said.empty() || WEXITSTATUS(status) != 0) throw RunError(std::string(who) + " ended without a result");
  if (said.front() == kBadInput) throw InputError(said.substr(1));
  if (said.front() == kTerminated) throw Terminated(said.substr(1));
  if (said.front() == kFault) throw InternalError(said.substr(1));
  if (said.front() == kFailure) throw RunError(said.substr(1));
  return said.substr(1);
}

}  // namespace tasktwin
