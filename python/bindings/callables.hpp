#pragma once

#include <memory>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include "models/design/own_policy.hpp"

namespace tasktwin::python {

/// A callable of Python that C++ asks in the middle of a run, from threads without the interpreter's lock. Copies are of the same one.
class Callable {
 public:
  explicit Callable(pybind11::object function)
      : function_(std::shared_ptr<pybind11::object>(new pybind11::object(std::move(function)), forget)) {}

  /// Contract: the caller has the interpreter's lock.
  const pybind11::object& get() const { return *function_; }

  /// Calls `work`, which calls it, with the interpreter's lock. Throws std::runtime_error for an exception of Python's, with its type, text
  /// and place; PolicyInterrupted for KeyboardInterrupt and its like, which is then set.
  template <class Work>
  static auto locked(const Work& work) {
    const pybind11::gil_scoped_acquire lock;
    try {
      return work();
    } catch (pybind11::error_already_set& raised) {
      rethrow(raised);
    } catch (const pybind11::cast_error&) {
      throw_wrong_type();
    }
  }

 private:
  static void forget(pybind11::object* function);
  [[noreturn]] static void rethrow(pybind11::error_already_set& raised);
  [[noreturn]] static void throw_wrong_type();

  std::shared_ptr<pybind11::object> function_;
};

/// A policy, of Python's callables or of a shared object, that a design can have at an axis.
struct Policy {
  std::string axis;
  OwnPolicy own;
};

}  // namespace tasktwin::python
