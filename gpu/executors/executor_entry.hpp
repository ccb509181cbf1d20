#pragma once

#include <memory>

#include "gpu/run/executor_interface.hpp"
#include "gpu/supported/supported.hpp"

namespace tasktwin::gpu {

/// An executor and the designs it runs. To add one: a file beside this one and a line in the table (gpu/executors.hpp), and what it runs in
/// supported/.
struct ExecutorEntry {
  const Supported* supported;
  std::unique_ptr<Executor> (*make)(const ExecutorInputs&);
};

template <class T>
std::unique_ptr<Executor> make_executor(const ExecutorInputs& inputs) {
  return std::make_unique<T>(inputs);
}

}  // namespace tasktwin::gpu
