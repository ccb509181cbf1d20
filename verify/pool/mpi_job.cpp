#include "verify/pool/mpi_job.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "models/error.hpp"

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

enum Tag : int { kRequest, kAnswer, kFailure, kEnd };

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

/// Each process has a request in work and one waiting, so that it need not wait for this one, which serves too.
class MpiPool : public Pool {
 public:
  MpiPool(Serve serve, int processes) : serve_(std::move(serve)), asked_(static_cast<std::size_t>(processes)) {}

  ~MpiPool() override {
    for (int other = 1; other < std::ssize(asked_); ++other) send(other, kEnd, "");
  }

  void ask(std::size_t count, const Request& request, const Take& take) override {
    constexpr int kAhead = 2;
    std::size_t next = 0;
    std::size_t under_way = 0;
    const auto hand_out = [&](int to) {
      if (next >= count) return;
      send(to, kRequest, request(next));
      asked_[static_cast<std::size_t>(to)].push_back(next++);
      ++under_way;
    };
    for (int round = 0; round < kAhead; ++round) {
      for (int other = 1; other < std::ssize(asked_); ++other) hand_out(other);
    }
    while (under_way > 0 || next < count) {
      if (next < count && !has_come()) {
        const std::size_t own = next++;
        take(own, serve_(request(own)));
        continue;
      }
      Message message = receive(MPI_ANY_SOURCE);
      auto& of_process = asked_[static_cast<std::size_t>(message.from)];
      const std::size_t number = of_process.front();
      of_process.pop_front();
      --under_way;
      hand_out(message.from);
      take(number, message.tag == kFailure ? serve_(request(number)) : std::move(message.text));
    }
  }

 private:
  Serve serve_;
  std::vector<std::deque<std::size_t> > asked_;  ///< by process, in the order in which it answers
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
  for (Message message = receive(0); message.tag != kEnd; message = receive(0)) {
    try {
      send(0, kAnswer, serve(message.text));
    } catch (...) {  // the first process works it out again, and says so
      send(0, kFailure, "");
    }
  }
}

#endif

}  // namespace tasktwin::verify
