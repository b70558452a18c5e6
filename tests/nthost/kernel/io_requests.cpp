// SPDX-License-Identifier: BSD-3-Clause
// Requests: IofCallDriver, IofCompleteRequest, IoForwardIrpSynchronously. Builds them and watches their progress.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/io_objects.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/scheduler.h"
#include "tests/nthost/machine/memory.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostRequests = 16, kMostLocations = 4;
constexpr u16 kIrpType = 6;
constexpr u8 kPendingReturned = 0x01, kInvokeOnCancel = 0x20, kInvokeOnSuccess = 0x40, kInvokeOnError = 0x80;
constexpr u8 kGone = 0xdd;
constexpr NTSTATUS kPending = 0x103, kMoreProcessing = static_cast<NTSTATUS>(0xC0000016);
constexpr NTSTATUS kUntouched = static_cast<NTSTATUS>(0xBADBAD00);

struct Block {
  IRP irp;  // the first member, so that the block is found from its IRP; the stack locations follow it as on Windows
  IO_STACK_LOCATION locations[kMostLocations];
  KEVENT completed;
  u32 in_use;
  u32 completions;
  bool marked_pending;
  NTSTATUS status;
  u64 information;
};

SpinLock lock;
Block blocks[kMostRequests];
bool ever_used[kMostRequests];

bool is_gone(const Block& block) {
  constexpr u64 kGoneWord = kGone * 0x0101'0101'0101'0101ull;
  static_assert(__builtin_offsetof(Block, completed) % sizeof(u64) == 0);
  const u64* words = reinterpret_cast<const u64*>(&block);
  for (u64 i = 0; i < __builtin_offsetof(Block, completed) / sizeof(u64); ++i) {
    if (words[i] != kGoneWord) return false;
  }
  return true;
}

Block& take_block() {
  const Guard guard(lock);
  for (u32 i = 0; i < kMostRequests; ++i) {
    if (blocks[i].in_use) continue;
    if (ever_used[i] && !is_gone(blocks[i])) fail("an IRP was written to after its completion");
    ever_used[i] = true;
    memset(&blocks[i], 0, sizeof blocks[i]);
    blocks[i].in_use = 1;
    return blocks[i];
  }
  give_up("more than {} requests under way", kMostRequests);
}

void give_block(Block& block) {
  const Guard guard(lock);
  memset(&block, kGone, __builtin_offsetof(Block, completed));
  block.in_use = 0;
}

Block& block_of(IRP* irp, const char* function) {
  for (Block& it : blocks) {
    if (&it.irp == irp && it.in_use) return it;
  }
  give_up("{}: {x} is no IRP, or one that is completed", function, irp);
}

void fill(Block& block, DEVICE_OBJECT* device, const Request& request) {
  IRP& irp = block.irp;
  const u32 depth = static_cast<u32>(device->StackSize);
  irp.Type = kIrpType;
  irp.Size = sizeof(IRP) + kMostLocations * sizeof(IO_STACK_LOCATION);
  irp.StackCount = device->StackSize;
  irp.CurrentLocation = static_cast<CCHAR>(device->StackSize + 1);
  irp.Tail.Overlay.CurrentStackLocation = &block.locations[depth];
  irp.Tail.Overlay.OriginalFileObject = request.file;
  irp.Tail.Overlay.Thread = current_thread();
  irp.AssociatedIrp.SystemBuffer = request.system_buffer;
  irp.RequestorMode = request.mode;
  irp.IoStatus.Status = request.initial_status;
  IO_STACK_LOCATION& next = block.locations[depth - 1];
  next = request.parameters;
  next.MajorFunction = request.major;
  next.MinorFunction = request.minor;
  next.FileObject = request.file;
  next.Control = 0;
  next.CompletionRoutine = nullptr;
}

void finish(Block& block) {
  block.status = block.irp.IoStatus.Status;
  block.information = block.irp.IoStatus.Information;
  if (++block.completions == 1) KeSetEvent(&block.completed, 0, FALSE);
}

bool wants_call(const IO_STACK_LOCATION& location, const IRP& irp) {
  if (location.CompletionRoutine == nullptr) return false;
  if (irp.Cancel && (location.Control & kInvokeOnCancel) != 0) return true;
  return (location.Control & (NT_SUCCESS(irp.IoStatus.Status) ? kInvokeOnSuccess : kInvokeOnError)) != 0;
}

NTSTATUS signal_and_keep(DEVICE_OBJECT*, IRP*, PVOID context) {
  KeSetEvent(static_cast<KEVENT*>(context), 0, FALSE);
  return kMoreProcessing;
}

}  // namespace

