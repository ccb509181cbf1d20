#pragma once

#include "scenarios/generators/parts/generator.hpp"

namespace tasktwin::scenarios {

/// Right-looking tiled Cholesky factorisation A = L·Lᵀ of a matrix of tiles × tiles tiles. With n = tiles:
/// n potrf, n(n − 1)/2 trsm and as many syrk, n(n − 1)(n − 2)/6 gemm: n(n + 1)(n + 2)/6 tasks;
/// (n − 1) + 2(n − 1)² + n(n − 1)(n − 2)/3 + (n − 1)(n − 2)(n − 3)/6 edges: each task after the last writer of every tile it
/// reads or updates (no finished tile is ever written again, so readers delay no writer).
/// Floating-point operations, with b = tile_size: potrf b³/3, trsm b³, syrk b³ + b², gemm 2b³. Bytes are 0: tiles live in
/// the cache, and their movement is part of the kernels' measured times.
TaskGraph make_cholesky(const CholeskyProblem& problem);

}  // namespace tasktwin::scenarios
