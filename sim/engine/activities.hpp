#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <simgrid/s4u/Activity.hpp>

namespace tasktwin::sim {

/// The engine's own activities (transfers over links, shares of a bandwidth) that are in flight, and the listeners of their ends.
class Activities {
 public:
  class Owner {
   public:
    /// At the engine's date `date`, which may lie between two nanoseconds. The owner may schedule events, but start nothing.
    virtual void activity_ended(std::uint32_t id, double date) = 0;

   protected:
    ~Owner() = default;
  };

  Activities();

  void start(const simgrid::s4u::ActivityPtr& activity, Owner& owner, std::uint32_t id);
  /// Ends an execution without telling anybody. Contract: it is in flight.
  void cancel(const simgrid::s4u::ActivityPtr& activity);
  /// Ends all that are in flight without telling anybody.
  void cancel_all();
  /// Activities that `owner` started are no longer reported.
  void forget(const Owner& owner);

 private:
  struct Running {
    simgrid::s4u::ActivityPtr activity;
    Owner* owner;
    std::uint32_t id;
  };

  void ended(const simgrid::s4u::Activity& activity);

  std::unordered_map<const simgrid::s4u::Activity*, Running> running_;
  std::vector<simgrid::s4u::ActivityPtr> done_;  ///< ended at done_date_, at which the engine still has to do with them
  double done_date_ = 0;
};

}  // namespace tasktwin::sim
