#pragma once

#include "models/bounds/core_work.hpp"

namespace tasktwin {

/// Where tasks may run on either of two core types: the least T for which some split of each task between them fits, as a
/// linear programme. Tasks of equal types, times and room are one variable, the part of them that runs on their own type;
///     for each type:  work of the parts on it <= T · room on its cores
///     for clusters:   work of the `mix` tasks <= T · clusters
///     T >= critical_path, with each task's shorter time
/// (Agullo, Beaumont, Eyraud-Dubois, Kumar: "Are static schedules so bad? A case study on Cholesky factorization", IPDPS 2016,
/// first INRIA RR 2015: its mixed bound, with areas and critical path.)
Duration mixed_bound(const CoreWork& work, Duration critical_path);

}  // namespace tasktwin
