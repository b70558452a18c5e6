// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/simulated_driver.h"

#include <charconv>
#include <string_view>

#include "wperf_version.h"

namespace wperf::sim {
namespace {

// The driver and the tool are one product and have the same version.
driver::CoreConfig driver_config() {
  driver::CoreConfig config{.git = kGitVersion, .features = "+trace+spe+stacks"};
  const std::string_view text = kVersion;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (u32* part : {&config.major, &config.minor, &config.patch}) {
    at = std::from_chars(at, end, *part).ptr;
    if (at != end) ++at;  // skips the point
  }
  return config;
}

}  // namespace

SimulatedDriver::SimulatedDriver(Machine& machine)
    : hal_(machine),
      rights_{.administrator = machine.options().rights == Rights::administrator},
      core_(hal_, lock_, driver_config()) {
  hal_.connect([](void* core) { static_cast<driver::Core*>(core)->on_timer(); },
               [](void* core, u32 index, const driver::InterruptedContext& interrupted) {
                 static_cast<driver::Core*>(core)->on_overflow(index, interrupted);
               },
               [](void* core, u32 index) { static_cast<driver::Core*>(core)->on_profiling_interrupt(index); },
               [](void* core, u32 ticket, const driver::WalkedStack& stack) {
                 static_cast<driver::Core*>(core)->on_user_walk(ticket, stack);
               },
               &core_);
}

SimulatedDriver::~SimulatedDriver() {
  core_.shutdown();
}

DriverClient::DriverClient(SimulatedDriver& driver, std::unique_ptr<LockFile> lock_file)
    : driver_(driver), lock_file_(std::move(lock_file)) {}

DriverClient::~DriverClient() {
  const bool turn = lock_file_->begin(driver_.lock_);
  driver_.core_.client_gone(lock_file_->client());
  if (turn) lock_file_->end(driver_.lock_);
}

void DriverClient::forget_dead_clients() {
  const driver::LockState seen = driver_.lock_;  // a copy, because client_gone changes the list
  if (seen.holder != 0 && !lock_file_->is_alive(seen.holder)) driver_.core_.client_gone(seen.holder);
  for (const driver::ClientId preempted : seen.preempted)
    if (preempted != 0 && !lock_file_->is_alive(preempted)) driver_.core_.client_gone(preempted);
}

WperfStatus DriverClient::control(u32 code, void* buffer, u32 input_size, u32 capacity, u32* returned) {
  if (!lock_file_->begin(driver_.lock_)) return WPERF_HARDWARE_FAILED;
  forget_dead_clients();
  *returned = 0;
  const WperfStatus status =
      driver_.core_.dispatch(lock_file_->client(), driver_.rights_, code, buffer, input_size, capacity, returned);
  lock_file_->end(driver_.lock_);
  return status;
}

}  // namespace wperf::sim
