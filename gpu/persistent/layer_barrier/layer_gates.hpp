#pragma once

#include <cstdint>

#include "gpu/cuda/device_word.hpp"
#include "models/base/host_device.hpp"

namespace tasktwin::gpu {

/// The barriers between layers, one after each but the last. A barrier is a counter of its own, at which every worker arrives
/// once, when it has published its last task of the layer, or has none in it; the last to arrive opens the next layer.
///
/// Whatever the skew: no layer is empty, so none has all arrivals before it is open itself, since a worker that has a task in it
/// arrives only after that. Workers without tasks in a layer may therefore arrive as early as they like, and in whatever
/// order, and nothing is ever reset. Words that say what is open only grow, so it does not matter whose write comes last.
///
/// Lane-level: any thread may call.
struct LayerGates {
  std::uint32_t* arrived;  ///< by layer: workers that are through with it
  std::uint32_t* words;    ///< word_count() of them, kWordStride apart: the highest layer that is open
  std::uint32_t workers;
  std::uint32_t layers;
  std::uint32_t closed_layer;  ///< sabotage: never opens; 0 for none

  /// The number of workers that look at one word: fewer make the opener write more words, more make the word's line a crowded one.
  static constexpr std::uint32_t kWorkersPerWord = 8;
  static constexpr std::uint32_t kWordStride = 32;  ///< a 128-byte line each

  TASKTWIN_HOST_DEVICE static constexpr std::uint32_t word_count(std::uint32_t workers) {
    return (workers + kWorkersPerWord - 1) / kWorkersPerWord;
  }

  /// A worker is through with `layer`; true for the last, who must open the next. Contract: once a worker and layer, not for the
  /// last layer, and after a fence that releases what the worker has done.
  TASKTWIN_HOST_DEVICE bool arrive(std::uint32_t layer) const {
    return DeviceWord(arrived[layer]).fetch_add(1, kRelaxed) + 1 == workers && layer + 1 != closed_layer;
  }

  /// For the workers that look at `word`; to be called for every word. Contract: what arrive() read has been acquired, by a fence
  /// before this call.
  TASKTWIN_HOST_DEVICE void open(std::uint32_t layer, std::uint32_t word) const {
    DeviceWord(words[word * kWordStride]).fetch_max(layer, kRelease);
  }

  /// The highest layer that `worker` sees open; all that was done in lower ones is visible then.
  TASKTWIN_HOST_DEVICE std::uint32_t seen(std::uint32_t worker) const {
    return DeviceWord(words[worker / kWorkersPerWord * kWordStride]).load(kAcquire);
  }
};

}  // namespace tasktwin::gpu
