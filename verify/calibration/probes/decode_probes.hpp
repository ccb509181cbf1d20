#pragma once

#include "verify/calibration/probes/body_times.hpp"

namespace tasktwin::verify {

/// Probes of the kernels of a decode step, over Llama-3.2-1B: its matrices are far larger than the cache.

/// As many bodies make a wave.
inline constexpr int kWaveWidth = 128;
inline constexpr int kDecodeLayers = 16;

/// The model's matrices for `kernel`, cut into tiles of `rows`; whole waves of them.
BodyProbe matrix_probe(Kernel kernel, int rows);

/// The same of Llama-3.1-8B, whose rows are twice as long, those of `down` 1.75 times.
BodyProbe wide_matrix_probe(Kernel kernel, int rows);

/// Rows of another length, of a model with that many columns for `kernel`.
BodyProbe row_length_probe(Kernel kernel, int rows, int columns);

/// All the model's attention, each head's positions cut into that many slices.
BodyProbe attention_probe(int slices);

/// The same over few enough layers that their keys and values stay in the cache.
BodyProbe cached_attention_probe(int slices);

/// A wave is a merge for each of the model's heads of keys and values, after the slices' attention.
BodyProbe merge_probe(int slices);

/// `count` norms, those of `layers` layers in turn, one after the other.
BodyProbe norm_probe(int layers, int count);

/// Of a state of that width, in turn over a few layers: its weights are found in the cache.
BodyProbe norm_width_probe(int hidden);

/// The probe in a run that finds the cache empty: all keys and values of the model are read ahead of it.
BodyProbe behind_keys_and_values(BodyProbe probe);

/// A few waves of the probe in such a run.
BodyProbe uncached(BodyProbe probe);

}  // namespace tasktwin::verify
