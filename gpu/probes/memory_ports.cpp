#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include <boost/pending/disjoint_sets.hpp>

#include "gpu/probes/memory_probes.hpp"
#include "gpu/probes/memory_readers.hpp"

namespace tasktwin::gpu {

namespace {

double sum(std::span<const double> rates) { return std::accumulate(rates.begin(), rates.end(), 0.0); }

/// Multiprocessors that blocks of a cluster have been seen on together, the largest sets first.
std::vector<Multiprocessors> cluster_sets(const MemoryReaders& readers) {
  boost::disjoint_sets_with_storage<> seen(readers.count());
  for (const std::uint32_t size : {16U, 8U, 4U, 2U}) {
    for (std::uint32_t blocks = size; blocks <= readers.count(); blocks += size) {
      const std::vector<std::uint32_t> places = readers.places(blocks, size);
      for (std::uint32_t i = 0; i < blocks; ++i) seen.union_set(std::size_t{places[i]}, std::size_t{places[i / size * size]});
    }
  }
  std::map<std::size_t, Multiprocessors> by_member;
  for (std::uint32_t i = 0; i < readers.count(); ++i) by_member[seen.find_set(std::size_t{i})].push_back(i);
  std::vector<Multiprocessors> sets;
  for (auto& [first, set] : by_member) sets.push_back(std::move(set));
  std::ranges::stable_sort(sets, std::greater{}, &Multiprocessors::size);
  return sets;
}

/// What a port carries: the median over sets that would draw more alone; 0 where none is held back.
double port_bandwidth(const MemoryReaders& readers, const std::vector<Multiprocessors>& sets, double alone) {
  std::vector<double> carried;
  for (const Multiprocessors& set : sets) {
    const double total = sum(readers.rates(set));
    if (total < 0.85 * alone * static_cast<double>(set.size())) carried.push_back(total);
  }
  if (carried.empty()) return 0;
  std::ranges::sort(carried);
  return carried[carried.size() / 2];
}

/// Sets at one port slow each other down alike, and draw no more together than it carries. The small ones, which could not fill a port
/// with another, are tried all at once.
void unite_by_port(const MemoryReaders& readers, const std::vector<Multiprocessors>& sets, double alone, double port,
                   boost::disjoint_sets_with_storage<>& ports) {
  const auto is_small = [&](const Multiprocessors& set) { return 4 * alone * static_cast<double>(set.size()) < port; };
  const auto first_small = static_cast<std::size_t>(std::ranges::find_if(sets, is_small) - sets.begin());
  const auto try_with = [&](std::size_t one, std::size_t from, std::size_t to) {
    Multiprocessors all = sets[one];
    for (std::size_t i = from; i < to; ++i) all.insert(all.end(), sets[i].begin(), sets[i].end());
    const std::vector<double> rates = readers.rates(all);
    const auto own = std::span(rates).first(sets[one].size());
    const double own_mean = sum(own) / static_cast<double>(own.size());
    std::size_t at = own.size();
    for (std::size_t i = from; i < to; ++i) {
      const auto its = std::span(rates).subspan(at, sets[i].size());
      at += its.size();
      const bool alike = sum(its) / static_cast<double>(its.size()) < 1.05 * own_mean;
      if (alike && own_mean < 0.9 * alone && sum(own) + sum(its) < 1.07 * port) ports.union_set(one, i);
    }
  };
  for (std::size_t one = 0; one < first_small; ++one) {
    for (std::size_t other = one + 1; other < first_small; ++other) try_with(one, other, other + 1);
    try_with(one, first_small, sets.size());
  }
}

/// Where the first block of a kernel goes, the first two, and so on to all.
std::vector<Multiprocessors> placements_of(const MemoryReaders& readers) {
  std::vector<Multiprocessors> placements;
  for (std::uint32_t blocks = 1; blocks <= readers.count(); ++blocks) placements.push_back(readers.places(blocks, 1));
  return placements;
}

/// The set of each further block. Which of a set's multiprocessors a block takes varies from launch to launch, but hardly how many of each
/// set's n blocks take.
template <class SetOf>
std::vector<int> by_placement(const std::vector<Multiprocessors>& placements, std::size_t sets, const SetOf& set_of) {
  std::vector<int> result;
  std::vector<int> taken(sets);
  for (const Multiprocessors& places : placements) {
    std::vector<int> more(sets);
    for (const std::uint32_t place : places) ++more[set_of(place)];
    for (std::size_t i = 0; i < sets; ++i) more[i] -= taken[i];
    const auto next = static_cast<std::size_t>(std::ranges::max_element(more) - more.begin());
    ++taken[next];
    result.push_back(static_cast<int>(next));
  }
  return result;
}

}  // namespace

MemoryPortProbe probe_memory_ports() {
  int clusters = 0;
  check(cudaDeviceGetAttribute(&clusters, cudaDevAttrClusterLaunch, 0), "asking for the GPU's properties");
  if (clusters == 0) return {};
  const MemoryReaders readers;
  const std::vector<Multiprocessors> sets = cluster_sets(readers);
  const double alone = readers.rates({0}).front();
  const double port = port_bandwidth(readers, sets, alone);
  boost::disjoint_sets_with_storage<> ports(sets.size());
  if (port > 0) unite_by_port(readers, sets, alone, port, ports);

  std::vector<std::size_t> set_of(readers.count());
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const std::uint32_t one : sets[i]) set_of[one] = i;
  }
  MemoryPortProbe probe{.by_placement = {}, .bytes_per_ns = port};
  const std::vector<Multiprocessors> placements = placements_of(readers);
  probe.groups_by_placement = by_placement(placements, sets.size(), [&](std::uint32_t place) { return set_of[place]; });
  if (port > 0)
    probe.by_placement = by_placement(placements, sets.size(), [&](std::uint32_t place) { return ports.find_set(set_of[place]); });
  return probe;
}

}  // namespace tasktwin::gpu
