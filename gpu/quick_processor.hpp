#pragma once

#include <functional>

namespace tasktwin::gpu {

/// Moves the calling thread to that of the processors it may use, or of 16 spread over them, on which `call` takes the shortest
/// median time, and leaves it free to be moved on. Calls of the driver take up to half as long again where the processor shares its
/// core with somebody else's work, for as long as that lasts. Returns the processor; -1, having done nothing, where the system does
/// not tell, or there is only one. What `call` throws is passed on.
int move_to_quickest_processor(const std::function<void()>& call);

}  // namespace tasktwin::gpu
