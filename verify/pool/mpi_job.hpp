#pragma once

#include <memory>

#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

/// This process as one of those that mpirun started. Where the build had no MPI there is no such thing.
class MpiJob {
 public:
  /// Whether a launcher of MPI (Open MPI, or one that speaks PMI, such as Slurm's srun) has started this process. Throws InputError where
  /// it has, and the build had no MPI.
  static bool is_part_of_one();

  MpiJob();
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  bool is_first() const { return rank_ == 0; }

  /// Of the first process: hands out, and serves itself while no answer has come. Contract: every other process is in serve().
  std::unique_ptr<Pool> make_pool(Pool::Serve serve) const;

  /// Of every other process: serves until that pool is gone.
  void serve(const Pool::Serve& serve) const;

 private:
  int rank_ = 0;
  int processes_ = 1;
};

}  // namespace tasktwin::verify
