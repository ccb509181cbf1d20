#include "sim/engine/links.hpp"

#include <simgrid/s4u/Comm.hpp>

#include "sim/engine/platform.hpp"

namespace tasktwin::sim {

namespace {

struct Way {
  LinkEnd from;
  LinkEnd to;
};

Way way(Operation operation, bool pageable) {
  const LinkEnd memory = pageable ? LinkEnd::kPageableMemory : LinkEnd::kPinnedMemory;
  switch (operation) {
    case Operation::kCopyH2d:
      return {memory, LinkEnd::kDevice};
    case Operation::kCopyD2h:
      return {LinkEnd::kDevice, memory};
    case Operation::kCopyP2p:
      return {LinkEnd::kDevice, LinkEnd::kPeer};
    default:
      return {LinkEnd::kZeroes, LinkEnd::kDevice};
  }
}

}  // namespace

Links::Links(Calendar& calendar, const AsRun& machine, int device, Listener& listener)
    : calendar_(calendar), device_(device), listener_(listener) {
  Platform::instance().have_devices(device + 1);
  const auto set = [device](LinkName name, double bandwidth) {
    if (bandwidth > 0) Platform::instance().link(name, device)->set_bandwidth(bandwidth);
  };
  if (machine.links) {
    const mechanism::Links& rates = *machine.links;
    set(LinkName::kH2d, rates.h2d_bandwidth);
    set(LinkName::kD2h, rates.d2h_bandwidth);
    set(LinkName::kDuplex, rates.duplex_bandwidth > 0 ? rates.duplex_bandwidth : rates.h2d_bandwidth + rates.d2h_bandwidth);
    set(LinkName::kP2p, rates.p2p_bandwidth);
    set(LinkName::kStaging, rates.staging_bandwidth);
  }
  if (machine.copies) set(LinkName::kMemset, machine.copies->memset_bandwidth);
}

Links::~Links() { Platform::instance().activities().forget(*this); }

void Links::start(std::uint32_t flow, Operation operation, bool pageable, Bytes bytes) {
  Platform& platform = Platform::instance();
  const Way ends = way(operation, pageable);
  const simgrid::s4u::CommPtr copy = simgrid::s4u::Comm::sendto_init(platform.end(ends.from, device_), platform.end(ends.to, device_));
  copy->set_payload_size(static_cast<std::uint64_t>(bytes.count));
  platform.activities().start(copy, *this, flow);
}

void Links::activity_ended(std::uint32_t flow, double date) {
  calendar_.schedule(calendar_.next_whole(date), EventKind::kCopyEnd, flow, *this);
}

void Links::handle(EventKind /*kind*/, std::uint32_t flow, TimePoint now) { listener_.flow_ended(flow, now); }

}  // namespace tasktwin::sim
