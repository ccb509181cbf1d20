#pragma once

namespace tasktwin::verify {

/// The environment's variable that says after how many seconds a call of a policy counts as one that never returns; by default 60.
inline constexpr char kPolicySeconds[] = "TASKTWIN_POLICY_SECONDS";

/// From here on a policy of the user's own that does not return, dies of a signal or calls exit() ends the process with code 2 and a
/// message that names the call. Processes forked from this one end silently, since this one then makes the same call.
void guard_policies();

}  // namespace tasktwin::verify
