#include "gpu/peers/devices/communicators.hpp"
#include "gpu/peers/devices/peer_access.hpp"
#include "gpu/probes/peer_probes.hpp"
#include "models/base/error.hpp"

namespace tasktwin::gpu {

PeerTimes probe_peers(int devices) {
  if (const auto why = why_no_peers(devices)) throw RunError("measuring what lies between GPUs: " + *why);
  if (const auto why = why_no_nccl()) throw RunError("measuring collectives, which NCCL makes: " + *why);
  allow_peer_access(devices);
  return {.flags = probe_peer_flags(devices),
          .loads = probe_peer_loads(devices),
          .chains = probe_peer_chains(devices),
          .copies = probe_peer_copies(devices),
          .reads = probe_peer_reads(devices),
          .calls = probe_peer_calls(devices),
          .collectives = probe_collectives(devices)};
}

}  // namespace tasktwin::gpu
