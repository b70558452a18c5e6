// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/kernel/kernel_state.h"

#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/handles.h"
#include "tests/nthost/kernel/ke_apc.h"
#include "tests/nthost/kernel/ke_dpc.h"
#include "tests/nthost/kernel/ke_timer.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/machine_threads.h"

namespace wperf::nthost {
namespace {

void report(u32 count, const char* what) {
  if (count != 0) fail("leak: {} {}", count, what);
}

u32 references_to_threads() {
  u32 sum = 0;
  for (u32 slot = 0; slot < kMostThreads; ++slot) {
    Thread* thread = thread_at(slot);
    if (thread == nullptr || !thread->is_drivers) continue;
    sum += thread->driver_handles;
    while (thread->driver_handles > 0) {
      --thread->driver_handles;
      release_thread(*thread);
    }
  }
  return sum;
}

}  // namespace

void report_kernel_leaks() {
  // A driver that waited for its thread to end may continue before the thread's last instructions have run.
  for (u32 tries = 0; driver_threads_living() != 0 && tries < 100; ++tries) sleep_ns(100'000);
  if (driver_threads_living() != 0) give_up("{} threads of the driver live when it has gone", driver_threads_living());
  if (apcs_queued() != 0 && !is_driver_pinned()) {
    give_up("{} APCs are queued when the driver has gone", apcs_queued());
  }
  if (timers_set() != 0 || dpcs_queued() != 0) {
    give_up("{} timers are set and {} DPCs queued when the driver has gone", timers_set(), dpcs_queued());
  }
  report(timer_resolution() != 0 ? 1 : 0, "timer resolution");
  forget_timer_resolution();
  report(references_to_threads(), "references to threads");
  report(handles_open(), "handles");
  report(process_references(), "references to processes");
  report(token_references(), "references to tokens");
  forget_handles();
  forget_process_references();
  report_io_leaks();
  report_mm_leaks();
  report_hal_leaks();
  report_etw_leaks();
  report_resource_leaks();
  report_callback_leaks();
  // Asynchronous calls for which the driver could not wait keep their memory until the last call ends.
  if (!is_driver_pinned() || apcs_queued() + apcs_inside() == 0) report_pool_leaks();
}

void reset_kernel_state() {
  fail_allocation_after(~0ull);
  fail_thread_creation(false);
  place_driver_threads_on(~0u);
  set_buffer_poison(0xcd);
  hold_apcs(false);
  hold_page_reads(false);
  let_apcs_return_late(false);
  give_interrupts_a_stack(false);
  show_all_routines();
  remove_device_memory();
  set_heartbeat(0);
  forget_volatile_key();
  reset_hal();
  reset_etw();
}

}  // namespace wperf::nthost
