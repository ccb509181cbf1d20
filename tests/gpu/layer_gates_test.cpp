// The barriers that the kernel uses, with host threads as workers.
#include "gpu/persistent/layer_barrier/layer_gates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "models/base/random.hpp"

namespace tasktwin::gpu {
namespace {

/// Which layers each worker has tasks in, ascending, and the words of the barriers between them.
struct World {
  World(std::uint32_t workers, std::uint32_t layers, std::uint64_t seed)
      : lists(workers), arrived(layers), words(LayerGates::word_count(workers) * LayerGates::kWordStride), done(layers) {
    Random random(seed);
    const double share = random.uniform();
    for (std::uint32_t layer = 0; layer < layers; ++layer) {
      lists[static_cast<std::size_t>(random.between(0, workers - 1))].push_back(layer);  // no layer is empty
      for (auto& list : lists) {
        while (random.uniform() < share / 2) list.push_back(layer);
      }
    }
    for (const auto& list : lists) {
      for (const std::uint32_t layer : list) ++done[layer].tasks;
    }
  }

  LayerGates gates(std::uint32_t closed_layer = 0) {
    return {.arrived = arrived.data(),
            .words = words.data(),
            .workers = static_cast<std::uint32_t>(lists.size()),
            .layers = static_cast<std::uint32_t>(arrived.size()),
            .closed_layer = closed_layer};
  }

  struct Layer {
    std::uint32_t tasks = 0;
    std::vector<std::uint32_t> by_worker;  ///< plain words, a worker each: only the barriers make them visible
  };
  std::vector<std::vector<std::uint32_t>> lists;
  std::vector<std::uint32_t> arrived;
  std::vector<std::uint32_t> words;
  std::vector<Layer> done;
};

class Worker {
 public:
  Worker(World& world, std::uint32_t worker, std::atomic<bool>& called_off, std::uint32_t closed_layer)
      : world_(world), gates_(world.gates(closed_layer)), worker_(worker), called_off_(called_off) {}

  void run() {
    const auto& list = world_.lists[worker_];
    arrive(0, list.empty() ? gates_.layers : list.front());
    for (std::size_t i = 0; i < list.size(); ++i) {
      while (gates_.seen(worker_) < list[i]) {
        if (called_off_) return;
        std::this_thread::yield();
      }
      early_ += list[i] > 0 && !all_done(list[i] - 1);
      ++world_.done[list[i]].by_worker[worker_];
      ++ran_;
      arrive(list[i], i + 1 < list.size() ? list[i + 1] : gates_.layers);
    }
  }

  int early() const { return early_; }
  std::uint32_t ran() const { return ran_; }

 private:
  bool all_done(std::uint32_t layer) const {
    std::uint32_t sum = 0;
    for (const std::uint32_t count : world_.done[layer].by_worker) sum += count;
    return sum == world_.done[layer].tasks;
  }

  void arrive(std::uint32_t from, std::uint32_t to) const {
    std::atomic_thread_fence(std::memory_order_release);
    for (std::uint32_t layer = from; layer < std::min(to, gates_.layers - 1); ++layer) {
      if (!gates_.arrive(layer)) continue;
      std::atomic_thread_fence(std::memory_order_acq_rel);
      for (std::uint32_t word = 0; word < LayerGates::word_count(gates_.workers); ++word) gates_.open(layer + 1, word);
    }
  }

  World& world_;
  LayerGates gates_;
  std::uint32_t worker_;
  std::atomic<bool>& called_off_;
  int early_ = 0;
  std::uint32_t ran_ = 0;
};

std::vector<Worker> run(World& world, std::uint32_t closed_layer = 0) {
  std::atomic<bool> called_off = false;
  for (auto& layer : world.done) layer.by_worker.assign(world.lists.size(), 0);
  std::vector<Worker> workers;
  for (std::uint32_t worker = 0; worker < world.lists.size(); ++worker) workers.emplace_back(world, worker, called_off, closed_layer);
  std::vector<std::thread> threads;
  for (Worker& worker : workers) threads.emplace_back([&worker] { worker.run(); });
  if (closed_layer > 0) {  // all that can run has run once everybody waits at the closed layer or has left
    const auto before = [&](std::uint32_t layer) { return layer < closed_layer; };
    for (std::uint32_t worker = 0; worker < world.lists.size(); ++worker) {
      if (!std::ranges::all_of(world.lists[worker], before)) continue;
      threads[worker].join();
    }
    while (world.gates(closed_layer).seen(0) + 1 < closed_layer) std::this_thread::yield();
    called_off = true;
  }
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  return workers;
}

TEST(LayerGates, NobodyStartsALayerBeforeAllOfTheLastIsVisibleWhateverTheSkew) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto workers = static_cast<std::uint32_t>(1 + seed % 11);
    World world(workers, static_cast<std::uint32_t>(1 + 7 * seed % 90), seed);
    std::uint32_t tasks = 0;
    for (const auto& layer : world.done) tasks += layer.tasks;
    std::uint32_t ran = 0;
    for (const Worker& worker : run(world)) {
      EXPECT_EQ(worker.early(), 0) << seed;
      ran += worker.ran();
    }
    EXPECT_EQ(ran, tasks) << seed;
  }
}

TEST(LayerGates, AClosedLayerHoldsAllBehindIt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World world(5, 12, seed);
    run(world, 6);
    for (std::uint32_t layer = 6; layer < 12; ++layer) {
      for (const std::uint32_t count : world.done[layer].by_worker) EXPECT_EQ(count, 0u) << seed;
    }
    for (const auto& word : world.words) EXPECT_LT(word, 6u) << seed;
  }
}

TEST(LayerGates, EachWorkerHasAWordAndNoMoreShareItThanMay) {
  EXPECT_EQ(LayerGates::word_count(1), 1u);
  EXPECT_EQ(LayerGates::word_count(LayerGates::kWorkersPerWord), 1u);
  EXPECT_EQ(LayerGates::word_count(LayerGates::kWorkersPerWord + 1), 2u);
}

}  // namespace
}  // namespace tasktwin::gpu
