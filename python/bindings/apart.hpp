#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <pybind11/pybind11.h>

namespace tasktwin::python {

/// Asked by long work: whether it is to end. Takes the interpreter's lock a few times a second at most.
using Interrupted = std::function<bool()>;

/// As much as takes about a tenth of a second to be walked a few times: tasks and edges.
inline constexpr std::size_t kLongWork = 50'000;

/// Work that needs nothing of the interpreter while it runs, and owns all that it reads. Made and destroyed with the interpreter's lock.
class Job {
 public:
  Job() = default;
  virtual ~Job() = default;
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// Runs `job` in this thread; where `is_long` in one of its own, so that a signal ends the wait for it at once, whatever the work is in:
  /// it then ends when it next asks, and has taken `job`. Throws what the work throws, and the exception of a signal's handler.
  static void run(std::unique_ptr<Job>& job, bool is_long);

 protected:
  friend class JobRun;
  virtual void work(const Interrupted& interrupted) = 0;
};

/// What `work`, called with Interrupted, gives, without the interpreter's lock meanwhile. `work` owns what it reads, if need be by
/// references to Python's objects. Throws RunError in other threads once the interpreter is about to end, which waits for work under way.
template <class Work>
auto without_lock(bool is_long, Work work) {
  using Result = decltype(work(std::declval<const Interrupted&>()));
  struct OfWork final : Job {
    explicit OfWork(Work given) : of(std::move(given)) {}
    void work(const Interrupted& interrupted) override { result.emplace(of(interrupted)); }
    Work of;
    std::optional<Result> result;
  };
  auto own = std::make_unique<OfWork>(std::move(work));
  OfWork& done = *own;
  std::unique_ptr<Job> job = std::move(own);
  Job::run(job, is_long);
  return std::move(*done.result);
}

/// Lets signals' handlers run every few thousand calls; throws what they raise. For loops that have the interpreter's lock.
class SignalCheck {
 public:
  void operator()() {
    constexpr unsigned kBetween = 4096;
    if (++calls_ % kBetween == 0 && PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  }

 private:
  unsigned calls_ = 0;
};

}  // namespace tasktwin::python
