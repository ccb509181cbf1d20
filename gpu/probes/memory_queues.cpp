#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>

#include <boost/pending/disjoint_sets.hpp>

#include "gpu/host/timed_calls.hpp"
#include "gpu/probes/memory_probes.hpp"
#include "gpu/probes/memory_readers.hpp"

namespace tasktwin::gpu {

namespace {

constexpr double kQuicker = 1.08;  // than before, or than another, by more than chance: one of six fewer in a queue makes 1.2
constexpr std::size_t kLeftAlone = 8;

Multiprocessors all_of(const MemoryReaders& readers) {
  Multiprocessors all(readers.count());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

/// Of each multiprocessor, how much quicker it proceeds where one of all is silent than it usually does: [silent][multiprocessor], 1 for
/// the silent one itself.
std::vector<std::vector<double>> gains_by_silent(const MemoryReaders& readers, const Multiprocessors& all) {
  std::vector<std::vector<double>> gains;
  for (const std::uint32_t silent : all) {
    Multiprocessors others = all;
    others.erase(others.begin() + silent);
    gains.push_back(readers.rates(others));
    gains.back().insert(gains.back().begin() + silent, 0.0);
  }
  for (const std::uint32_t one : all) {
    std::vector<double> rates;
    for (const std::uint32_t silent : all) {
      if (silent != one) rates.push_back(gains[silent][one]);
    }
    const double usual = median(std::move(rates));
    for (const std::uint32_t silent : all) gains[silent][one] = silent == one ? 1 : gains[silent][one] / usual;
  }
  for (std::vector<double>& at_once : gains) {
    const double pace = median(at_once);  // the whole memory's: it has been seen to get a seventh quicker in the midst of this
    for (double& gain : at_once) gain /= pace;
  }
  return gains;
}

/// Two are in one queue where each runs quicker while the other is silent: it takes nothing from those of other queues that they would
/// notice. One direction alone is not believed, as one false gain would make two queues one.
std::vector<Multiprocessors> queues_of(const MemoryReaders& readers) {
  const Multiprocessors all = all_of(readers);
  const std::vector<std::vector<double>> gains = gains_by_silent(readers, all);
  boost::disjoint_sets_with_storage<> seen(all.size());
  for (const std::uint32_t one : all) {
    for (const std::uint32_t other : all) {
      if (std::sqrt(gains[one][other] * gains[other][one]) > kQuicker) seen.union_set(std::size_t{one}, std::size_t{other});
    }
  }
  std::map<std::size_t, Multiprocessors> by_member;
  for (const std::uint32_t one : all) by_member[seen.find_set(std::size_t{one})].push_back(one);
  std::vector<Multiprocessors> queues;
  for (auto& [member, queue] : by_member) queues.push_back(std::move(queue));
  return queues;
}

/// The rate that the bytes in flight of a queue draw alone: while the others read, one that is alone in its queue is slowed by the memory
/// only, and a full queue by that and by its limit. 0 where no queue is full.
double queue_bandwidth(const MemoryReaders& readers, const std::vector<Multiprocessors>& queues) {
  const double alone = readers.rates({0}).front();
  std::vector<double> found;
  for (std::size_t chosen = 0; chosen < std::min(kLeftAlone, queues.size()); ++chosen) {
    Multiprocessors set{queues[chosen].front()};
    for (std::size_t i = 0; i < queues.size(); ++i) {
      if (i != chosen) set.insert(set.end(), queues[i].begin(), queues[i].end());
    }
    const std::vector<double> rates = readers.rates(set);
    std::vector<double> full;  // the smallest is through first, and the others continue with what it leaves; one alone fills no queue
    for (std::size_t i = 0, at = 1; i < queues.size(); ++i) {
      if (i == chosen) continue;
      const auto its = std::span(rates).subspan(at, queues[i].size());
      const double sum = std::accumulate(its.begin(), its.end(), 0.0);
      at += its.size();
      if (its.size() > 1 && kQuicker * sum < rates.front() * static_cast<double>(queues[i].size())) full.push_back(sum);
    }
    if (!full.empty()) found.push_back(alone * *std::ranges::min_element(full) / rates.front());
  }
  if (found.empty()) return 0;
  return median(std::move(found));
}

}  // namespace

MemoryQueueProbe probe_memory_queues() {
  const MemoryReaders readers;
  const std::vector<Multiprocessors> queues = queues_of(readers);
  MemoryQueueProbe probe{.by_multiprocessor = std::vector<int>(readers.count()), .bytes_per_ns = queue_bandwidth(readers, queues)};
  if (probe.bytes_per_ns == 0) return {};
  for (std::size_t i = 0; i < queues.size(); ++i) {
    for (const std::uint32_t one : queues[i]) probe.by_multiprocessor[one] = static_cast<int>(i);
  }
  return probe;
}

}  // namespace tasktwin::gpu
