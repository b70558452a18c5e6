// SPDX-License-Identifier: BSD-3-Clause
// The kernel's own scenarios. They show that each check of a driver can fail, and that waits, timers, DPCs, threads and
// access checks follow Microsoft's documentation. No driver is loaded.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/io_objects.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/ke_apc.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/kernel/security.h"
#include "tests/nthost/machine/machine_threads.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/pages.h"
#include "tests/nthost/workload.h"

namespace wperf::nthost {
namespace {

constexpr u32 kTag = 0x74736574;  // "test"

LARGE_INTEGER relative_ms(u64 milliseconds) {
  LARGE_INTEGER due;
  due.QuadPart = -static_cast<LONGLONG>(milliseconds * 10'000);
  return due;
}

struct DpcRecord {
  u32 runs, cpu, level;
  KEVENT done;
};

void record_dpc(KDPC*, PVOID context, PVOID, PVOID) {
  auto& record = *static_cast<DpcRecord*>(context);
  ++record.runs;
  record.cpu = current_cpu();
  record.level = current_irql();
  KeSetEvent(&record.done, 0, FALSE);
}

NTSTATUS wait_ms(void* object, u64 milliseconds) {
  LARGE_INTEGER timeout = relative_ms(milliseconds);
  return KeWaitForSingleObject(object, Executive, KernelMode, FALSE, &timeout);
}

}  // namespace

SCENARIO(kernel_notices_a_wrong_level, kNeedsNothing) {
  expect_failure("ZwClose called at DISPATCH_LEVEL; it is allowed at PASSIVE_LEVEL only");
  expect_failure("ZwClose: 0x8 is no handle");
  expect_failure("ExAllocatePool2 called at CLOCK_LEVEL; it is allowed up to DISPATCH_LEVEL");
  const u32 before = raise_irql(kDispatch);
  ZwClose(reinterpret_cast<HANDLE>(8ull));
  raise_irql(kClock);
  void* memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 16, kTag);
  lower_irql(before);
  ExFreePoolWithTag(memory, kTag);
}

SCENARIO(kernel_notices_misuse_of_the_pool, kNeedsNothing) {
  expect_failure("ExFreePoolWithTag: tag abcd for memory of tag test");
  expect_failure("ExFreePoolWithTag: 0xffffc0");
  expect_failure("memory of tag test, 20 bytes, was written outside");
  expect_failure("leak: 2 allocations of tag test, 300 bytes");
  auto* bytes = static_cast<u8*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 20, kTag));
  u32 sum = 0;
  for (u32 i = 0; i < 20; ++i) sum += bytes[i];
  CHECK_EQUAL(sum, 0);
  bytes[20] = 1;
  ExFreePoolWithTag(bytes, 0x64636261);
  CHECK(!is_mapped(reinterpret_cast<u64>(bytes)));
  ExFreePoolWithTag(bytes, kTag);
  auto* edge = static_cast<u8*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 4096, kTag));
  CHECK(is_mapped(reinterpret_cast<u64>(edge + 4095)) && !is_mapped(reinterpret_cast<u64>(edge + 4096)));
  ExFreePoolWithTag(edge, kTag);
  ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, kTag);
  ExAllocatePool2(POOL_FLAG_NON_PAGED, 200, kTag);
  report_kernel_leaks();
  CHECK_EQUAL(pool_bytes_in_use(), 0);
  fail_allocation_after(1);
  void* last = ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, kTag);
  CHECK(last != nullptr);
  CHECK(ExAllocatePool2(POOL_FLAG_NON_PAGED, 8, kTag) == nullptr);
  ExFreePoolWithTag(last, kTag);
}

