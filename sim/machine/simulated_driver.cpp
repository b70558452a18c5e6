// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/simulated_driver.h"

#include <charconv>
#include <string_view>

#include "wperf_version.h"

namespace wperf::sim {
namespace {

// The driver and the tool are one product and carry one version.
driver::CoreConfig driver_config() {
  driver::CoreConfig config{.git = kGitVersion, .features = "+trace+spe"};
  const std::string_view text = kVersion;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (u32* part : {&config.major, &config.minor, &config.patch}) {
    at = std::from_chars(at, end, *part).ptr;
    if (at != end) ++at;  // the point
  }
  return config;
}

}  // namespace

SimulatedDriver::SimulatedDriver(Machine& machine, std::unique_ptr<LockFile> lock_file)
    : hal_(machine), lock_file_(std::move(lock_file)), core_(hal_, lock_, driver_config()) {
  hal_.connect([](void* core) { static_cast<driver::Core*>(core)->on_timer(); },
               [](void* core, u32 index, const driver::InterruptedContext& interrupted) {
                 static_cast<driver::Core*>(core)->on_overflow(index, interrupted);
               },
               [](void* core, u32 index) { static_cast<driver::Core*>(core)->on_profiling_interrupt(index); }, &core_);
}

SimulatedDriver::~SimulatedDriver() {
  const bool turn = lock_file_->begin(lock_);
  core_.client_gone(lock_file_->client());
  if (turn) lock_file_->end(lock_);
  core_.shutdown();
}

void SimulatedDriver::forget_the_dead() {
  const driver::LockState seen = lock_;  // client_gone changes it
  if (seen.holder != 0 && !lock_file_->is_alive(seen.holder)) core_.client_gone(seen.holder);
  for (const driver::ClientId robbed : seen.robbed)
    if (robbed != 0 && !lock_file_->is_alive(robbed)) core_.client_gone(robbed);
}

WperfStatus SimulatedDriver::control(u32 code, void* buffer, u32 input_size, u32 capacity, u32* returned) {
  if (!lock_file_->begin(lock_)) return WPERF_HARDWARE_FAILED;
  forget_the_dead();
  // The person at a simulated machine may do everything there.
  const WperfStatus status = core_.dispatch(lock_file_->client(), driver::Rights{.administrator = true}, code, buffer,
                                            input_size, capacity, returned);
  lock_file_->end(lock_);
  return status;
}

}  // namespace wperf::sim
