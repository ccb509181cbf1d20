#include "python/bindings/apart.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "models/base/error.hpp"
#include "python/bindings/bindings.hpp"

namespace tasktwin::python {

namespace py = pybind11;

namespace {

constexpr std::chrono::milliseconds kBetweenSignals{50};
constexpr std::chrono::milliseconds kMoment{20};

/// A job in a thread of its own. Made and destroyed with the interpreter's lock.
struct Apart {
  std::unique_ptr<Job> job;
  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  std::exception_ptr fault;
  bool ended = false;
  std::atomic<bool> left{false};  ///< nobody waits for it
};

/// What the process has under way. Never destroyed: threads may outlive the module.
struct Process {
  std::atomic<int> working{0};               ///< threads that are to take the interpreter's lock again, and those of jobs
  std::atomic<bool> ending{false};           ///< for all threads but `ender`
  std::thread::id ender;                     ///< written before `ending`
  std::vector<std::unique_ptr<Apart>> left;  ///< under the interpreter's lock

  bool refuses() const { return ending && std::this_thread::get_id() != ender; }
};

Process*& of_this_process() {
  static Process* one = new Process;
  return one;
}

Process& process() { return *of_this_process(); }

/// Without the interpreter's lock while it lives.
class Unlocked {
 public:
  Unlocked() {
    if (process().refuses()) throw RunError("the interpreter is ending");
    ++process().working;
    state_ = PyEval_SaveThread();
  }
  ~Unlocked() {
    PyEval_RestoreThread(state_);
    --process().working;
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* state_;
};

/// Whether a signal's handler has raised an exception, such as KeyboardInterrupt, which is then set. Called without the interpreter's lock.
class Signalled {
 public:
  bool operator()() {
    if (process().refuses()) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now - asked_ < kBetweenSignals) return false;
    asked_ = now;
    const py::gil_scoped_acquire lock;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

void forget_ended() {
  std::erase_if(process().left, [](const std::unique_ptr<Apart>& apart) {
    {
      const std::lock_guard lock(apart->mutex);
      if (!apart->ended) return false;
    }
    apart->thread.join();
    return true;
  });
}

void wait_for_all() {
  Process& here = process();
  here.ender = std::this_thread::get_id();
  here.ending = true;
  {
    const py::gil_scoped_release release;
    while (here.working > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  forget_ended();
}

/// A child of fork() has none of the other threads.
void forget_threads() { of_this_process() = new Process; }

}  // namespace

class JobRun {
 public:
  static void here(Job& job) {
    const Unlocked unlocked;
    job.work([signalled = Signalled()]() mutable { return signalled(); });
  }

  static void apart(std::unique_ptr<Job>& job) {
    forget_ended();
    if (process().refuses()) throw RunError("the interpreter is ending");
    auto own = std::make_unique<Apart>();
    Apart& apart = *own;
    Job& work = *job;
    ++process().working;
    try {
      apart.thread = std::thread([&apart, &work] { perform(apart, work); });
    } catch (...) {
      --process().working;
      throw;
    }
    try {
      while (!ended(apart)) {
        if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      }
    } catch (...) {
      apart.left = true;
      apart.job = std::move(job);
      process().left.push_back(std::move(own));
      throw;
    }
    apart.thread.join();
    if (apart.fault) std::rethrow_exception(apart.fault);
  }

 private:
  static void perform(Apart& apart, Job& job) {
    try {
      job.work([&apart] { return apart.left || process().refuses(); });
    } catch (...) {
      apart.fault = std::current_exception();
    }
    {
      const std::lock_guard lock(apart.mutex);
      apart.ended = true;
      apart.changed.notify_one();
    }
    --process().working;
  }

  /// Waits for a moment.
  static bool ended(Apart& apart) {
    const Unlocked unlocked;
    std::unique_lock lock(apart.mutex);
    return apart.changed.wait_for(lock, kMoment, [&apart] { return apart.ended; });
  }
};

void Job::run(std::unique_ptr<Job>& job, bool is_long) {
  if (is_long)
    JobRun::apart(job);
  else
    JobRun::here(*job);
}

/// Once the interpreter is about to end, other threads' work is asked to end, and waited for.
void bind_ending(py::module_&) {
  ::pthread_atfork(nullptr, nullptr, forget_threads);
  py::module_::import("atexit").attr("register")(py::cpp_function(wait_for_all));
}

}  // namespace tasktwin::python
