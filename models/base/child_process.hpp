#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "models/base/error.hpp"

namespace tasktwin {

/// Something in a child threw where nobody can catch, as what the loader of shared objects runs does: what it was.
class Terminated : public RunError {
  using RunError::RunError;
};

/// A child was ended because it took longer than it may: how long that is.
class Overdue : public RunError {
  using RunError::RunError;
};

/// Runs `work` in a child process and returns what it returned. Settings that a CUDA context fixes when it is created, such as the
/// number of hardware queues, is then each child's own, and a fault on the device ends with the child that had it.
/// Throws the child's InputError, RunError or InternalError, Terminated, Overdue where it has not returned within `limit`, and RunError,
/// about `who`, if the child ended in another way.
/// Contract: no thread but this one runs, and this process has not used CUDA, which a forked child could not use then.
std::string in_child(const std::function<std::string()>& work, std::string_view who = "the measuring process",
                     std::optional<std::chrono::seconds> limit = {});

}  // namespace tasktwin
