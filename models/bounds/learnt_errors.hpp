#pragma once

#include <array>
#include <string_view>

namespace tasktwin {

/// Of a mechanism's recordings: the half-width of 95 % intervals, of the logarithm of measured over predicted, and how many they are.
struct LearntError {
  std::string_view mechanism;
  double half_width;
  int cases;
};

// Written by scripts/errors.py, of python/tasktwin/errors.csv.
inline constexpr std::array kLearntErrors{
    LearntError{"cuda_graph/events", 0.072240264148510508, 60},
    LearntError{"device_graph_launch/counters", 0.18745965584352162, 52},
    LearntError{"dynamic_parallelism/counters", 0.12476241282716945, 62},
    LearntError{"host_dispatcher/dispatcher", 0.16523051581519829, 52},
    LearntError{"persistent/barrier/per_worker", 0.053351331747006826, 76},
    LearntError{"persistent/counters/per_worker", 0.059827018857432919, 162},
    LearntError{"persistent/counters/per_worker_and_shared", 0.12407229433456901, 76},
    LearntError{"persistent/counters/shared", 0.056705212731560421, 86},
    LearntError{"persistent/dispatcher/shared", 0.082569914413856346, 86},
    LearntError{"streams/events", 0.55171366834562041, 100},
};

}  // namespace tasktwin
