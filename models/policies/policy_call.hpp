#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "models/base/error.hpp"
#include "models/design/own_policy.hpp"
#include "models/graph/task_graph.hpp"

namespace tasktwin {

/// The environment's variable that says after how many seconds a call of a policy counts as one that never returns; by default 60.
inline constexpr char kPolicySeconds[] = "TASKTWIN_POLICY_SECONDS";
std::chrono::seconds policy_limit();

/// A policy of the user's own has thrown or given what nothing can be done with: which one, in which call, and what.
class PolicyError : public InputError {
  using InputError::InputError;
};

/// A callable was interrupted, as by Ctrl-C, and so is the run.
class PolicyInterrupted : public RunError {
  using RunError::RunError;
};

/// The call of a policy of the user's own that is under way: the message about one that does not return. One at a time in a process.
class PolicyCall {
 public:
  /// `what` it is asked for: "rank", of `task` of `graph`, or of the `number`-th of something. Contract: all of these outlive it.
  PolicyCall(const OwnPolicy& policy, const char* what, const TaskGraph& graph, TaskId task);
  PolicyCall(const OwnPolicy& policy, const char* what, std::uint64_t number);
  PolicyCall(const OwnPolicy& policy, const char* what);
  ~PolicyCall();
  PolicyCall(const PolicyCall&) = delete;
  PolicyCall& operator=(const PolicyCall&) = delete;

  /// "policy 'mine.so:aged': rank of task 'x'".
  std::string text() const;
  [[noreturn]] void refuse(const std::string& why) const;

  /// The one under way, null for none, and how many there have been.
  static const PolicyCall* current();
  static std::uint64_t count();
  /// Called before each process's first call; null for nothing.
  static void set_before_first(void (*before)());

 private:
  void begin();

  const OwnPolicy& policy_;
  const char* what_;
  const TaskGraph* graph_ = nullptr;
  TaskId task_{};
  std::uint64_t number_ = 0;
  bool numbered_ = false;
  const PolicyCall* outer_ = nullptr;
};

/// What `call` gives, its exceptions as PolicyErrors.
template <class Call>
auto asked(const PolicyCall& about, const Call& call) {
  try {
    return call();
  } catch (const PolicyError&) {
    throw;
  } catch (const PolicyInterrupted&) {
    throw;
  } catch (const std::exception& error) {
    about.refuse(std::string("it threw: ") + error.what());
  } catch (...) {
    about.refuse("it threw something that is no std::exception");
  }
}

}  // namespace tasktwin
