// SPDX-License-Identifier: BSD-3-Clause
// Implements driver/hal.h over the NT kernel and driver/arm64; the comments there describe each call. All calls run at
// IRQL PASSIVE_LEVEL, with three exceptions. Registers, synchronize, drain_profiling, time_ns and the three
// has_..._registers functions are also called at the level of a deferred call or of the overflow interrupt. read_device
// and write_device are called at any level, ask_for_user_walk in the interrupt.
#pragma once
#include "driver/hal.h"
#include "driver/nt/counter_reservation.h"
#include "driver/nt/mutex.h"
#include "driver/nt/overflow_interrupt.h"
#include "driver/nt/thread_calls.h"
#include "driver/nt/ticker.h"

namespace wperf::driver {

// Maps a client's number to the shell's data about that client.
class ClientBook {
 public:
  virtual bool owns_process(ClientId client, u32 process, u64 start) = 0;

 protected:
  ~ClientBook() = default;
};

class HalNt final : public Hal {
 public:
  // Calls in the background and in interrupts use the core of `overflows`.
  HalNt(ClientBook& clients, const OverflowTaker& overflows, Ticker::Tick tick, const ThreadCalls::Answers& walks);
  ~HalNt() = default;

  Topology topology() override;
  u64 read_register(Register reg) override;
  void write_register(Register reg, u64 value) override;
  void synchronize() override;
  void drain_profiling() override;
  [[nodiscard]] WperfStatus run_on_core(u32 core, PerCoreCall call, void* context) override;
  [[nodiscard]] WperfStatus reserve_counters(u32* free_mask) override;
  void release_counters() override;
  [[nodiscard]] WperfStatus start_timer(u32 period_ms) override;
  void stop_timer() override;
  u64 time_ns() override;
  void* map_device_memory(u64 physical, u64 size, DeviceAccess access) override;
  void unmap_device_memory(void* mapping, u64 size) override;
  u32 read_device(void* mapping, u64 offset) override;
  void write_device(void* mapping, u64 offset, u32 value) override;
  [[nodiscard]] WperfStatus take_interrupt() override;
  u32 interrupt_state() override;
  bool has_cluster_registers() override;
  bool has_counter_registers() override;
  bool has_profiling_registers() override;
  bool may_observe(ClientId client, u32 process, u64 start) override;
  void* make_user_walks(u32 count) override;
  void place_user_walks(void* walks) override;
  bool ask_for_user_walk(u32 ticket, const UserWalkStart& start) override;
  void end_user_walks() override;
  void enter_critical() override;
  void leave_critical() override;
  void* allocate(usize size) override;
  void free(void* memory) override;

  bool can_walk() const { return calls_.possible(); }

 private:
  ClientBook& clients_;
  const OverflowTaker overflows_;
  CounterReservation reservation_;
  Ticker ticker_;
  ThreadCalls calls_;
  Mutex critical_;
};

}  // namespace wperf::driver
