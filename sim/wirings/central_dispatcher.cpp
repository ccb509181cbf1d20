#include "sim/control/dispatchers.hpp"
#include "sim/wirings.hpp"

namespace tasktwin::sim {

namespace {

class CentralDispatcher final : public Wiring {
 public:
  explicit CentralDispatcher(const WiringInputs& inputs) : dispatchers_(inputs) {}
  void begin() override { dispatchers_.begin(); }
  std::string failure() const override { return dispatchers_.failure(); }

 private:
  Dispatchers dispatchers_;
};

}  // namespace

std::unique_ptr<Wiring> make_central_dispatcher(const WiringInputs& inputs) { return std::make_unique<CentralDispatcher>(inputs); }

}  // namespace tasktwin::sim
