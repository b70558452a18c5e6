// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/etw.h"

#include "driver/core/count_request.h"

namespace wperf::driver {
namespace {

constexpr GUID kProvider = WPERF_DRIVER_PROVIDER_GUID;
constexpr ULONG kProviderEnabled = 1;  // EVENT_CONTROL_CODE_ENABLE_PROVIDER
constexpr ULONG kProviderDisabled = 0;
constexpr u32 kCycleEvent = 0x11;

}  // namespace

Etw::Etw() {
  if (!NT_SUCCESS(EtwRegister(&kProvider, on_enable, this, &provider_))) {
    provider_ = 0;
  }
}

Etw::~Etw() {
  if (provider_ != 0) {
    static_cast<void>(EtwUnregister(provider_));
  }
}

void Etw::request_succeeded(ClientId client, u32 process, u32 code, const void* bytes) {
  switch (static_cast<decltype(WPERF_CODE_LOCK)>(code)) {
    case WPERF_CODE_COUNT_CONFIGURE:
      return note_events(*static_cast<const WperfCountRequest*>(bytes));
    case WPERF_CODE_COUNT_READ:
      return write_readings(*static_cast<const WperfCountReply*>(bytes));
    case WPERF_CODE_LOCK: {
      const bool released = static_cast<const WperfLockRequest*>(bytes)->action == WPERF_LOCK_RELEASE;
      return write_activity(released ? kEtwLockGivenUp : kEtwLockTaken, client, process);
    }
    case WPERF_CODE_COUNT_START:
      return write_activity(kEtwCountingStarted, client, process);
    case WPERF_CODE_COUNT_STOP:
      return write_activity(kEtwCountingStopped, client, process);
    case WPERF_CODE_SAMPLE_START:
      return write_activity(kEtwSamplingStarted, client, process);
    case WPERF_CODE_SAMPLE_STOP:
      return write_activity(kEtwSamplingStopped, client, process);
    default:
      return;
  }
}

void Etw::client_left(ClientId client, u32 process) {
  write_activity(kEtwLockGivenUp, client, process);
}

// Called at IRQL PASSIVE_LEVEL, at any time from the registration to the end of the unregistration.
void Etw::on_enable(LPCGUID, ULONG control, UCHAR, ULONGLONG, ULONGLONG, EVENT_FILTER_DESCRIPTOR*, PVOID self) {
  if (control == kProviderEnabled || control == kProviderDisabled) {
    __atomic_store_n(&static_cast<Etw*>(self)->listeners_, control == kProviderEnabled ? 1u : 0u, __ATOMIC_RELAXED);
  }
}

// For a request that the driver accepted, so its counts are in range.
void Etw::note_events(const WperfCountRequest& request) {
  for (const EventClass event_class : kEventClasses) {
    const usize place = index_of(event_class);
    event_count_[place] = request.entry_count[place];
    for (u32 i = 0; i < event_count_[place]; ++i) {
      events_[place][i] = entries_of(request, event_class).entries[i].event;
    }
  }
}

void Etw::write_readings(const WperfCountReply& reply) {
  if (!heard()) {
    return;
  }
  EtwReading reading = {};
  reading.enabled_ns = reply.enabled_ns;
  reading.event_class = reply.event_class;
  reading.unit = reply.unit;
  for (u32 i = 0; i < reply.entry_count && i < event_count_[reply.event_class]; ++i) {
    reading.value = reply.entries[i].value;
    reading.running_ns = reply.entries[i].running_ns;
    reading.index = i;
    reading.event = events_[reply.event_class][i];
    write(kEtwCounterRead, kEtwReadingKeyword, &reading, sizeof reading);
  }
  if (reply.event_class == WPERF_CLASS_CORE) {
    reading.value = reply.cycles;
    reading.running_ns = reply.enabled_ns;
    reading.index = kEtwCycleIndex;
    reading.event = kCycleEvent;
    write(kEtwCounterRead, kEtwReadingKeyword, &reading, sizeof reading);
  }
}

void Etw::write_activity(EtwEvent event, ClientId client, u32 process) {
  if (heard()) {
    const EtwClient fields = {client, process, 0};
    write(event, kEtwActivityKeyword, &fields, sizeof fields);
  }
}

void Etw::write(EtwEvent event, u64 keyword, const void* fields, u32 size) {
  if (provider_ == 0) {
    return;
  }
  const EVENT_DESCRIPTOR descriptor = {event, 0, 0, kEtwLevel, 0, 0, keyword};
  EVENT_DATA_DESCRIPTOR data = {reinterpret_cast<ULONG_PTR>(fields), size, 0};
  static_cast<void>(EtwWrite(provider_, &descriptor, nullptr, 1, &data));  // the recorder counts lost events
}

}  // namespace wperf::driver
