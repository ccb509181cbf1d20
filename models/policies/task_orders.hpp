#pragma once

#include "models/policies/policies.hpp"

namespace tasktwin {

std::unique_ptr<TaskOrderPolicy> make_fifo(const PolicyInputs& inputs);                   ///< in order of becoming ready
std::unique_ptr<TaskOrderPolicy> make_lifo(const PolicyInputs& inputs);                   ///< the last to become ready first
std::unique_ptr<TaskOrderPolicy> make_random_order(const PolicyInputs& inputs);           ///< by a hash of seed and task
std::unique_ptr<TaskOrderPolicy> make_critical_path_order(const PolicyInputs& inputs);    ///< highest bottom level first
std::unique_ptr<TaskOrderPolicy> make_longest_first(const PolicyInputs& inputs);          ///< longest expected duration first
std::unique_ptr<TaskOrderPolicy> make_shortest_first(const PolicyInputs& inputs);         ///< shortest expected duration first
std::unique_ptr<TaskOrderPolicy> make_most_successors_first(const PolicyInputs& inputs);  ///< most direct successors first
std::unique_ptr<TaskOrderPolicy> make_priority_order(const PolicyInputs& inputs);         ///< highest Task::priority first

}  // namespace tasktwin
