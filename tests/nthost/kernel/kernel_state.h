// SPDX-License-Identifier: BSD-3-Clause
// The kernel's data about the loaded driver, which driver_under_test.cpp prepares before and looks at afterwards.
#pragma once
#include "base/ints.h"
#include "driver/nt/nt.h"

namespace wperf::nthost {

inline constexpr WCHAR kRegistryPath[] = L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\WPERFDRV";
inline constexpr WCHAR kParametersPath[] =
    L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\WPERFDRV\\Parameters";

void set_pnp_value(bool there, u32 value);  // Parameters\PnP; not there = neither is the key
u32 driver_threads_living();

// The driver referenced its own object: Windows then keeps its code in memory when it is unloaded. When the last
// reference goes, the code does.
void pin_driver();
void unpin_driver();
bool is_driver_pinned();

void report_kernel_leaks();  // when the driver has gone: each thing it did not give back is a failure
void reset_kernel_state();   // between scenarios: faults, held, enabled and recorded things are as at the start

// Parts of the two above.
void report_io_leaks();
void report_mm_leaks();
void report_hal_leaks();
void report_etw_leaks();
void reset_hal();
void reset_etw();
void show_all_routines();
void forget_volatile_key();  // of the registry: like a restart

}  // namespace wperf::nthost
