// SPDX-License-Identifier: BSD-3-Clause
// The driver's event tracing: events about counts and users, for tools that record events. It is called for every
// successful request, and writes only while a tool listens. IRQL PASSIVE_LEVEL, one call at a time.
#pragma once
#include "abi/wire.h"
#include "base/event_class.h"
#include "driver/hal.h"
#include "driver/nt/etw_events.h"
#include "driver/nt/nt.h"

namespace wperf::driver {

class Etw {
 public:
  Etw();  // has no provider if the system has no room for one
  ~Etw();
  Etw(const Etw&) = delete;
  Etw& operator=(const Etw&) = delete;

  // `bytes`: the unchanged request of COUNT_CONFIGURE or LOCK, or the answer of COUNT_READ. Ignored for other codes.
  void request_succeeded(ClientId client, u32 process, u32 code, const void* bytes);
  void client_left(ClientId client, u32 process);  // the client held the lock

 private:
  static void on_enable(LPCGUID source, ULONG control, UCHAR level, ULONGLONG any, ULONGLONG all,
                        EVENT_FILTER_DESCRIPTOR* filter, PVOID self);
  bool heard() const { return __atomic_load_n(&listeners_, __ATOMIC_RELAXED) != 0; }
  void note_events(const WperfCountRequest& request);
  void write_readings(const WperfCountReply& reply);
  void write_activity(EtwEvent event, ClientId client, u32 process);
  void write(EtwEvent event, u64 keyword, const void* fields, u32 size);

  REGHANDLE provider_ = 0;
  u32 listeners_ = 0;  // atomic; 0 or 1
  // The counted events, because an answer holds only their values.
  u32 event_count_[kEventClassCount] = {};
  u16 events_[kEventClassCount][WPERF_MAX_CORE_EVENTS] = {};
};

}  // namespace wperf::driver