SCENARIO(kernel_waits, kNeedsNothing) {
  KEVENT notification, synchronization;
  KeInitializeEvent(&notification, NotificationEvent, TRUE);
  KeInitializeEvent(&synchronization, SynchronizationEvent, TRUE);
  CHECK_EQUAL(wait_ms(&notification, 0), STATUS_SUCCESS);
  CHECK_EQUAL(wait_ms(&notification, 0), STATUS_SUCCESS);
  CHECK_EQUAL(wait_ms(&synchronization, 0), STATUS_SUCCESS);
  CHECK_EQUAL(wait_ms(&synchronization, 0), STATUS_TIMEOUT);
  const u64 start = time_ns();
  CHECK_EQUAL(wait_ms(&synchronization, 5), STATUS_TIMEOUT);
  CHECK(time_ns() - start >= 5'000'000);

  // An event that another core sets ends a wait for either of two objects.
  KeClearEvent(&notification);
  Thread* setter = start_thread(
      cpu_count() - 1,
      [](void* event) {
        sleep_ms(2);
        KeSetEvent(static_cast<KEVENT*>(event), 0, FALSE);
      },
      &synchronization);
  PVOID both[] = {&notification, &synchronization};
  CHECK_EQUAL(KeWaitForMultipleObjects(2, both, WaitAny, Executive, KernelMode, FALSE, nullptr, nullptr), 1);
  CHECK_EQUAL(synchronization.Header.SignalState, 0);
  CHECK(notification.Header.WaitListHead.Flink == &notification.Header.WaitListHead);
  join(setter);
}

SCENARIO(kernel_runs_timers_and_dpcs_on_each_core, kNeedsNothing) {
  for (u32 cpu = 0; cpu < cpu_count(); ++cpu) {
    static DpcRecord record;
    record = {};
    KeInitializeEvent(&record.done, NotificationEvent, FALSE);
    static KDPC dpc;
    KeInitializeDpc(&dpc, record_dpc, &record);
    PROCESSOR_NUMBER number;
    CHECK_EQUAL(KeGetProcessorNumberFromIndex(cpu, &number), STATUS_SUCCESS);
    CHECK_EQUAL(KeSetTargetProcessorDpcEx(&dpc, &number), STATUS_SUCCESS);
    const u32 before = raise_irql(kHigh);
    CHECK(KeInsertQueueDpc(&dpc, nullptr, nullptr));
    if (cpu == current_cpu()) {  // masked until the level falls, and queued only once
      CHECK(!KeInsertQueueDpc(&dpc, nullptr, nullptr));
      CHECK_EQUAL(record.runs, 0);
    }
    lower_irql(before);
    CHECK_EQUAL(wait_ms(&record.done, 1000), STATUS_SUCCESS);
    KeFlushQueuedDpcs();
    CHECK_EQUAL(record.runs, 1);
    CHECK_EQUAL(record.cpu, cpu);
    CHECK_EQUAL(record.level, kDispatch);

    run_on_cpu(
        cpu,
        [](void*) {
          KTIMER timer;
          KeInitializeTimerEx(&timer, SynchronizationTimer);
          const u64 start = time_ns();
          CHECK(!KeSetTimerEx(&timer, relative_ms(3), 2, nullptr));
          for (u32 i = 0; i < 5; ++i) CHECK_EQUAL(wait_ms(&timer, 1000), STATUS_SUCCESS);
          CHECK(time_ns() - start >= 11'000'000);
          CHECK(KeCancelTimer(&timer));
          CHECK(!KeCancelTimer(&timer));
        },
        nullptr);
  }
  PROCESSOR_NUMBER none;
  CHECK_EQUAL(KeGetProcessorNumberFromIndex(cpu_count(), &none), STATUS_INVALID_PARAMETER);
}

// No header of the kit declares these, so the caller does.
extern "C" void KeInitializeApc(KAPC* apc, KTHREAD* thread, int environment, PVOID kernel_routine,
                                PVOID rundown_routine, PVOID normal_routine, KPROCESSOR_MODE mode, PVOID context);
extern "C" BOOLEAN KeInsertQueueApc(KAPC* apc, PVOID argument1, PVOID argument2, KPRIORITY increment);

namespace {

struct ApcRecord {
  KAPC apc;
  u32 runs, run_downs, level;
};

void record_apc(KAPC* apc, PVOID*, PVOID*, PVOID*, PVOID*) {
  auto& record = *static_cast<ApcRecord*>(apc->NormalContext);
  ++record.runs;
  record.level = current_irql();
}

void record_rundown(KAPC* apc) {
  ++static_cast<ApcRecord*>(apc->NormalContext)->run_downs;
}

void queue_apc(ApcRecord& record) {
  record = {};
  KeInitializeApc(&record.apc, reinterpret_cast<KTHREAD*>(current_thread()), 0, reinterpret_cast<PVOID>(record_apc),
                  reinterpret_cast<PVOID>(record_rundown), nullptr, KernelMode, &record);
  const u32 before = raise_irql(kDispatch);
  CHECK(KeInsertQueueApc(&record.apc, nullptr, nullptr, 0));
  CHECK(!KeInsertQueueApc(&record.apc, nullptr, nullptr, 0));  // it is queued
  lower_irql(before);
}

}  // namespace

