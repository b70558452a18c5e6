// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/hal_nt.h"

#include "driver/arm64/registers.h"
#include "driver/nt/clock.h"
#include "driver/nt/cluster_registers.h"
#include "driver/nt/counter_registers.h"
#include "driver/nt/device_memory.h"
#include "driver/nt/per_core.h"
#include "driver/nt/pool.h"
#include "driver/nt/profiling_registers.h"

namespace wperf::driver {
namespace {

volatile u32* word_at(void* mapping, u64 offset) {
  return reinterpret_cast<volatile u32*>(static_cast<u8*>(mapping) + offset);
}

}  // namespace

HalNt::HalNt(ClientBook& clients, const OverflowTaker& overflows, Ticker::Tick tick, const ThreadCalls::Answers& walks)
    : clients_(clients), overflows_(overflows), ticker_(tick, overflows.core), calls_(walks, overflows.core) {}

// The kernel does not know which cores form DSU clusters; a client that reads the firmware's tables sets them.
Topology HalNt::topology() {
  return {active_core_count(), 0, 0};
}

u64 HalNt::read_register(Register reg) {
  return read_system_register(reg);
}

void HalNt::write_register(Register reg, u64 value) {
  write_system_register(reg, value);
}

void HalNt::synchronize() {
  instruction_barrier();
}

void HalNt::drain_profiling() {
  profiling_barrier();
}

WperfStatus HalNt::run_on_core(u32 core, PerCoreCall call, void* context) {
  return run_deferred(core, call, context);
}

WperfStatus HalNt::reserve_counters(u32* free_mask) {
  return reservation_.take(*this, free_mask);
}

void HalNt::release_counters() {
  reservation_.give_back();
}

WperfStatus HalNt::start_timer(u32 period_ms) {
  return NT_SUCCESS(ticker_.start(period_ms)) ? WPERF_OK : WPERF_HARDWARE_FAILED;
}

void HalNt::stop_timer() {
  ticker_.stop();
}

u64 HalNt::time_ns() {
  return performance_time_ns();
}

void* HalNt::map_device_memory(u64 physical, u64 size, DeviceAccess access) {
  return map_registers(physical, size, access);
}

void HalNt::unmap_device_memory(void* mapping, u64 size) {
  unmap_registers(mapping, size);
}

u32 HalNt::read_device(void* mapping, u64 offset) {
  return *word_at(mapping, offset);
}

void HalNt::write_device(void* mapping, u64 offset, u32 value) {
  *word_at(mapping, offset) = value;
}

WperfStatus HalNt::take_interrupt() {
  return NT_SUCCESS(connect_overflow_interrupt(overflows_)) ? WPERF_OK : WPERF_NO_INTERRUPT;
}

u32 HalNt::interrupt_state() {
  return overflow_interrupt_state();
}

bool HalNt::has_cluster_registers() {
  return core_is_in_a_dsu();
}

bool HalNt::has_counter_registers() {
  return counter_registers_answer();
}

bool HalNt::has_profiling_registers() {
  return profiling_registers_answer();
}

bool HalNt::may_observe(ClientId client, u32 process, u64 start) {
  return clients_.owns_process(client, process, start);
}

void* HalNt::make_user_walks(u32 count) {
  return ThreadCalls::make(count);
}

void HalNt::place_user_walks(void* walks) {
  calls_.place(static_cast<CallSet*>(walks));
}

bool HalNt::ask_for_user_walk(u32 ticket, const UserWalkStart& start) {
  return calls_.ask(ticket, start);
}

void HalNt::end_user_walks() {
  calls_.end();
}

void HalNt::enter_critical() {
  critical_.acquire();
}

void HalNt::leave_critical() {
  critical_.release();
}

void* HalNt::allocate(usize size) {
  return allocate_pool(size);
}

void HalNt::free(void* memory) {
  free_pool(memory);
}

}  // namespace wperf::driver
