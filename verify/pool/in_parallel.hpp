#pragma once

#include <cstddef>
#include <functional>

#include "verify/output/text/json.hpp"
#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

/// Pool::ask() whose answers `take` gets in the order of the requests.
void ask_in_order(Pool& pool, std::size_t count, const Pool::Request& request, const Pool::Take& take);

/// What `work` gives for 0 to `count` − 1, worked out by that many processes (as make_pool has them) and taken in order. `work` finds
/// everything as it is now; what it throws is thrown here.
void in_parallel(std::size_t processes, std::size_t count, const std::function<Json(std::size_t)>& work,
                 const std::function<void(std::size_t, Json)>& take);

}  // namespace tasktwin::verify
