// SPDX-License-Identifier: BSD-3-Clause
// EtwRegister, EtwUnregister, EtwWrite: an event session that scenarios enable and read.
#include "tests/nthost/check.h"
#include "tests/nthost/driver_under_test.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/machine/memory.h"
#include "tests/nthost/machine/register_access.h"

namespace wperf::nthost {
namespace {

constexpr u32 kMostProviders = 4, kMostEvents = 4096, kMostData = 64 * 1024;
constexpr u8 kVerbose = 5;
constexpr u32 kDisable = 0, kEnable = 1;
constexpr u64 kFirstHandle = 0xe7e0'0000'0001;

struct Provider {
  bool registered;
  GUID guid;
  ETWENABLECALLBACK* callback;
  PVOID context;
};

SpinLock lock;
Provider providers[kMostProviders];
bool enabled = false;
EtwEvent events[kMostEvents];
u32 event_count = 0;

void tell(const Provider& provider, bool on) {
  if (provider.callback == nullptr) return;
  const GUID session = {};
  provider.callback(&session, on ? kEnable : kDisable, on ? kVerbose : 0, on ? ~0ull : 0, 0, nullptr, provider.context);
  if (current_irql() != kPassive) fail("the ETW enable callback returned at {}", name_of_level(current_irql()));
}

Provider* find(REGHANDLE handle) {
  const u64 index = handle - kFirstHandle;
  return index < kMostProviders && providers[index].registered ? &providers[index] : nullptr;
}

void record(const Provider& provider, const EVENT_DESCRIPTOR& what, ULONG count, const EVENT_DATA_DESCRIPTOR* data) {
  const Guard guard(lock);
  if (event_count >= kMostEvents) {
    ++event_count;
    return;
  }
  EtwEvent& event = events[event_count++];
  event = {};
  memcpy(&event.provider, &provider.guid, sizeof event.provider);
  event.id = what.Id;
  event.version = what.Version;
  event.channel = what.Channel;
  event.level = what.Level;
  event.opcode = what.Opcode;
  event.task = what.Task;
  event.keyword = what.Keyword;
  for (u32 i = 0; i < count; ++i) {
    const u32 room = sizeof event.data - (event.data_size < sizeof event.data ? event.data_size : sizeof event.data);
    memcpy(event.data + (sizeof event.data - room), reinterpret_cast<const void*>(data[i].Ptr),
           data[i].Size < room ? data[i].Size : room);
    event.data_size += data[i].Size;
  }
}

}  // namespace

void enable_etw(bool on) {
  if (on == enabled) return;
  enabled = on;
  for (const Provider& it : providers) {
    if (it.registered) tell(it, on);
  }
}

u32 etw_event_count() {
  return event_count;
}
void clear_etw_events() {
  event_count = 0;
}

const EtwEvent& etw_event(u32 index) {
  if (index >= event_count || index >= kMostEvents) give_up("there is no event {}", index);
  return events[index];
}

void report_etw_leaks() {
  for (Provider& it : providers) {
    if (it.registered) fail("leak: an ETW provider is still registered");
    it = {};
  }
}

void reset_etw() {
  enabled = false;
  event_count = 0;
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS EtwRegister(LPCGUID provider, ETWENABLECALLBACK* callback, PVOID context, REGHANDLE* handle) {
  WPERF_ALLOW_ONLY(kPassive);
  for (wperf::u32 i = 0; i < kMostProviders; ++i) {
    if (providers[i].registered) continue;
    providers[i] = {true, *provider, callback, context};
    *handle = kFirstHandle + i;
    if (enabled) tell(providers[i], true);  // a session may be waiting for it
    return STATUS_SUCCESS;
  }
  return STATUS_INSUFFICIENT_RESOURCES;
}

extern "C" NTSTATUS EtwUnregister(REGHANDLE handle) {
  WPERF_ALLOW_ONLY(kPassive);
  Provider* provider = find(handle);
  if (provider == nullptr) {
    fail("EtwUnregister: {x} is no registration", handle);
    return static_cast<NTSTATUS>(0xC0000008);
  }
  *provider = {};
  return STATUS_SUCCESS;
}

extern "C" NTSTATUS EtwWrite(REGHANDLE handle, const EVENT_DESCRIPTOR* event, LPCGUID activity, ULONG data_count,
                             EVENT_DATA_DESCRIPTOR* data) {
  (void)activity;
  const Provider* provider = find(handle);
  if (provider == nullptr) {
    fail("EtwWrite: {x} is no registration", handle);
    return static_cast<NTSTATUS>(0xC0000008);
  }
  wperf::u64 size = 0;
  for (wperf::u32 i = 0; i < data_count; ++i) {
    if (data[i].Reserved != 0) fail("EtwWrite: EVENT_DATA_DESCRIPTOR.Reserved is not 0");
    size += data[i].Size;
  }
  if (data_count > 128 || size > kMostData) {
    fail("EtwWrite: {} pieces of data, {} bytes", data_count, size);
    return STATUS_INVALID_PARAMETER;
  }
  if (enabled) record(*provider, *event, data_count, data);
  return STATUS_SUCCESS;
}
