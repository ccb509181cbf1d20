#include "models/runtimes/runtimes.hpp"
#include "models/runtimes/shared_axes.hpp"

namespace tasktwin {

namespace {

constexpr RuntimeForm kForms[] = {{}};

constexpr AxisUse kAxes[] = {{.axis = "pending_launches"}};

constexpr SectionUse kSections[] = {{"memory"},           {"host_calls"},    {"streams"}, {"dynamic_parallelism"},
                                    {"launched_kernels"}, {"resident_cores"}};

constexpr NamedDesign kNamed[] = {{"dynamic-parallelism", "the kernel that makes a task ready launches its kernel from the device"}};

}  // namespace

constinit const Runtime kDynamicParallelismRuntime{.id = RuntimeId::kDynamicParallelism,
                                                   .name = "dynamic-parallelism",
                                                   .meaning = "the kernel that makes a task ready launches its kernel from the device",
                                                   .driver = Driver::kDynamicParallelism,
                                                   .release = Release::kCounters,
                                                   .forms = kForms,
                                                   .axes = kAxes,
                                                   .sections = kSections,
                                                   .named = kNamed,
                                                   .simulated = {.one_core_type = true},
                                                   .gpu = {.blocks = true, .spawned = true, .footprints = Footprints::kPlain}};

}  // namespace tasktwin
