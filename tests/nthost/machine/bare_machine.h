// SPDX-License-Identifier: BSD-3-Clause
// The bare machine: cores, time, the command line, power-off.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

constexpr u32 kMostCpus = 8;

u32 cpu_count();
u32 current_cpu();
bool started_at_el2();  // the trapped mode: -M virt,virtualization=on

// The generic timer, the same on all cores. Under -icount it counts instructions, not the host's time.
u64 time_ticks();
u64 ticks_per_second();
u64 ns_of_ticks(u64 ticks);
u64 time_ns();

// Words of -append "word name=value ..." (through semihosting). The texts live as long as the machine.
bool has_word(const char* word);
const char* value_of(const char* name);            // text after "name=", up to the next blank; null when absent
u64 number_of(const char* name, u64 when_absent);  // decimal
// The word "icount" on the command line; a guest cannot detect this mode.
bool under_icount();

// Ends QEMU with this exit status. Other cores can no longer print.
[[noreturn]] void power_off(int status);

// Unused pages of RAM, for scenarios that need a physical range, such as the registers of a memory-mapped device.
// Contiguous, zeroed, and mapped cacheable in the kernel's address space.
struct PhysicalRange {
  void* mapping;
  u64 physical;
};
PhysicalRange take_physical_pages(u32 count);
u64 ram_begin();
u64 ram_end();

}  // namespace wperf::nthost
