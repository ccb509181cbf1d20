// Policies that are refused; the build defines one of the names below.
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "models/policies/plug_in.hpp"

using namespace tasktwin;

#if defined(OLD_VERSION)
const PolicyAbi tasktwin_policy_abi{.version = 0};
#elif defined(OTHER_TYPES)
const PolicyAbi tasktwin_policy_abi{.task_size = 8};
#elif !defined(NO_ABI)
const PolicyAbi tasktwin_policy_abi{};
#endif

/// Something to do that never ends.
[[maybe_unused]] static int hang() {
  for (;;) ::pause();
}

#if defined(HANGS_WHEN_LOADED)
[[maybe_unused]] const int loaded = hang();
#elif defined(THROWS_WHEN_LOADED)
[[maybe_unused]] const int loaded = [] { return throw std::runtime_error("not today"), 0; }();
#elif defined(EXITS_WHEN_LOADED)
[[maybe_unused]] const int loaded = [] { return std::exit(0), 0; }();
#endif

#if !defined(NO_FUNCTION)
void tasktwin_rank_tasks(const PolicyInputs& inputs, std::vector<double>& ranks) {
  ranks.resize(inputs.graph.size());
#if defined(HANGS)
  hang();
#elif defined(THROWS)
  throw std::runtime_error("only trees, please");
#elif defined(THROWS_A_NUMBER)
  throw 1;
#elif defined(EXITS)
  std::exit(0);
#elif defined(TOO_FEW)
  ranks.pop_back();
#elif defined(NOT_A_NUMBER)
  ranks.front() = std::nan("");
#endif
}
#endif
