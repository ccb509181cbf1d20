#include "sim/platform.hpp"

#include <chrono>
#include <csignal>

#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u/Host.hpp>
#include <simgrid/s4u/NetZone.hpp>

namespace tasktwin::sim {

Platform& Platform::instance() {
  static Platform platform;
  return platform;
}

Platform::Platform() {
  using simgrid::s4u::Engine;
  const auto interrupt = std::signal(SIGINT, SIG_DFL);
  engine_ = std::make_unique<Engine>("tasktwin");
  std::signal(SIGINT, interrupt);  // the engine's own handler ends the process with a report that nobody asked for

  // A second of the engine is a nanosecond: dates less than this apart are one date. Network: bandwidth and latency unscaled.
  Engine::set_config("surf/precision", 1e-5);
  Engine::set_config("network/model", std::string("CM02"));
  Engine::set_config("network/crosstraffic", false);
  Engine::set_config("network/TCP-gamma", 0.0);

  auto* zone = simgrid::s4u::create_full_zone("machine");
  zone->create_host("host", 1.0);
  zone->seal();
  calendar_ = std::make_shared<Calendar>();
  engine_->add_model(calendar_);
}

double Platform::run() {
  const auto begin = std::chrono::steady_clock::now();
  engine_->run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace tasktwin::sim