SCENARIO(kernel_runs_apcs, kNeedsNothing) {
  static ApcRecord record;
  hold_apcs(true);
  queue_apc(record);
  CHECK_EQUAL(apcs_queued(), 1);
  hold_apcs(false);  // the heartbeat interrupts each core
  for (u32 tries = 0; tries < 1'000 && record.runs == 0; ++tries) spin_ns(100'000);
  CHECK_EQUAL(record.runs, 1);
  CHECK_EQUAL(record.level, kApc);
  CHECK_EQUAL(current_irql(), kPassive);
  // A thread that ends.
  hold_apcs(true);
  run_on_cpu(cpu_count() - 1, [](void* context) { queue_apc(*static_cast<ApcRecord*>(context)); }, &record);
  CHECK_EQUAL(record.runs, 0);
  CHECK_EQUAL(record.run_downs, 1);
  CHECK_EQUAL(apcs_queued(), 0);
}

SCENARIO(kernel_notices_misuse_of_locks_and_memory, kNeedsNothing) {
  expect_failure("KeReleaseSpinLock called at PASSIVE_LEVEL; it is allowed at DISPATCH_LEVEL only");
  expect_failure("KeReleaseSpinLock: this core has not the lock");
  expect_failure("MmCopyMemory called at DISPATCH_LEVEL; it is allowed up to APC_LEVEL");
  expect_failure("MmCopyMemory: 8 bytes at 0xffff");
  KSPIN_LOCK lock = 0;
  KeReleaseSpinLock(&lock, kPassive);
  const KIRQL before = KeAcquireSpinLockRaiseToDpc(&lock);
  CHECK_EQUAL(current_irql(), kDispatch);
  u64 word = 0;
  SIZE_T copied = 0;
  MM_COPY_ADDRESS from = {};
  from.VirtualAddress = &word;
  CHECK(!NT_SUCCESS(MmCopyMemory(&word, from, sizeof word, MM_COPY_MEMORY_VIRTUAL, &copied)));
  CHECK_EQUAL(copied, 0);
  KeReleaseSpinLock(&lock, before);
  CHECK_EQUAL(current_irql(), kPassive);
}

SCENARIO(kernel_lets_threads_take_turns, kNeedsNothing) {
  // Two threads that never wait share one core. Both make progress.
  static u64 turns[2];
  static bool stop_now;
  turns[0] = turns[1] = 0;
  stop_now = false;
  const auto spin = [](u64 which) -> u64 {
    while (!__atomic_load_n(&stop_now, __ATOMIC_ACQUIRE)) {
      __atomic_fetch_add(&turns[which], 1, __ATOMIC_RELAXED);
      asm volatile("yield");
    }
    return which;
  };
  const u32 cpu = cpu_count() - 1;
  Workload* first = start_kernel_work(cpu, spin, 0);
  Workload* second = start_kernel_work(cpu, spin, 1);
  for (u32 i = 0; i < 200 && (turns[0] == 0 || turns[1] == 0); ++i) sleep_ms(1);
  CHECK(turns[0] != 0);
  CHECK(turns[1] != 0);
  u32 ran_at = ~0u;  // a kernel thread preempts programs
  run_on_cpu(cpu, [](void* at) { *static_cast<u32*>(at) = current_cpu(); }, &ran_at);
  CHECK_EQUAL(ran_at, cpu);
  __atomic_store_n(&stop_now, true, __ATOMIC_RELEASE);
  CHECK_EQUAL(finish(first), 0);
  CHECK_EQUAL(finish(second), 1);
}

