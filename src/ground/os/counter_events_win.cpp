// SPDX-License-Identifier: BSD-3-Clause
#include <windows.h>
// Comes after windows.h, which it needs.
#include <evntprov.h>

#include "ground/os/counter_events.h"
#include "ground/os/system_library_win.h"
#include "ground/os/wide_text_win.h"

namespace wperf::os {
namespace {

constexpr GUID kProvider = {0x6AFCCF81, 0x3A0C, 0x411E, {0xA4, 0xAA, 0xC4, 0xCF, 0x02, 0xEB, 0x84, 0x0D}};
constexpr EVENT_DESCRIPTOR kCounterRead = {
    .Id = 1, .Version = 0, .Channel = 0, .Level = 4, .Opcode = 0, .Task = 0, .Keyword = 1};

// Registered until the process ends, when the system removes it.
class Provider {
 public:
  Provider() {
    const SystemLibrary library(L"advapi32.dll");
    ULONG(WINAPI * enroll)(LPCGUID, PENABLECALLBACK, PVOID, PREGHANDLE) = nullptr;
    if (!library.bind("EventEnabled", enabled_) || !library.bind("EventWrite", write_) ||
        !library.bind("EventRegister", enroll) || enroll(&kProvider, nullptr, nullptr, &handle_) != ERROR_SUCCESS) {
      handle_ = 0;
    }
  }
  bool wanted() const { return handle_ != 0 && enabled_(handle_, &kCounterRead) != 0; }
  void write(EVENT_DATA_DESCRIPTOR* fields, ULONG count) const { write_(handle_, &kCounterRead, count, fields); }

 private:
  REGHANDLE handle_ = 0;
  BOOLEAN(WINAPI* enabled_)(REGHANDLE, PCEVENT_DESCRIPTOR) = nullptr;
  ULONG(WINAPI* write_)(REGHANDLE, PCEVENT_DESCRIPTOR, ULONG, PEVENT_DATA_DESCRIPTOR) = nullptr;
};

const Provider& provider() {
  static const Provider registered;
  return registered;
}

template <typename Field>
EVENT_DATA_DESCRIPTOR field_of(const Field& field) {
  EVENT_DATA_DESCRIPTOR descriptor{};
  descriptor.Ptr = reinterpret_cast<ULONGLONG>(&field);
  descriptor.Size = sizeof field;
  return descriptor;
}

EVENT_DATA_DESCRIPTOR field_of(const std::wstring& text) {
  EVENT_DATA_DESCRIPTOR descriptor{};
  descriptor.Ptr = reinterpret_cast<ULONGLONG>(text.c_str());
  descriptor.Size = static_cast<ULONG>((text.size() + 1) * sizeof(wchar_t));
  return descriptor;
}

}  // namespace

bool counter_events_wanted() {
  return provider().wanted();
}

void write_counter_event(const CounterEvent& event) {
  if (!provider().wanted()) return;
  const std::wstring name = wide_of(event.event);
  const std::wstring note = wide_of(event.note);
  EVENT_DATA_DESCRIPTOR fields[] = {field_of(event.core), field_of(name), field_of(event.index), field_of(note),
                                    field_of(event.value)};
  provider().write(fields, static_cast<ULONG>(std::size(fields)));
}

std::string_view counter_events_feature() {
  return "+etw-app";
}

}  // namespace wperf::os
