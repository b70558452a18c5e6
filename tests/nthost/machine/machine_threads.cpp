// SPDX-License-Identifier: BSD-3-Clause
#include "tests/nthost/machine/machine_threads.h"

#include "tests/nthost/check.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/process_object.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/bare_machine.h"

extern "C" [[noreturn]] void core_idles() {
  wperf::nthost::be_idle();
}

namespace wperf::nthost {

Thread* start_thread(u32 cpu, ThreadFunction function, void* context) {
  if (cpu >= cpu_count()) give_up("there is no core {}", cpu);
  Thread* thread = make_thread({cpu, kSystemPriority, system_process(), function, context, false});
  if (thread == nullptr) give_up("more than {} threads", kMostThreads);
  return thread;
}

void join(Thread* thread) {
  KeWaitForSingleObject(thread, Executive, KernelMode, FALSE, nullptr);
  release_thread(*thread);
}

void run_on_cpu(u32 cpu, ThreadFunction function, void* context) {
  join(start_thread(cpu, function, context));
}

void spin_ns(u64 nanoseconds) {
  const u64 end = time_ticks() + nanoseconds * ticks_per_second() / 1'000'000'000;
  while (time_ticks() < end) asm volatile("yield");
}

}  // namespace wperf::nthost
