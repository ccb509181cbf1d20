#pragma once

#include "models/rules/steal_size.hpp"

namespace tasktwin::gpu {

/// Whom a worker, or a dispatcher, that has nothing steals from, and how much.
struct StealRule {
  bool on;
  rules::StealSize size;
  Victim victim;
};

}  // namespace tasktwin::gpu
