// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/registry.h"

#include "base/ints.h"
#include "base/raw_bytes.h"

namespace wperf::driver {
namespace {

// Windows creates this hive again at each start.
constexpr const WCHAR* kInterruptHeld = L"\\Registry\\Machine\\HARDWARE\\WPERFDRV";

NTSTATUS open_key(HANDLE root, UNICODE_STRING* name, HANDLE* key) {
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, root, nullptr);
  return ZwOpenKey(key, KEY_READ, &attributes);
}

u32 read_number(HANDLE key, const WCHAR* value) {
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, value);
  KEY_VALUE_PARTIAL_INFORMATION answer[2] = {};  // room for the four bytes of a number
  ULONG size = 0;
  const NTSTATUS status = ZwQueryValueKey(key, &name, KeyValuePartialInformation, answer, sizeof answer, &size);
  u32 number = 0;
  if (NT_SUCCESS(status) && answer->Type == REG_DWORD && answer->DataLength == sizeof number) {
    copy_bytes(&number, answer->Data, sizeof number);
  }
  return number;
}

}  // namespace

bool is_installed_as_device(UNICODE_STRING* registry_path) {
  HANDLE service = nullptr;
  if (!NT_SUCCESS(open_key(nullptr, registry_path, &service))) {
    return false;
  }
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, L"Parameters");
  HANDLE parameters = nullptr;
  u32 number = 0;
  if (NT_SUCCESS(open_key(service, &name, &parameters))) {
    number = read_number(parameters, L"PnP");
    static_cast<void>(ZwClose(parameters));
  }
  static_cast<void>(ZwClose(service));
  return number == 1;
}

void note_interrupt_held() {
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, kInterruptHeld);
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, nullptr, nullptr);
  HANDLE key = nullptr;
  if (NT_SUCCESS(ZwCreateKey(&key, KEY_READ, &attributes, 0, nullptr, REG_OPTION_VOLATILE, nullptr))) {
    static_cast<void>(ZwClose(key));
  }
}

bool interrupt_was_held() {
  UNICODE_STRING name;
  RtlInitUnicodeString(&name, kInterruptHeld);
  HANDLE key = nullptr;
  if (!NT_SUCCESS(open_key(nullptr, &name, &key))) {
    return false;
  }
  static_cast<void>(ZwClose(key));
  return true;
}

}  // namespace wperf::driver
