#pragma once

#include <string_view>

namespace tasktwin::gpu {

/// Takes the mark of the per-thread default stream from the name of a call; whether it had one.
inline bool take_per_thread_mark(std::string_view& api) {
  const bool marked = api.ends_with("_ptsz") || api.ends_with("_ptds");
  if (marked) api.remove_suffix(5);
  return marked;
}

}  // namespace tasktwin::gpu
