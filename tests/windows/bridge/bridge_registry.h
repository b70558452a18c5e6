// SPDX-License-Identifier: BSD-3-Clause
// Numbers from Wine's registry. Called at PASSIVE_LEVEL.
#pragma once
#include "driver/nt/nt.h"

namespace wperf::bridge {

// The REG_DWORD `name` of a key, or `otherwise` if the key or value is missing or has another type. `below` names a
// subkey; if it is empty, the key itself is read.
inline ULONG registry_number(HANDLE parent, UNICODE_STRING* key_name, const WCHAR* name, ULONG otherwise,
                             const WCHAR* below = nullptr) {
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, key_name, OBJ_CASE_INSENSITIVE | OBJ_KERNEL_HANDLE, parent, nullptr);
  HANDLE key = nullptr;
  if (!NT_SUCCESS(ZwOpenKey(&key, KEY_READ, &attributes))) return otherwise;
  ULONG result = otherwise;
  if (below != nullptr) {
    UNICODE_STRING below_name;
    RtlInitUnicodeString(&below_name, below);
    result = registry_number(key, &below_name, name, otherwise);
  } else {
    UNICODE_STRING value_name;
    RtlInitUnicodeString(&value_name, name);
    alignas(8) UCHAR buffer[sizeof(KEY_VALUE_PARTIAL_INFORMATION) + sizeof(ULONG)] = {};
    ULONG size = 0;
    if (NT_SUCCESS(ZwQueryValueKey(key, &value_name, KeyValuePartialInformation, buffer, sizeof buffer, &size))) {
      const auto* value = reinterpret_cast<const KEY_VALUE_PARTIAL_INFORMATION*>(buffer);
      if (value->Type == REG_DWORD && value->DataLength == sizeof result)
        __builtin_memcpy(&result, value->Data, sizeof result);
    }
  }
  ZwClose(key);
  return result;
}

}  // namespace wperf::bridge
