// SPDX-License-Identifier: BSD-3-Clause
// The shipped driver as the I/O manager, the PnP manager and the service control manager of Windows see it. Scenarios
// reach the driver only through this header. Statuses are NTSTATUS values as u32. One driver is loaded at a time. All
// functions run at PASSIVE_LEVEL, from any thread and core.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

struct Process;

enum class Start : u32 {
  service,  // only DriverEntry: the control device
  pnp,      // PnP = 1 in the registry; DriverEntry, AddDevice, IRP_MN_START_DEVICE
};

// Loads the image (a fresh copy each time) and starts it. If the status is not 0, the image is unloaded again, and its
// releases are checked.
u32 load(Start how = Start::service);
// Stops the driver; for Start::pnp by query-remove, remove and DriverUnload. While files are open, a plain service
// stays until the last file is closed, as on Windows; a device is not removed (STATUS_UNSUCCESSFUL), except after
// surprise_remove(). When the driver is gone, it must have released all resources. Each leak is a failure of the
// scenario.
u32 unload();
bool is_loaded();
bool stays_in_memory();  // the driver referenced itself, so its code stayed mapped, in this or the last load
// Offset of an address in the driver's image, or ~0 if the address is outside.
u64 offset_in_driver(u64 address);

// An open handle. The driver sees its FILE_OBJECT.
struct File;
struct Opened {
  u32 status;
  File* file;  // null unless status is success
};
// The opener is a program; a kernel component, whose rights are not checked; or a kernel component on behalf of a
// program, with the program's rights checked (OBJ_FORCE_ACCESS_CHECK).
enum class Opener { program, kernel, kernel_for_program };
// IRP_MJ_CREATE with the security context of the process, by the link of the control device or by the interface.
Opened open(Process& process, Opener opener = Opener::program);
// IRP_MJ_DEVICE_CONTROL, METHOD_BUFFERED, in the context of the process that opened the file: one system buffer of
// max(input_size, capacity) bytes, with poison beyond the input. Checked: completed exactly once, with the status the
// dispatch routine returned; Information at most capacity; the bytes around the buffer are untouched. On success and
// warnings `returned` bytes are copied out, on errors none, as the I/O manager does.
u32 control(File& file, u32 code, const void* input, u32 input_size, void* output, u32 capacity,
            u32* returned = nullptr);
// The poison of system buffers. Two runs of a request with different poison show which bytes were not written.
void set_buffer_poison(u8 poison);
// cleanup() closes the handle; close() drops the last reference to the file. Windows sends both requests, in this
// order; Wine sends no cleanup.
u32 cleanup(File& file);
void close(File* file);              // IRP_MJ_CLOSE; frees the file
void cleanup_and_close(File* file);  // the work of CloseHandle
// Sends any other request, e.g. IRP_MJ_READ. Returns the status with which it is completed.
u32 other_request(File& file, u8 major, u8 minor = 0);

// PnP and power requests, sent down the device's stack. Only after load(Start::pnp).
u32 pnp_request(u8 minor);  // IRP_MN_...; returns the final status, even if the bus's driver did not see it
u32 surprise_remove();      // the device is gone: IRP_MN_SURPRISE_REMOVAL; remove follows when the last file closes
u32 set_system_power(u32 state);  // IRP_MN_SET_POWER, SystemPowerState: 1 = working, 4 = sleeping (S3)
u32 query_system_power(u32 state);
bool interface_enabled();
// Notifies drivers that have registered for it, including drivers without a device stack, that the machine is about to
// sleep, or has slept.
void announce_sleep();
void announce_waking();
// Calls AddDevice for a second device, with its own bus device. The driver must refuse or serve it.
u32 add_second_device();

// Faults to inject. Each stays in effect until it is changed. The next scenario begins without faults.
void fail_allocation_after(u64 allocations);  // this many succeed, then all of ExAllocatePool2 fail; ~0 = all succeed
void fail_thread_creation(bool fail);
u64 pool_allocations();  // allocations so far in this load
u64 pool_bytes_in_use();

// While APCs are held they stay queued, as in a thread that is never scheduled.
void hold_apcs(bool hold);
u32 apcs_run();       // number of APCs run since the machine started
u32 apcs_run_down();  // number of APCs that were run down because their threads ended
// If `wanted`, an APC that has left the driver returns only after the driver is gone.
void let_apcs_return_late(bool wanted);
u32 apcs_that_returned_late();  // number since the machine started
// From now on the kernel does not export this routine: MmGetSystemRoutineAddress returns null. The text must live until
// the scenario ends.
void hide_routine(const char* name);
void give_interrupts_a_stack(bool wanted);  // as IoGetStackLimits reports it

// The number of programmable counters that another driver holds through HalAllocateHardwareCounters.
void hold_counters_elsewhere(u32 count);
u32 counters_held_by_driver();
void offer_single_counters(bool offered);  // false: lists are not supported, only the whole unit
// false: HalProfileSourceInterruptHandler returns STATUS_NOT_SUPPORTED, even for removing a handler.
void offer_interrupt_handler(bool offered);
// Whether the handler set with HalProfileSourceInterruptHandler belongs to the driver.
bool interrupt_handler_is_drivers();
u64 profile_interrupts(u32 cpu);  // overflow interrupts taken so far

// Physical ranges in addition to RAM: MmMapIoSpaceEx maps them to `memory`.
void add_device_memory(u64 physical, void* memory, u64 bytes);
void remove_device_memory();
// Adds memory that only MmGetPhysicalMemoryRangesEx2 reports, for a call about all partitions; remove_device_memory
// removes it.
void set_memory_of_partition(u64 physical, u64 bytes);

// ETW. Providers enabled here see IsEnabled; events the driver wrote are kept until cleared.
struct EtwEvent {
  u64 provider;  // first eight bytes of the GUID
  u16 id;
  u8 version, channel, level, opcode;
  u16 task;
  u64 keyword;
  u32 data_size;
  u8 data[256];
};
void enable_etw(bool enabled);
u32 etw_event_count();
const EtwEvent& etw_event(u32 index);  // the first 4096 are kept
void clear_etw_events();

}  // namespace wperf::nthost
