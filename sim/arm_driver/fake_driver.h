// SPDX-License-Identifier: BSD-3-Clause
// A fake of Arm's driver. It takes requests as bytes, makes the same checks in the same order, and has the driver's
// faults. For a request that the real driver would not check, and that would corrupt memory or crash, the fake returns
// one of wperf's errors instead of a Windows error, and refuses every later request. A test that causes this fails.
#pragma once
#include <deque>
#include <string>

#include "sim/arm_driver/fake_counting.h"

namespace wperf::windowsperf::fake {

struct FakeSettings {
  u8 major = 3, minor = 8, patch = 0;
  std::string features = "+etw-drv";
  bool left_locked = false;  // held by a process that was killed
};

class FakeDriver {
 public:
  FakeDriver(FakeHardware& hardware, FakeSettings settings);

  u32 open() { return ++handles_; }
  void close(u32) {}  // the lock stays: closing a handle does not release it
  void remove() { removing_ = true; }

  diag::Result<Answer> control(u32 handle, u32 code, std::span<const std::byte> input, std::span<std::byte> output);

  // catch_up() handles the ticks and samples up to now. It must be called at next_tick_ns() at the latest.
  std::optional<u64> next_tick_ns() const { return counting_.next_tick_ns(); }
  diag::Result<void> catch_up();
  void settle() { counting_.settle(); }

 private:
  using Bytes = std::span<const std::byte>;

  diag::Result<Answer> answer(Request request, Bytes input, std::span<std::byte> output, u32 handle);
  diag::Result<Answer> answer_count(Request request, const CoreList& list, std::span<std::byte> output);
  diag::Result<Answer> answer_sampling(Request request, const CoreList& list, std::span<std::byte> output);
  diag::Result<Answer> take_lock(u32 action, u32 handle, std::span<std::byte> output);
  diag::Result<Answer> release_lock(u32 action, u32 handle, std::span<std::byte> output);
  diag::Result<Answer> assign(Bytes input);
  diag::Result<Answer> init_dsu(Bytes input, std::span<std::byte> output);
  diag::Result<Answer> init_dmc(Bytes input, std::span<std::byte> output);
  diag::Result<Answer> set_sources(Bytes input);
  diag::Result<Answer> get_samples(Bytes input, std::span<std::byte> output);
  diag::Result<void> end_sampling();
  HardwareAnswer hardware_answer() const;
  VersionBlock version_answer(Bytes input) const;

  FakeHardware& hardware_;
  FakeSettings settings_;
  FakeParts parts_;
  FakeCounting counting_;
  u32 handles_ = 0;
  u32 owner_ = 0;  // a handle; 0: no owner
  bool removing_ = false, crashed_ = false;
  bool dsu_ready_ = false, dmc_ready_ = false;

  // Sampling: one core at a time, because the hardware below has one set of events.
  std::vector<FakeSource> sources_;
  u32 source_core_ = 0;
  bool sources_kernel_ = false, interrupts_on_ = false, sampling_ = false, reading_spoils_ = false;
  u32 silent_ = 0;  // sources without a preset
  std::deque<SampleRecord> ring_;
  u64 generated_ = 0, dropped_ = 0;
};

// Opens the fake on top of the simulated machine; `options` are the settings after "windowsperf:fake,", documented in
// docs/user/windowsperf-driver.md. Linux only.
diag::Result<std::unique_ptr<WindowsPerfMachine>> open_fake_machine(const std::string& options);

}  // namespace wperf::windowsperf::fake
