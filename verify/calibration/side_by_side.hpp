#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "verify/pool/pool.hpp"

namespace tasktwin::verify {

/// Values of functions of the same numbers, worked out by a pool of processes.
class SideBySide {
 public:
  using Function = std::function<double(std::span<const double>)>;

  /// What `functions` refer to is as it is now. `processes` as make_pool has it, at most one a function.
  SideBySide(std::vector<Function> functions, unsigned processes);

  /// By function. Throws what a function throws. Contract: at most 1024 numbers.
  std::vector<double> operator()(std::span<const double> numbers) const;

 private:
  std::size_t count_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace tasktwin::verify
