#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "models/base/error.hpp"

namespace tasktwin::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) { return {reinterpret_cast<const char*>(data), size}; }

/// What a fuzzer returns of an input that libFuzzer shall not start from again.
inline constexpr int kNotKept = -1;

/// Runs `work`; refusing its input is a right answer. Whether it was let pass.
template <class Work>
bool may_refuse(Work&& work) {
  try {
    work();
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// The same as what a fuzzer returns. Of what is refused little is kept, by its bytes one in 32: refusals are many and small, and crowd out
/// the right files, one step from which readers go wrong.
inline int kept(bool passed, std::string_view text) {
  std::uint32_t sum = 2166136261;  // FNV-1a
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619;
  return passed || (sum >> 8) % 32 == 0 ? 0 : kNotKept;
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
