#pragma once

namespace tasktwin {

/// A fault that tests plant into what is worked out, for the checks of runs to tell.
enum class Planted { kNone, kEdge, kBound, kCause };

/// None. Executables of tests have a definition of their own, which the linker takes in place of the library's.
Planted planted();

}  // namespace tasktwin