SCENARIO(kernel_reports_a_program_that_faults, kNeedsNothing) {
  expect_failure("a program at EL0 ended with data abort at EL0 at pc 0x7ff612340000");
  expect_failure("a program at EL0 ended with undefined instruction at pc 0x7ff612341000");
  constexpr u64 kCode = 0x7ff6'1234'0000;
  constexpr u32 load[] = {0xf9400000};        // ldr x0, [x0]
  constexpr u32 privileged[] = {0x00000000};  // udf
  Process* process = create_process(400, kStranger);
  CHECK(map_user_code(*process, kCode, load, sizeof load));
  CHECK(!map_user_code(*process, kCode + 8, load, sizeof load));  // something is already mapped there
  CHECK(map_user_code(*process, kCode + 0x1000, privileged, sizeof privileged));
  // A program cannot access the kernel's addresses.
  CHECK_EQUAL(finish(start_user_work(1, *process, kCode, kPoolBase)), ~0ull);
  CHECK_EQUAL(finish(start_user_work(1, *process, kCode + 0x1000, 0)), ~0ull);
  end_process(*process);
}

SCENARIO(kernel_evaluates_descriptors, kNeedsNothing) {
  // D:(D;;0x1;;;S-1-5-32-559)(A;;0x3;;;S-1-5-32-544)(A;;0x1;;;WD)
  alignas(4) static const u8 descriptor[] = {
      1, 0, 4,  0x80, 0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20, 0,  0, 0,  // self-relative, DACL at 20
      2, 0, 76, 0,    3,  0, 0, 0,                                        // ACL of three
      1, 0, 24, 0,    1,  0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 5, 32, 0,  0, 0, 0x2f, 2,    0,
      0, 0, 0,  24,   0,  3, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 5,  32, 0, 0, 0,    0x20, 2,
      0, 0, 0,  0,    20, 0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0,  1,  0, 0, 0,    0};
  static_assert(sizeof descriptor == 20 + 76);
  const struct {
    Person person;
    ACCESS_MASK wanted;
    bool granted;
  } cases[] = {{kStranger, 1, true},       {kStranger, 2, false},           {kAdministrator, 3, true},
               {kAdministrator, 7, false}, {kPerformanceLogUser, 1, false}, {kSystem, 3, true}};
  for (const auto& it : cases) {
    Token token;
    make_token(token, it.person);
    SECURITY_SUBJECT_CONTEXT subject = {nullptr, SecurityAnonymous, &token, nullptr};
    ACCESS_MASK granted = 0;
    NTSTATUS status = 0;
    const bool allowed = SeAccessCheck(const_cast<u8*>(descriptor), &subject, FALSE, it.wanted, 0, nullptr,
                                       IoGetFileObjectGenericMapping(), UserMode, &granted, &status);
    CHECK_EQUAL(allowed, it.granted);
    CHECK_EQUAL(granted, it.granted ? it.wanted : 0);
    CHECK_EQUAL(status, it.granted ? STATUS_SUCCESS : STATUS_ACCESS_DENIED);
  }
}

// Each of these ends the run with a report and exit status 2, so they run only by name.
SCENARIO(crash_on_freed_memory, kOnlyByName) {
  auto* bytes = static_cast<volatile u8*>(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, kTag));
  ExFreePoolWithTag(const_cast<u8*>(bytes), kTag);
  bytes[3] = 1;
}

SCENARIO(crash_on_write_to_code, kOnlyByName) {
  volatile u32* code = nullptr;
  void (*function)(u64) = &sleep_ns;
  memcpy(static_cast<void*>(&code), &function, sizeof code);
  *code = 0;
}

SCENARIO(crash_on_write_to_the_drivers_headers, kOnlyByName) {
  CHECK_EQUAL(load(), 0);
  *static_cast<volatile u8*>(driver_object.DriverStart) = 0;
}

SCENARIO(crash_on_programs_memory, kOnlyByName) {
  Process* process = create_process(404, kStranger);
  map_user_data(*process, 0x10000, 4096);
  become_member_of(process);
  *reinterpret_cast<volatile u8*>(0x10000) = 1;
}

SCENARIO(crash_on_deep_recursion, kOnlyByName) {
  struct Deep {
    static u64 down(u64 depth) {
      volatile u64 room[64] = {depth};
      return depth == ~0ull ? 0 : down(depth + 1) + room[depth % 64];
    }
  };
  note("{}", Deep::down(0));
}

}  // namespace wperf::nthost
