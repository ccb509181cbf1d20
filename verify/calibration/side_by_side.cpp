#include "verify/calibration/side_by_side.hpp"

#include <algorithm>
#include <array>
#include <thread>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tasktwin::verify {

namespace {

constexpr std::size_t kMostNumbers = 1024;

bool send_all(int socket, std::span<const double> values) {
  return ::send(socket, values.data(), values.size_bytes(), MSG_NOSIGNAL) == static_cast<ssize_t>(values.size_bytes());
}

/// Empty where the other end is gone.
std::vector<double> receive(int socket) {
  std::vector<double> values(kMostNumbers);
  const ssize_t bytes = ::recv(socket, values.data(), values.size() * sizeof(double), 0);
  values.resize(bytes > 0 ? static_cast<std::size_t>(bytes) / sizeof(double) : 0);
  return values;
}

}  // namespace

SideBySide::SideBySide(std::vector<Function> functions, unsigned processes) : functions_(std::move(functions)) {
  const std::size_t wanted = processes > 0 ? processes : std::max(1u, std::thread::hardware_concurrency());
  places_ = std::clamp<std::size_t>(functions_.size(), 1, wanted);
  for (std::size_t place = 1; place < places_; ++place) {
    std::array<int, 2> sockets{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0) break;
    const pid_t id = ::fork();
    if (id == 0) {
      for (const Process& other : others_) ::close(other.socket);  // so that they see this process's end
      ::close(sockets[0]);
      serve(place, sockets[1]);
    }
    ::close(sockets[1]);
    if (id < 0) {
      ::close(sockets[0]);
      break;
    }
    others_.push_back({id, sockets[0]});
  }
}

SideBySide::~SideBySide() {
  for (const Process& other : others_) ::close(other.socket);
  for (const Process& other : others_) ::waitpid(other.id, nullptr, 0);
}

void SideBySide::serve(std::size_t place, int socket) const {
  try {
    for (;;) {
      const std::vector<double> numbers = receive(socket);
      if (numbers.empty() || !send_all(socket, share(place, numbers))) break;
    }
  } catch (...) {  // the parent works it out again, and says so
  }
  ::_exit(0);
}

std::vector<double> SideBySide::share(std::size_t place, std::span<const double> numbers) const {
  std::vector<double> values;
  for (std::size_t i = place; i < functions_.size(); i += places_) values.push_back(functions_[i](numbers));
  return values;
}

std::vector<double> SideBySide::operator()(std::span<const double> numbers) const {
  std::vector<bool> asked;
  for (const Process& other : others_) asked.push_back(send_all(other.socket, numbers));
  std::vector<double> all(functions_.size());
  for (std::size_t place = 0; place < places_; ++place) {
    std::vector<double> values;
    if (place > 0 && place <= others_.size() && asked[place - 1]) values = receive(others_[place - 1].socket);
    if (values.empty()) values = share(place, numbers);
    for (std::size_t i = 0; i < values.size(); ++i) all[place + i * places_] = values[i];
  }
  return all;
}

}  // namespace tasktwin::verify
