// SPDX-License-Identifier: BSD-3-Clause
// Takes each core from start.S to its idle thread, and implements the small functions of bare_machine.h.
#include "tests/nthost/machine/bare_machine.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/cpu.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/gic.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/machine/register_access.h"
#include "tests/nthost/machine/semihosting.h"
#include "tests/nthost/run_scenarios.h"

extern "C" {
extern wperf::u32 wperf_started_at_el2;
wperf::u32 wperf_started_at_el2 __attribute__((section(".data"))) = 0;
void _start();
void machine_main(wperf::u64 core);
void use_stack_and_idle(wperf::u64 stack_top);
wperf::u64 psci_by_hvc(wperf::u64 function, wperf::u64 target, wperf::u64 entry, wperf::u64 context);
wperf::u64 psci_by_smc(wperf::u64 function, wperf::u64 target, wperf::u64 entry, wperf::u64 context);
}

namespace wperf::nthost {
namespace {

constexpr u64 kCpuOn = 0xc400'0003;
constexpr u64 kEmergencyStack = 16 * 1024;

Cpu cpus[kMostCpus];
alignas(16) u8 emergency_stacks[kMostCpus][kEmergencyStack];
u32 online_count = 0;
char command_line[1024];
u32 powered_off = 0;

// As on Windows, the cycle counter runs for all users, and the other counters are stopped.
void begin_pmu() {
  constexpr u64 kEnable = 1u << 0, kLongCycles = 1u << 6;
  WPERF_WRITE_SYSREG("pmcr_el0", kEnable | kLongCycles);
  WPERF_WRITE_SYSREG("pmcntenset_el0", u64{1} << 31);
  instruction_barrier();
}

void begin_core(u64 core) {
  Cpu& cpu = cpus[core];
  cpu.index = static_cast<u32>(core);
  cpu.emergency_stack = emergency_stacks[core] + kEmergencyStack;
  cpu.irql = 15;
  WPERF_WRITE_SYSREG("tpidr_el1", reinterpret_cast<u64>(&cpu));
  use_kernel_pages();
  // Turns on Privileged Access Never (PAN): kernel code that touches a program's pages faults, as on Windows.
  if ((WPERF_READ_SYSREG("id_aa64mmfr1_el1") >> 20 & 15) != 0) asm volatile("msr S0_0_C4_C1_4, xzr" : : :);
  begin_pmu();
  begin_cpu_interface();
  begin_idle_thread();
}

// PSCI reports whether a core exists; cores are numbered without gaps.
bool start_core(u64 core) {
  const u64 entry = physical_of(reinterpret_cast<const void*>(&_start));
  const u64 status = started_at_el2() ? psci_by_smc(kCpuOn, core, entry, 0) : psci_by_hvc(kCpuOn, core, entry, 0);
  if (status != 0) return false;
  while (__atomic_load_n(&online_count, __ATOMIC_ACQUIRE) <= core) asm volatile("yield");
  return true;
}

const char* find_word(const char* word, bool with_value) {
  const usize length = length_of(word);
  for (const char* at = command_line; *at != 0;) {
    while (*at == ' ') ++at;
    if (begins_with(at, word)) {
      const char after = at[length];
      if (with_value ? after == '=' : after == ' ' || after == 0) return at + length;
    }
    while (*at != 0 && *at != ' ') ++at;
  }
  return nullptr;
}

}  // namespace

Cpu& cpu_at(u32 index) {
  return cpus[index];
}
u32 cpu_count() {
  return __atomic_load_n(&online_count, __ATOMIC_ACQUIRE);
}
u32 current_cpu() {
  return this_cpu().index;
}
bool started_at_el2() {
  return wperf_started_at_el2 != 0;
}

u64 time_ticks() {
  instruction_barrier();
  return WPERF_READ_SYSREG("cntvct_el0");
}
u64 ticks_per_second() {
  return WPERF_READ_SYSREG("cntfrq_el0");
}
u64 ns_of_ticks(u64 ticks) {
  const u64 frequency = ticks_per_second();
  return ticks / frequency * 1'000'000'000 + ticks % frequency * 1'000'000'000 / frequency;
}
u64 time_ns() {
  return ns_of_ticks(time_ticks());
}

bool has_word(const char* word) {
  return find_word(word, false) != nullptr;
}

const char* value_of(const char* name) {
  static char values[1024];
  static usize used = 0;
  const char* found = find_word(name, true);
  if (found == nullptr) return nullptr;
  ++found;
  usize length = 0;
  while (found[length] != 0 && found[length] != ' ') ++length;
  // Texts live for ever, so each one is stored only once.
  for (usize at = 0; at < used; at += length_of(values + at) + 1) {
    if (length_of(values + at) == length && memcmp(values + at, found, length) == 0) return values + at;
  }
  if (used + length + 1 > sizeof values) give_up("the command line's values are too long");
  char* value = values + used;
  memcpy(value, found, length);
  value[length] = 0;
  used += length + 1;
  return value;
}

u64 number_of(const char* name, u64 when_absent) {
  const char* text = value_of(name);
  if (text == nullptr) return when_absent;
  u64 number = 0;
  for (; *text != 0; ++text) {
    if (*text < '0' || *text > '9') give_up("{} wants a number", name);
    number = number * 10 + static_cast<u64>(*text - '0');
  }
  return number;
}

bool under_icount() {
  return has_word("icount");
}

void power_off(int status) {
  if (__atomic_exchange_n(&powered_off, 1u, __ATOMIC_ACQ_REL) == 0) exit_qemu(status);
  for (;;) asm volatile("wfi");
}

PhysicalRange take_physical_pages(u32 count) {
  const u64 physical = take_contiguous_pages(count);
  return {direct(physical), physical};
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

void machine_main(wperf::u64 core) {
  if (core >= kMostCpus) {
    for (;;) asm volatile("wfi");
  }
  if (core == 0) {
    read_command_line(command_line, sizeof command_line);
    begin_pages();
    begin_processes();
  }
  begin_core(core);
  __atomic_store_n(&online_count, static_cast<wperf::u32>(core + 1), __ATOMIC_RELEASE);
  if (core == 0) {
    begin_distributor();
    for (wperf::u64 next = 1; next < kMostCpus && start_core(next); ++next) {
    }
    start_scenarios();
  }
  use_stack_and_idle(this_cpu().idle->stack_top);
}
