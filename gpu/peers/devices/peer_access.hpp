#pragma once

#include <optional>
#include <string>

namespace tasktwin::gpu {

/// How many GPUs this process sees; 0 where there is none.
int visible_devices();

/// Why the first `devices` GPUs of this host do not work together: there are fewer, they are not alike, or one cannot reach another's
/// memory; nullopt if they do. Contract: !why_no_gpu().
std::optional<std::string> why_no_peers(int devices);

/// Lets kernels on each of the first `devices` GPUs reach the memory of the others; once for the process, more calls do no harm. Throws
/// RunError. Contract: !why_no_peers(devices).
void allow_peer_access(int devices);

}  // namespace tasktwin::gpu
