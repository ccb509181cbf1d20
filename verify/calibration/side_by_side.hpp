#pragma once

#include <functional>
#include <span>
#include <vector>

#include <sys/types.h>

namespace tasktwin::verify {

/// Values of functions of the same numbers, worked out by processes side by side: the simulation engine has one state in a process.
class SideBySide {
 public:
  using Function = std::function<double(std::span<const double>)>;

  /// Forks: what `functions` refer to is as it is now. At most so many processes, this one among them; 0 for one a processor.
  SideBySide(std::vector<Function> functions, unsigned processes);
  ~SideBySide();
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;

  /// By function. What a process that is gone would have worked out this one does, so that an exception is thrown here.
  std::vector<double> operator()(std::span<const double> numbers) const;

 private:
  struct Process {
    pid_t id = 0;
    int socket = -1;
  };

  [[noreturn]] void serve(std::size_t place, int socket) const;
  std::vector<double> share(std::size_t place, std::span<const double> numbers) const;

  std::vector<Function> functions_;
  std::size_t places_ = 1;  ///< place p works out every places_-th function from the p-th on
  std::vector<Process> others_;
};

}  // namespace tasktwin::verify
