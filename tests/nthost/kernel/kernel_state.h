// SPDX-License-Identifier: BSD-3-Clause
// The kernel's data about the loaded driver. driver_under_test.cpp prepares the data before a load and examines it
// afterwards.
#pragma once
#include "base/ints.h"
#include "driver/nt/nt.h"

namespace wperf::nthost {

inline constexpr WCHAR kRegistryPath[] = L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\WPERFDRV";
inline constexpr WCHAR kParametersPath[] =
    L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\WPERFDRV\\Parameters";

void set_pnp_value(bool there, u32 value);  // Parameters\PnP; if `there` is false, the key is missing as well
u32 driver_threads_living();

// Called when the driver references its own object. Windows then keeps its code in memory after the unload, until the
// last reference is released.
void pin_driver();
void unpin_driver();
bool is_driver_pinned();

void report_kernel_leaks();  // called when the driver is gone; each resource that it did not release is a failure
void reset_kernel_state();   // between scenarios: resets faults, and everything held, enabled or recorded

// Parts of the two above.
void report_io_leaks();
void report_mm_leaks();
void report_hal_leaks();
void report_etw_leaks();
void report_resource_leaks();
void report_callback_leaks();
bool release_callback_object(void* object);  // returns false for other objects
void reset_hal();
void reset_etw();
void show_all_routines();
void forget_volatile_key();  // the registry's volatile key is lost, as at a restart

}  // namespace wperf::nthost
