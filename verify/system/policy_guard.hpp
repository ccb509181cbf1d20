#pragma once

namespace tasktwin::verify {

/// From here on a policy of the user's own that does not return within policy_limit(), dies of a signal or calls exit() ends the process
/// with code 2 and a message that names the call. Processes forked from this one end silently, since this one then makes the same call.
void guard_policies();

}  // namespace tasktwin::verify
