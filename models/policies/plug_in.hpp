#pragma once

#include <cstdint>
#include <vector>

#include "models/policies/policies.hpp"

namespace tasktwin {

/// What a shared object with a policy and the tasktwin that loads it must agree on: the interface below, and how large the types are that
/// go through it.
struct PolicyAbi {
  std::uint32_t version = 1;  ///< raised whenever the interface changes
  std::uint32_t inputs_size = sizeof(PolicyInputs);
  std::uint32_t graph_size = sizeof(TaskGraph);
  std::uint32_t task_size = sizeof(Task);
  std::uint32_t traits_size = sizeof(TaskTraits);
  friend bool operator==(const PolicyAbi&, const PolicyAbi&) = default;
};

}  // namespace tasktwin

// What such a shared object defines (examples/urgent_first.cpp is one); visible also where its other symbols are hidden.
extern "C" {
/// Defined as `const tasktwin::PolicyAbi tasktwin_policy_abi{};`.
[[gnu::visibility("default")]] extern const tasktwin::PolicyAbi tasktwin_policy_abi;

/// Gives every task a rank, by TaskId: of the ready tasks the one with the lowest goes first, equal ones in order of arrival. `ranks` comes
/// empty. An exception refuses the graph: what() says why.
[[gnu::visibility("default")]] void tasktwin_rank_tasks(const tasktwin::PolicyInputs& inputs, std::vector<double>& ranks);
}
