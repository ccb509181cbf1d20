#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <deque>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verify/pool/batch.hpp"
#include "verify/pool/process_pool.hpp"

namespace tasktwin::verify {

namespace {

bool send_bytes(int socket, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t sent = ::send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool receive_bytes(int socket, char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t received = ::recv(socket, bytes, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return false;
    bytes += received;
    count -= static_cast<std::size_t>(received);
  }
  return true;
}

bool send_batch(int socket, const Batch& batch) {
  std::string message = to_bytes(batch);
  const std::uint64_t bytes = message.size();
  message.insert(0, reinterpret_cast<const char*>(&bytes), sizeof bytes);
  return send_bytes(socket, message.data(), message.size());
}

/// nullopt where the other end is gone.
std::optional<Batch> receive_batch(int socket) {
  std::uint64_t bytes = 0;
  if (!receive_bytes(socket, reinterpret_cast<char*>(&bytes), sizeof bytes)) return std::nullopt;
  std::string message(bytes, '\0');
  if (!receive_bytes(socket, message.data(), message.size())) return std::nullopt;
  return batch_from(message);
}

/// Serves in this process.
class OneProcess : public Pool {
 public:
  explicit OneProcess(Serve serve) : serve_(std::move(serve)) {}

  void ask(std::size_t count, const Request& request, const Take& take) override {
    for (std::size_t i = 0; i < count; ++i) take(i, serve_(request(i)));
  }

 private:
  Serve serve_;
};

/// Each process has a batch of requests in work and one waiting, so that it never waits for this one.
class ForkedPool : public Pool {
 public:
  ForkedPool(Serve serve, std::size_t processes) : serve_(std::move(serve)) {
    for (std::size_t i = 0; i < processes && add_process(); ++i) {
    }
  }

  ~ForkedPool() override {
    for (const Process& process : processes_) {
      if (!process.asked.empty()) ::kill(process.id, SIGKILL);  // an interrupt or an error has ended ask(): its answers are not needed
      ::close(process.socket);
    }
    for (const Process& process : processes_) {
      while (::waitpid(process.id, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }

  void ask(std::size_t count, const Request& request, const Take& take) override {
    Batches batches(count, request, kAhead * std::max<std::size_t>(1, processes_.size()));
    std::vector<std::size_t> left;  // for this process
    for (std::size_t round = 0; round < kAhead; ++round) {
      for (Process& process : processes_) hand_out(process, batches);
    }
    while (std::ranges::any_of(processes_, [](const Process& process) { return !process.asked.empty(); })) {
      for (Process* const process : answering()) {
        std::optional<Batch> answers = receive_batch(process->socket);
        if (!answers) {
          left.insert(left.end(), process->asked.begin(), process->asked.end());
          process->asked.clear();
          process->gone = true;
          continue;
        }
        process->asked.erase(process->asked.begin(), process->asked.begin() + std::ssize(answers->parts));
        batches.learn(*answers);
        hand_out(*process, batches);
        for (Batch::Part& part : answers->parts) {
          if (part.answered)
            take(part.number, std::move(part.text));
          else
            left.push_back(part.number);
        }
      }
    }
    while (batches.any_left()) left.push_back(batches.next());  // everybody is gone
    for (const std::size_t number : left) take(number, serve_(request(number)));
  }

 private:
  static constexpr std::size_t kAhead = 2;

  struct Process {
    pid_t id = 0;
    int socket = -1;
    bool gone = false;
    std::deque<std::size_t> asked = {};
  };

  bool add_process() {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return false;
    const pid_t parent = ::getpid();
    const pid_t id = ::fork();
    if (id == 0) {
      for (const Process& other : processes_) ::close(other.socket);  // so that they see this process's end
      ::close(sockets[0]);
      serve_forever(sockets[1], parent);
    }
    ::close(sockets[1]);
    if (id < 0) {
      ::close(sockets[0]);
      return false;
    }
    processes_.push_back({id, sockets[0]});
    return true;
  }

  /// Ends with this process, however that ends, and leaves the clean-up of an interrupt to it.
  [[noreturn]] void serve_forever(int socket, pid_t parent) const {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    while (std::optional<Batch> requests = receive_batch(socket)) {
      if (!send_batch(socket, served(serve_, std::move(*requests)))) break;
    }
    ::_exit(0);
  }

  static void hand_out(Process& process, Batches& batches) {
    if (!batches.any_left() || process.gone) return;
    const Batch batch = batches.next_batch();
    for (const Batch::Part& part : batch.parts) process.asked.push_back(part.number);
    process.gone = !send_batch(process.socket, batch);
  }

  std::vector<Process*> answering() {
    std::vector<pollfd> waits;
    for (const Process& process : processes_) waits.push_back({process.asked.empty() ? -1 : process.socket, POLLIN, 0});
    while (::poll(waits.data(), waits.size(), -1) < 0 && errno == EINTR) {
    }
    std::vector<Process*> ready;
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents != 0) ready.push_back(&processes_[i]);
    }
    return ready;
  }

  Serve serve_;
  std::vector<Process> processes_;
};

}  // namespace

std::unique_ptr<Pool> make_pool(Pool::Serve serve, std::size_t processes) {
  if (processes == 0) processes = std::max(1u, std::thread::hardware_concurrency());
  if (processes == 1) return std::make_unique<OneProcess>(std::move(serve));
  return std::make_unique<ForkedPool>(std::move(serve), processes);
}

}  // namespace tasktwin::verify
