#include "models/policies/built_in.hpp"

#include "models/policies/pair_selection.hpp"

namespace tasktwin {

StaticSchedule min_min(const StaticInputs& inputs) { return select_pairs(inputs, inputs.cost); }

}  // namespace tasktwin
