#include "models/base/planted.hpp"

namespace tasktwin {

Planted planted() { return Planted::kNone; }

}  // namespace tasktwin