Completed send_request(DEVICE_OBJECT* device, const Request& request) {
  if (device->StackSize < 1 || device->StackSize >= static_cast<CCHAR>(kMostLocations)) give_up("a stack that deep");
  Block& block = take_block();
  KeInitializeEvent(&block.completed, NotificationEvent, FALSE);
  fill(block, device, request);
  const u32 regions = current_thread()->critical_regions;
  const NTSTATUS returned = IofCallDriver(device, &block.irp);
  if (current_irql() != kPassive) {
    fail("the routine of IRP_MJ {x} returned at {}", request.major, name_of_level(current_irql()));
    set_irql(kPassive);
  }
  if ((WPERF_READ_SYSREG("daif") & 0x80) != 0) fail("the routine of IRP_MJ {x} left interrupts masked", request.major);
  if (current_thread()->critical_regions != regions) fail("IRP_MJ {x} left a critical region open", request.major);
  if (returned == kPending) {
    KeWaitForSingleObject(&block.completed, Executive, KernelMode, FALSE, nullptr);
    if (!block.marked_pending) fail("IRP_MJ {x}: STATUS_PENDING for an IRP that was not marked pending", request.major);
  } else if (block.completions == 0) {
    give_up("IRP_MJ {x}, minor {x}: not completed, and the routine returned {x}", request.major, request.minor,
            static_cast<u32>(returned));
  } else if (returned != block.status) {
    fail("IRP_MJ {x}: the routine returned {x}, the IRP was completed with {x}", request.major,
         static_cast<u32>(returned), static_cast<u32>(block.status));
  }
  if (block.completions > 1) fail("IRP_MJ {x} was completed {} times", request.major, block.completions);
  const Completed result = {block.status, block.information};
  give_block(block);
  return result;
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS IofCallDriver(DEVICE_OBJECT* device, IRP* irp) {
  WPERF_ALLOW_UP_TO(kDispatch);
  block_of(irp, __func__);
  if (!is_device(device)) give_up("IofCallDriver: {x} is no device", device);
  if (--irp->CurrentLocation <= 0) give_up("IofCallDriver: the IRP has no stack location left");
  IO_STACK_LOCATION* location = --irp->Tail.Overlay.CurrentStackLocation;
  location->DeviceObject = device;
  return device->DriverObject->MajorFunction[location->MajorFunction](device, irp);
}

extern "C" void IofCompleteRequest(IRP* irp, CCHAR priority_boost) {
  (void)priority_boost;
  WPERF_ALLOW_UP_TO(kDispatch);
  Block& block = block_of(irp, __func__);
  if (block.completions != 0) {
    ++block.completions;
    return;
  }
  if (irp->IoStatus.Status == kPending || irp->IoStatus.Status == kUntouched)
    fail("an IRP is completed without a status");
  using CompletionRoutine = NTSTATUS (*)(DEVICE_OBJECT*, IRP*, PVOID);
  while (irp->CurrentLocation <= irp->StackCount) {
    IO_STACK_LOCATION* location = irp->Tail.Overlay.CurrentStackLocation;
    irp->PendingReturned = (location->Control & kPendingReturned) != 0;
    block.marked_pending = irp->PendingReturned != 0;
    ++irp->CurrentLocation;
    ++irp->Tail.Overlay.CurrentStackLocation;
    if (!wants_call(*location, *irp)) continue;
    DEVICE_OBJECT* owner =
        irp->CurrentLocation <= irp->StackCount ? irp->Tail.Overlay.CurrentStackLocation->DeviceObject : nullptr;
    const auto routine = reinterpret_cast<CompletionRoutine>(location->CompletionRoutine);
    if (routine(owner, irp, location->Context) == kMoreProcessing) return;
  }
  finish(block);
}

extern "C" BOOLEAN IoForwardIrpSynchronously(DEVICE_OBJECT* device, IRP* irp) {
  WPERF_ALLOW_ONLY(kPassive);
  block_of(irp, __func__);
  if (irp->CurrentLocation <= 1) return FALSE;
  KEVENT done;
  KeInitializeEvent(&done, NotificationEvent, FALSE);
  const IO_STACK_LOCATION* current = irp->Tail.Overlay.CurrentStackLocation;
  IO_STACK_LOCATION* next = irp->Tail.Overlay.CurrentStackLocation - 1;
  *next = *current;
  next->Control = kInvokeOnCancel | kInvokeOnSuccess | kInvokeOnError;
  next->CompletionRoutine = reinterpret_cast<PVOID>(&signal_and_keep);
  next->Context = &done;
  IofCallDriver(device, irp);
  KeWaitForSingleObject(&done, Executive, KernelMode, FALSE, nullptr);
  return TRUE;
}
