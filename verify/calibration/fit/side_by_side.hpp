#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

/// Values of functions of the same numbers, worked out by a pool of processes.
class SideBySide {
 public:
  using Function = std::function<double(std::span<const double>)>;

  /// What `functions` refer to is as it is now. `processes` as make_pool has it.
  SideBySide(std::vector<Function> functions, unsigned processes);

  /// By function. Throws what a function throws. Contract: at most 1024 numbers.
  std::vector<double> operator()(std::span<const double> numbers) const;

  /// The same of several lists of numbers, by list: so no process waits for the slowest function of a list.
  std::vector<std::vector<double>> at(const std::vector<std::vector<double>>& lists) const;

 private:
  std::size_t count_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tasktwin::verify
