#pragma once

#include <memory>
#include <stdexcept>

namespace tasktwin::gpu {

/// What runs on the GPU may never end, and nothing but the end of the process ends it. Destroying what it uses would wait for it, in
/// the driver and without an end, so nobody catches this on its way to main but use_or_leave().
class UnendedRun : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// use(*owned). What an unended run uses is left as it is, for the end of the process.
template <class Owned, class Use>
auto use_or_leave(std::unique_ptr<Owned> owned, Use use) {
  try {
    return use(*owned);
  } catch (const UnendedRun&) {
    static_cast<void>(owned.release());
    throw;
  }
}

}  // namespace tasktwin::gpu
