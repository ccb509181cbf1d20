#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/base/error.hpp"

namespace tasktwin::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// Runs `work`; refusing its input is a right answer.
template <class Work>
void may_refuse(Work&& work) {
  try {
    work();
  } catch (const InputError&) {
  }
}

/// A bug that lies behind a condition: a build with TASKTWIN_PLANTED_BUG has it, and the fuzzer must find it.
inline void planted_bug([[maybe_unused]] bool reached) {
#ifdef TASKTWIN_PLANTED_BUG
  if (reached) std::abort();
#endif
}

/// Something is wrong that is no crash.
inline void expect(bool right) {
  if (!right) std::abort();
}

}  // namespace tasktwin::fuzz
