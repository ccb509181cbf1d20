// When a core that holds a task is given a further one: while no other dispatcher has an idle core and more than `share` tasks a core are
// left.
#include "models/policies/plug_in.hpp"

using namespace tasktwin;

const PolicyAbi tasktwin_policy_abi{};

void tasktwin_policies(PolicyTable& table) {
  table.add("careful", FillRuleOfOwn([](const rules::FillView& view, const PolicyParameters& parameters) {
              return view.idle_elsewhere == 0 && view.left > parameters.at("share") * view.cores;
            }),
            {{"share", 0.5}});
}
