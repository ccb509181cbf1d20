#pragma once

#include <cstdint>
#include <optional>

#include "models/cost/collective_flows.hpp"

namespace tasktwin {

/// What a collective of one node takes alone under algorithm `automatic`, by the machine's collective_times of its kind and way of
/// launching; nullopt where these have no table of as many ranks or fewer, and there is no multicast either.
///
/// Of as many ranks as a table has: linear between points, the first's time before the first, beyond the last on as between the last two,
/// and where these tell nothing of bytes (ends_before) no less than the links need.
/// Of ranks between two tables: the same bytes, as far between their times as its rounds are between theirs, 2 (n - 1) for all_reduce and
/// n - 1 for the others. Of more ranks: CollectiveLaw.
///
/// Multicast (Devices::multicast; an all_reduce of three ranks or more), where that is quicker: CollectiveLaw::by_multicast. Tables of more
/// ranks then tell nothing, as they may have taken the other way.
std::optional<Nanoseconds> measured_collective(const Machine& machine, const Collective& collective, bool in_graph);

/// Bytes in and out of each device for a multicast all_reduce: it sends all of its bytes, and one n-th as the sum, and gets one n-th as
/// the sum and all of the result.
constexpr double multicast_bytes(double bytes, int ranks) { return bytes * (1 + 1.0 / ranks); }

/// Of a table of collective_times, linear as above.
Nanoseconds tabled_time(const CollectiveTimes& table, double bytes);

/// Whether so many bytes are more than the table has, and its last two sizes do not say what further bytes take: they are small, or do not
/// take longer one than the other.
bool ends_before(const CollectiveTimes& table, std::int64_t bytes);

/// ns a byte of a message from device to device (`send_recv`): the slope between the two largest that were measured; 0 where none is large.
double message_ns(const Machine& machine, bool in_graph);

/// How steps and bytes of a ring add up.
struct RingPace {
  double step = 0;     ///< ns a step
  double send = 0;     ///< ns a byte that a rank sends
  double receive = 0;  ///< ns a byte that the last step brings: it moves within the device, and no further step hides that
};

/// A collective of more ranks than were measured, by the table of the most ranks, m, and that of the second most, if there is one.
///
/// In each of k(n) rounds, 2 (n - 1) for all_reduce and n - 1 for all_gather, reduce_scatter and all_to_all, a rank sends one n-th of the
/// bytes S. With T(n, S) = rest(S) + k(n) · step + (k(n) · send + receive) · S / n, and the rest as measured with m ranks,
///
///     T(n, S) = T(m, S) + (k(n) - k(m)) · step + ((k(n) · send + receive) / n - (k(m) · send + receive) / m) · S.
///
/// A library chooses how to send by all of the bytes (LL, LL128, Simple), so that the rest is that of the same bytes; an all_to_all by
/// those for each pair: T(n, S) = T(m, S m / n) + (n - m) · send · S / n.
///
/// With two tables steps and bytes are theirs, a step of S bytes no less than one of few, and there is a second reading, without any law
/// of bytes: a step with parts of S / n bytes takes as long with any number of ranks, so T = rest(S / n) + k(n) · step(S / n), which two
/// tables solve. The lesser of both counts, since a library goes over to another way of sending where that is quicker. Broadcasts, which
/// pass all bytes on from rank to rank, take further steps alone.
class CollectiveLaw {
 public:
  /// Contract: `many` has fewer ranks than the collective, and `few`, null for none, fewer than `many`; all of one kind.
  CollectiveLaw(const Machine& machine, const Collective& collective, const CollectiveTimes* few, const CollectiveTimes& many,
                bool in_graph);

  Nanoseconds time() const;
  /// What of the measured time is neither steps nor bytes sent, the multicast's latency, and multicast_bytes in and out of each device.
  Nanoseconds by_multicast() const;

 private:
  RingPace stated_pace(const Machine& machine, bool in_graph) const;
  RingPace measured_pace(const RingPace& stated) const;
  double rounds(int ranks) const;
  double of_bytes(int ranks) const;

  const Collective& what_;
  const CollectiveTimes* few_;
  const CollectiveTimes& many_;
  int ranks_;
  double bytes_;
  RingPace pace_;
};

}  // namespace tasktwin
