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

#include "verify/pool/pool.hpp"

namespace tasktwin::verify {

namespace {

/// In front of each request and answer.
struct Head {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;
  bool answered = true;  ///< false where serving it has thrown
};

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

struct Message {
  Head head;
  std::string text;
};

bool send_message(int socket, Message message) {
  message.head.bytes = message.text.size();
  message.text.insert(0, reinterpret_cast<const char*>(&message.head), sizeof message.head);
  return send_bytes(socket, message.text.data(), message.text.size());
}

/// nullopt where the other end is gone.
std::optional<Message> receive_message(int socket) {
  Message message;
  if (!receive_bytes(socket, reinterpret_cast<char*>(&message.head), sizeof message.head)) return std::nullopt;
  message.text.resize(message.head.bytes);
  if (!receive_bytes(socket, message.text.data(), message.text.size())) return std::nullopt;
  return message;
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

/// Each process has a request in work and one waiting, so that it never waits for this one.
class ForkedPool : public Pool {
 public:
  ForkedPool(Serve serve, std::size_t processes) : serve_(std::move(serve)) {
    for (std::size_t i = 0; i < processes && add_process(); ++i) {
    }
  }

  ~ForkedPool() override {
    for (const Process& process : processes_) {
      if (!process.asked.empty()) ::kill(process.id, SIGKILL);  // an interrupt or an error has ended ask(): nobody waits for its answers
      ::close(process.socket);
    }
    for (const Process& process : processes_) {
      while (::waitpid(process.id, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }

  void ask(std::size_t count, const Request& request, const Take& take) override {
    std::size_t next = 0;
    std::vector<std::size_t> left;  // for this process
    for (std::size_t round = 0; round < kAhead; ++round) {
      for (Process& process : processes_) hand_out(process, next, count, request);
    }
    while (std::ranges::any_of(processes_, [](const Process& process) { return !process.asked.empty(); })) {
      for (Process* const process : answering()) {
        std::optional<Message> message = receive_message(process->socket);
        if (!message) {
          left.insert(left.end(), process->asked.begin(), process->asked.end());
          process->asked.clear();
          process->gone = true;
          continue;
        }
        process->asked.pop_front();
        hand_out(*process, next, count, request);
        if (message->head.answered)
          take(message->head.number, std::move(message->text));
        else
          left.push_back(message->head.number);
      }
    }
    for (; next < count; ++next) left.push_back(next);  // everybody is gone
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

  /// Ends with this process, whatever ends it, and leaves what an interrupt has to clean up to it.
  [[noreturn]] void serve_forever(int socket, pid_t parent) const {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(0);
    while (std::optional<Message> message = receive_message(socket)) {
      try {
        message->text = serve_(message->text);
      } catch (...) {  // this process's parent works it out again, and says so
        message->head.answered = false;
        message->text.clear();
      }
      if (!send_message(socket, std::move(*message))) break;
    }
    ::_exit(0);
  }

  static void hand_out(Process& process, std::size_t& next, std::size_t count, const Request& request) {
    if (next >= count || process.gone) return;
    process.asked.push_back(next);
    process.gone = !send_message(process.socket, {{.number = next}, request(next)});
    ++next;
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
