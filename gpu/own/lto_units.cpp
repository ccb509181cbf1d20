#include "gpu/own/lto_units.hpp"

#include <algorithm>
#include <array>

// The fat binaries, as gpu/own/lto.cmake has them made in TASKTWIN_LTO_FOLDER.
#define TASKTWIN_LTO_UNIT(name)                                                                                                      \
  extern "C" const char tasktwin_lto_##name[];                                                                                       \
  extern "C" const char tasktwin_lto_end_##name[];                                                                                   \
  __asm__(".pushsection .rodata\n.balign 16\n.globl tasktwin_lto_" #name "\ntasktwin_lto_" #name ":\n.incbin \"" TASKTWIN_LTO_FOLDER \
          "/" #name ".fatbin\"\n.globl tasktwin_lto_end_" #name "\ntasktwin_lto_end_" #name ":\n.popsection\n");
TASKTWIN_LTO_UNITS
#undef TASKTWIN_LTO_UNIT

namespace tasktwin::gpu {

const LtoUnit& lto_unit(std::string_view name) {
#define TASKTWIN_LTO_UNIT(unit) LtoUnit{#unit, {tasktwin_lto_##unit, tasktwin_lto_end_##unit}},
  static const std::array units{TASKTWIN_LTO_UNITS};
#undef TASKTWIN_LTO_UNIT
  return *std::ranges::find(units, name, &LtoUnit::name);
}

int lto_capability() { return TASKTWIN_LTO_CAPABILITY; }

}  // namespace tasktwin::gpu
