// SPDX-License-Identifier: BSD-3-Clause
#include "sim/machine/simulated_hal.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "abi/wire.h"
#include "driver/core/stack_walker.h"

namespace wperf::sim {
namespace {

using driver::Register;

constexpr u64 kDmcBase = 0x1000'0000;
constexpr u64 kDmcStride = 0x1'0000;
constexpr u16 kCyclesEvent = 0x11;

u32 least_counters(const MachineOptions& options) {
  u32 least = WPERF_MAX_COUNTERS;
  for (u32 core = 0; core < options.cores.size(); ++core) least = std::min(least, options.counters_of(core));
  return least;
}

// Other owners hold the lowest counters of every core, because owners take the lowest free counters.
u32 taken_counters(const MachineOptions& options) {
  return least_counters(options) - options.free_counters;
}

u64 timer_ticks_at(u64 ns) {
  return ns / 1000 * kTimerMhz + ns % 1000 * kTimerMhz / 1000;
}

}  // namespace

HalSim::HalSim(Machine& machine) : machine_(machine) {
  const MachineOptions& options = machine.options();
  for (u32 core = 0; core < options.cores.size(); ++core) {
    const Product& product = *options.cores[core];
    const u32 spe_version = options.spe ? product.spe_version : 0;
    cores_.emplace_back(PmuConfig{product.midr, options.counters_of(core), product.pmu_version, spe_version});
    profiling_.emplace_back(SpeConfig{spe_version, options.seed + core, options.mhz});
  }
  clusters_.resize(options.cluster_count(), DsuPmu(options.dsu_counters));
  channels_.resize(options.dmc_channels);
  leave_registers_as_found();
}

HalSim::~HalSim() {
  machine_.connect(nullptr, nullptr);
  machine_.stop_timer();
}

void HalSim::connect(Machine::TimerCall on_timer, OverflowCall on_overflow, ProfilingCall on_profiling,
                     WalkCall on_walk, void* context) {
  on_timer_ = on_timer;
  on_overflow_ = on_overflow;
  on_profiling_ = on_profiling;
  on_walk_ = on_walk;
  driver_ = context;
  machine_.connect(this, this);
}

// As on Windows, the cycle counter runs all the time. With free=, another user counts cycles on the counters that are
// not free, and continues to do so.
void HalSim::leave_registers_as_found() {
  const u32 taken = taken_counters(machine_.options());
  for (u32 core = 0; core < cores_.size(); ++core) {
    const SignalCounts& now = machine_.signals(core);
    for (u32 counter = 0; counter < taken; ++counter)
      cores_[core].write(driver::event_type(counter), kCyclesEvent, now);
    cores_[core].write(Register::pmcntenset, ((u64{1} << taken) - 1) | u64{1} << kCycleCounterBit, now);
    cores_[core].write(Register::pmcr, kPmcrEnable | kPmcrLongCycles, now);
  }
}

driver::Topology HalSim::topology() {
  const MachineOptions& options = machine_.options();
  return {static_cast<u32>(options.cores.size()), options.cluster_count(), options.cluster_size};
}

bool HalSim::is_cluster_register(Register reg) const {
  return reg >= Register::clusterpmcr && reg <= Register::clusterpmxevcntr;
}

u64 HalSim::read_register(Register reg) {
  if (reg == Register::cntfrq) return kTimerMhz * 1'000'000;
  if (reg == Register::cntvct) return timer_ticks_at(machine_.time_ns());
  if (SpeUnit::has(reg)) return profiling_[current_core_].read(reg);
  if (!is_cluster_register(reg)) return cores_[current_core_].read(reg, machine_.signals(current_core_));
  if (clusters_.empty()) return 0;
  const u32 cluster = current_core_ / machine_.options().cluster_size;
  return clusters_[cluster].read(reg, machine_.cluster(cluster));
}

void HalSim::write_register(Register reg, u64 value) {
  if (SpeUnit::has(reg)) return profiling_[current_core_].write(reg, value);
  if (!is_cluster_register(reg)) return cores_[current_core_].write(reg, value, machine_.signals(current_core_));
  if (clusters_.empty()) return;
  const u32 cluster = current_core_ / machine_.options().cluster_size;
  clusters_[cluster].write(reg, value, machine_.cluster(cluster));
}

WperfStatus HalSim::run_on_core(u32 core, driver::PerCoreCall call, void* context) {
  if (core >= cores_.size()) return WPERF_BAD_ARGUMENT;
  const u32 caller = current_core_;
  current_core_ = core;
  call(context);
  current_core_ = caller;
  return WPERF_OK;
}

WperfStatus HalSim::reserve_counters(u32* free_mask) {
  const u32 all = least_counters(machine_.options());
  const u32 taken = taken_counters(machine_.options());
  *free_mask = ((1u << all) - 1) & ~((1u << taken) - 1);
  return WPERF_OK;
}

WperfStatus HalSim::start_timer(u32 period_ms) {
  if (period_ms == 0 || on_timer_ == nullptr) return WPERF_BAD_ARGUMENT;
  machine_.start_timer(u64{period_ms} * 1'000'000, on_timer_, driver_);
  return WPERF_OK;
}

std::span<const EventWatch> HalSim::watches(u32 core) {
  return cores_[core].watches(machine_.signals(core));
}

bool HalSim::pending(u32 core) {
  return cores_[core].interrupt_pending(machine_.signals(core));
}

void HalSim::take(u32 core, const Interrupted& what) {
  const u32 caller = current_core_;
  current_core_ = core;
  // No record lies below the first one, so x29 can serve as the stack pointer.
  on_overflow_(driver_, core,
               {what.pc, what.lr, what.process, what.thread, what.level == Level::user ? 0u : 1u, what.fp, what.fp});
  take_asked_walk();  // the thread is about to continue
  if (watcher_ != nullptr && what.process != 0) {
    const WperfSimMoment moment{
        .time_ns = time_ns(), .ticks = 0, .pc = what.pc, .process = what.process, .thread = what.thread, .core = core};
    watcher_(watching_, &moment);
  }
  current_core_ = caller;
}

void HalSim::watch_samples(WperfSimWatcher watcher, void* context) {
  watcher_ = watcher;
  watching_ = context;
  machine_.watch_stacks(watcher == nullptr ? std::function<void(const WperfSimMoment&)>()
                                           : [=](const WperfSimMoment& moment) { watcher(context, &moment); });
  for (u32 core = 0; core < profiling_.size(); ++core) {
    if (watcher == nullptr) {
      profiling_[core].watch({});
      continue;
    }
    profiling_[core].watch([this, core](u32 thread, u64 pc, u64 ticks) {
      const u32 process = machine_.process_of(thread);
      const WperfSimMoment moment{
          .time_ns = 0, .ticks = ticks, .pc = pc, .process = process, .thread = thread, .core = core};
      if (process != 0) watcher_(watching_, &moment);
    });
  }
}

bool HalSim::ask_for_user_walk(u32 ticket, const driver::UserWalkStart& start) {
  asked_walk_ = {ticket, start};
  return true;
}

void HalSim::take_asked_walk() {
  if (!asked_walk_) return;
  driver::WalkedStack stack = {};
  const auto read = [this](u64 address, u64(&record)[2]) {
    return machine_.read_interrupted(address, record, sizeof record);
  };
  driver::walk_user_stack(asked_walk_->start, {}, stack, read);
  on_walk_(driver_, asked_walk_->ticket, stack);
  asked_walk_.reset();
}

Profiler* HalSim::profiler(u32 core, u32 context, u64 cycles_ahead) {
  SpeUnit& unit = profiling_[core];
  if (!unit.active()) return nullptr;
  unit.enter(context, cycles_ahead);
  return &unit;
}

void HalSim::take_profiling_interrupt(u32 core) {
  const u32 caller = current_core_;
  current_core_ = core;
  on_profiling_(driver_, core);
  current_core_ = caller;
}

// The tool's user started every program, except the programs that were already running. Program numbers are not reused.
bool HalSim::may_observe(driver::ClientId, u32 process, u64) {
  const std::vector<u32> programs = machine_.programs();
  const auto first_own = programs.begin() + static_cast<std::ptrdiff_t>(machine_.options().programs.size());
  return std::find(first_own, programs.end(), process) != programs.end();
}

WperfStatus HalSim::take_interrupt() {
  asked_for_interrupt_ = true;
  return machine_.options().interrupt == OverflowInterrupt::given ? WPERF_OK : WPERF_NO_INTERRUPT;
}

u32 HalSim::interrupt_state() {
  switch (machine_.options().interrupt) {
    case OverflowInterrupt::refused:
      return asked_for_interrupt_ ? WPERF_INTERRUPT_REFUSED : WPERF_INTERRUPT_NOT_ASKED;
    case OverflowInterrupt::not_again:
      return asked_for_interrupt_ ? WPERF_INTERRUPT_NOT_GIVEN_AGAIN : WPERF_INTERRUPT_MAYBE_NOT_AGAIN;
    default:
      return asked_for_interrupt_ ? WPERF_INTERRUPT_HELD : WPERF_INTERRUPT_NOT_ASKED;
  }
}

std::vector<DmcRange> HalSim::dmc_ranges() const {
  std::vector<DmcRange> ranges;
  for (usize channel = 0; channel < channels_.size(); ++channel)
    ranges.push_back({kDmcBase + channel * kDmcStride, driver::dmc620::kIdentityPage + driver::dmc620::kIdentitySize});
  return ranges;
}

void* HalSim::map_device_memory(u64 physical, u64 size, driver::DeviceAccess access) {
  const std::vector<DmcRange> ranges = dmc_ranges();
  for (u32 channel = 0; channel < ranges.size(); ++channel) {
    const DmcRange& range = ranges[channel];
    if (physical < range.base || physical - range.base >= range.size) continue;
    const u64 begin = physical - range.base;
    if (size == 0 || size > range.size - begin) continue;
    mappings_.push_back(
        std::make_unique<Mapping>(Mapping{.channel = channel, .begin = begin, .size = size, .access = access}));
    return mappings_.back().get();
  }
  return nullptr;
}

void HalSim::unmap_device_memory(void* mapping, u64) {
  std::erase_if(mappings_, [mapping](const auto& each) { return each.get() == mapping; });
}

u32 HalSim::read_device(void* mapping, u64 offset) {
  const Mapping& at = *static_cast<Mapping*>(mapping);
  if (!at.holds(offset)) return ~u32{0};  // the value that a bus returns for an address without a device
  return channels_[at.channel].read32(at.begin + offset, machine_.channel(at.channel));
}

void HalSim::write_device(void* mapping, u64 offset, u32 value) {
  const Mapping& at = *static_cast<Mapping*>(mapping);
  if (!at.holds(offset) || at.access == driver::DeviceAccess::read_only) return;
  channels_[at.channel].write32(at.begin + offset, value, machine_.channel(at.channel));
}

void* HalSim::allocate(usize size) {
  constexpr usize kPage = 4096;
  const usize rounded = size < kPage ? size : (size + kPage - 1) & ~(kPage - 1);
  if (rounded < size) return nullptr;
  void* const memory = size < kPage ? std::malloc(rounded) : std::aligned_alloc(kPage, rounded);
  if (memory != nullptr) std::memset(memory, 0, rounded);
  return memory;
}

void HalSim::free(void* memory) {
  std::free(memory);
}

}  // namespace wperf::sim
