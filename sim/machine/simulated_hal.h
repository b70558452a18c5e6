// SPDX-License-Identifier: BSD-3-Clause
// hal.h for the simulated machine: the register models and the virtual clock. All calls come from the single thread
// that uses the Machine; "running on a core" only selects the core whose registers are accessed.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "driver/hal.h"
#include "sim/machine/simulated_machine.h"
#include "sim/pmu/core_pmu.h"
#include "sim/pmu/dmc620_frame.h"
#include "sim/pmu/dsu_pmu.h"
#include "sim/pmu/spe_unit.h"

namespace wperf::sim {

// Where the DMC-620 register frames are, as in ACPI on a real machine.
struct DmcRange {
  u64 base = 0, size = 0;
};

class HalSim final : public driver::Hal, private OverflowInterrupts, private ProfilingUnits {
 public:
  explicit HalSim(Machine& machine);
  ~HalSim();
  HalSim(const HalSim&) = delete;
  HalSim& operator=(const HalSim&) = delete;

  // Called by the timer and the overflow interrupts: on_timer and on_overflow of the driver core that uses this hal.
  // on_overflow runs "on" the core that overflowed.
  using OverflowCall = void (*)(void* context, u32 core, const driver::InterruptedContext& interrupted);
  using WalkCall = void (*)(void* context, u32 ticket, const driver::WalkedStack& stack);  // on_user_walk
  using ProfilingCall = void (*)(void* context, u32 core);  // the same for on_profiling_interrupt
  void connect(Machine::TimerCall on_timer, OverflowCall on_overflow, ProfilingCall on_profiling, WalkCall on_walk,
               void* context);

  // See WperfSimApi.
  void watch_samples(WperfSimWatcher watcher, void* context);

  std::vector<DmcRange> dmc_ranges() const;

  driver::Topology topology() override;
  u64 read_register(driver::Register reg) override;
  void write_register(driver::Register reg, u64 value) override;
  void synchronize() override {}
  void drain_profiling() override {}  // a record is in memory when its operation ends
  WperfStatus run_on_core(u32 core, driver::PerCoreCall call, void* context) override;
  WperfStatus reserve_counters(u32* free_mask) override;
  void release_counters() override {}
  WperfStatus start_timer(u32 period_ms) override;
  void stop_timer() override { machine_.stop_timer(); }
  u64 time_ns() override { return machine_.time_ns(); }
  WperfStatus take_interrupt() override;
  u32 interrupt_state() override;
  bool has_cluster_registers() override { return !clusters_.empty(); }
  bool has_counter_registers() override { return machine_.options().kind != MachineKind::trapping; }
  bool has_profiling_registers() override { return true; }
  bool may_observe(driver::ClientId client, u32 process, u64 start) override;
  void* map_device_memory(u64 physical, u64 size, driver::DeviceAccess access) override;
  void unmap_device_memory(void* mapping, u64 size) override;
  u32 read_device(void* mapping, u64 offset) override;
  void write_device(void* mapping, u64 offset, u32 value) override;
  // A walk ends within the interrupt that began it, so there is always room for one.
  void* make_user_walks(u32) override { return this; }
  void place_user_walks(void*) override {}
  bool ask_for_user_walk(u32 ticket, const driver::UserWalkStart& start) override;
  void end_user_walks() override {}
  // The timer calls from within wait(), never during a request, so no lock is needed.
  void enter_critical() override {}
  void leave_critical() override {}
  void* allocate(usize size) override;
  void free(void* memory) override;

 private:
  struct Mapping {
    u32 channel = 0;
    u64 begin = 0, size = 0;  // within the channel's frame
    driver::DeviceAccess access = driver::DeviceAccess::read_only;
    bool holds(u64 offset) const { return offset < size && size - offset >= sizeof(u32); }
  };
  bool armed(u32 core) override { return cores_[core].armed(); }
  std::span<const EventWatch> watches(u32 core) override;
  bool pending(u32 core) override;
  void take(u32 core, const Interrupted& what) override;
  Profiler* profiler(u32 core, u32 context, u64 cycles_ahead) override;
  bool profiling_interrupt(u32 core) override { return profiling_[core].take_interrupt(); }
  void take_profiling_interrupt(u32 core) override;
  bool is_cluster_register(driver::Register reg) const;
  void leave_registers_as_found();
  void take_asked_walk();

  Machine& machine_;
  Machine::TimerCall on_timer_ = nullptr;
  OverflowCall on_overflow_ = nullptr;
  ProfilingCall on_profiling_ = nullptr;
  WalkCall on_walk_ = nullptr;
  struct AskedWalk {
    u32 ticket = 0;
    driver::UserWalkStart start = {};
  };
  std::optional<AskedWalk> asked_walk_;
  void* driver_ = nullptr;
  WperfSimWatcher watcher_ = nullptr;
  void* watching_ = nullptr;
  u32 current_core_ = 0;
  bool asked_for_interrupt_ = false;
  std::vector<CorePmu> cores_;
  std::vector<SpeUnit> profiling_;  // by core
  std::vector<DsuPmu> clusters_;
  std::vector<Dmc620Frame> channels_;
  std::vector<std::unique_ptr<Mapping>> mappings_;
};

}  // namespace wperf::sim
