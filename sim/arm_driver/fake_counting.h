// SPDX-License-Identifier: BSD-3-Clause
// Counts as Arm's driver does, with its faults: answers lack the counts since the last tick (Q1 of the facts), a late
// reset zeroes counters that were just started (Q5), RESET does not reset the rotation (Q4), the cycle counter omits
// the kernel (Q7), DSU counters get codes of the core's list (Q8). Part of FakeDriver.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "machine/windowsperf/windowsperf_wire.h"
#include "sim/arm_driver/fake_hardware.h"

namespace wperf::windowsperf::fake {

class FakeCounting {
 public:
  FakeCounting(FakeHardware& hardware, const FakeParts& parts);

  // Arguments that the driver does not check and that would crash a real driver are errors here.
  diag::Result<void> assign(u32 core, u64 filter_bits, u32 event_class, const std::vector<u16>& codes);
  diag::Result<void> start(const std::vector<u32>& cores, u32 flags, u32 period_ms, u8 dmc_channel);
  diag::Result<void> stop();
  void reset(const std::vector<u32>& cores, u32 flags);
  CountAnswer core_answer(u32 number) const;
  DsuAnswer dsu_answer(u32 number) const;
  std::vector<DmcAnswer> dmc_answer() const;

  void set_up_dsu(u32 cluster_size) { cluster_size_ = cluster_size; }
  bool running() const { return running_; }
  void settle() { resetting_ = false; }  // the work that RESET or the lock started is done
  std::optional<u64> next_tick_ns() const;
  diag::Result<void> tick_if_due();
  void forget();  // the lock was taken again, so the lists get the driver's defaults

 private:
  struct List {
    std::vector<u16> codes;
    std::vector<u64> values, scheduled;
    u32 rotation = 0;  // the index of the group that is on the counters
    void set(const std::vector<u16>& wanted);
    bool rotates(u32 counters) const { return codes.size() > counters; }
    std::vector<u32> on_counters(u64 round, u32 counters) const;
    void add(const std::vector<u64>& counted, u64 round, u32 counters);
  };
  struct Core {
    List events, dsu;
    std::vector<u16> dsu_programmed;  // codes from the core's list, on the DSU's counters until the first rotation
    u64 filter_bits = 0, cycles = 0, round = 0, dsu_round = 0;
  };
  diag::Result<Programmed> programmed() const;
  std::vector<u16> dsu_codes_of(const Core& core) const;
  diag::Result<void> take_counted(bool into_values);
  bool rotates() const;
  void add_tick();

  FakeHardware& hardware_;
  const FakeParts& parts_;
  u32 cluster_size_ = 0;
  std::vector<Core> cores_;
  List clkdiv2_;
  std::vector<std::array<u64, kMostClkdiv2Events>> channels_;
  u64 clkdiv2_ticks_ = 0;
  bool running_ = false, resetting_ = true, lost_to_reset_ = false;
  std::vector<u32> running_cores_;
  u32 running_flags_ = 0;
  u8 running_channel_ = kAllChannels;
  u64 tick_ns_ = 0, next_ns_ = 0;
  Counted held_;  // counts in the hardware counters
};

}  // namespace wperf::windowsperf::fake
