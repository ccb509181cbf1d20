#include "verify/pool/mpi_job.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "models/base/error.hpp"
#include "verify/pool/batch.hpp"

#ifdef TASKTWIN_HAS_MPI
#include <mpi.h>
#endif

namespace tasktwin::verify {

namespace {

bool was_started_by_mpi() {
  return std::ranges::any_of(std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"},
                             [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

#ifndef TASKTWIN_HAS_MPI

bool MpiJob::is_part_of_one() {
  if (was_started_by_mpi()) throw InputError("this build has no MPI; install libopenmpi-dev and build again, or use --jobs");
  return false;
}
MpiJob::MpiJob() = default;
MpiJob::~MpiJob() = default;
std::unique_ptr<Pool> MpiJob::make_pool(Pool::Serve serve) const { return verify::make_pool(std::move(serve), 1); }
void MpiJob::serve(const Pool::Serve&) const {}

#else

namespace {

enum Tag : int { kBatch, kEnd };

struct Message {
  int from = 0;
  int tag = 0;
  std::string text;
};

void send(int to, Tag tag, const std::string& text) {
  MPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

Message receive(int from) {
  MPI_Status status;
  MPI_Probe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  Message message{status.MPI_SOURCE, status.MPI_TAG, std::string(static_cast<std::size_t>(bytes), '\0')};
  MPI_Recv(message.text.data(), bytes, MPI_BYTE, message.from, message.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return message;
}

bool has_come() {
  int flag = 0;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

/// Each process has a batch of requests in work and one waiting, so that it need not wait for this one, which serves too.
class MpiPool : public Pool {
 public:
  MpiPool(Serve serve, int processes) : serve_(std::move(serve)), processes_(processes) {}

  ~MpiPool() override {
    for (int other = 1; other < processes_; ++other) send(other, kEnd, "");
  }

  void ask(std::size_t count, const Request& request, const Take& take) override {
    constexpr int kAhead = 2;
    Batches batches(count, request, static_cast<std::size_t>(kAhead * processes_));
    std::size_t under_way = 0;
    const auto hand_out = [&](int to) {
      if (!batches.any_left()) return;
      send(to, kBatch, to_bytes(batches.next_batch()));
      ++under_way;
    };
    for (int round = 0; round < kAhead; ++round) {
      for (int other = 1; other < processes_; ++other) hand_out(other);
    }
    while (under_way > 0 || batches.any_left()) {
      if (batches.any_left() && !has_come()) {
        const std::size_t own = batches.next();
        take(own, serve_(request(own)));
        continue;
      }
      const Message message = receive(MPI_ANY_SOURCE);
      Batch answers = batch_from(message.text);
      --under_way;
      batches.learn(answers);
      hand_out(message.from);
      for (Batch::Part& part : answers.parts) take(part.number, part.answered ? std::move(part.text) : serve_(request(part.number)));
    }
  }

 private:
  Serve serve_;
  int processes_;
};

}  // namespace

bool MpiJob::is_part_of_one() { return was_started_by_mpi(); }

MpiJob::MpiJob() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &processes_);
}

MpiJob::~MpiJob() { MPI_Finalize(); }

std::unique_ptr<Pool> MpiJob::make_pool(Pool::Serve serve) const { return std::make_unique<MpiPool>(std::move(serve), processes_); }

void MpiJob::serve(const Pool::Serve& serve) const {
  for (Message message = receive(0); message.tag != kEnd; message = receive(0))
    send(0, kBatch, to_bytes(served(serve, batch_from(message.text))));
}

#endif

}  // namespace tasktwin::verify
