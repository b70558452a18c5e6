// SPDX-License-Identifier: BSD-3-Clause
// The part of the registry that a service key needs: ZwOpenKey, ZwQueryValueKey, and ZwCreateKey for a volatile key in
// HKLM/HARDWARE that the driver makes.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/handles.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/kernel_state.h"
#include "tests/nthost/machine/memory.h"

namespace wperf::nthost {
namespace {

constexpr NTSTATUS kObjectNameNotFound = STATUS_OBJECT_NAME_NOT_FOUND;
constexpr u32 kServiceKey = 1, kParametersKey = 2, kVolatileKey = 3;
constexpr const WCHAR* kVolatilePath = L"\\Registry\\Machine\\HARDWARE\\WPERFDRV";
bool volatile_key_is_there = false;

bool pnp_value_is_there = false;
u32 pnp_value = 0;

WCHAR lower(WCHAR c) {
  return c >= L'A' && c <= L'Z' ? static_cast<WCHAR>(c - L'A' + L'a') : c;
}

bool equals(const UNICODE_STRING& string, const WCHAR* text) {
  u32 i = 0;
  for (; i < string.Length / 2u; ++i) {
    if (text[i] == 0 || lower(string.Buffer[i]) != lower(text[i])) return false;
  }
  return text[i] == 0;
}

u32 key_of(const OBJECT_ATTRIBUTES& attributes) {
  const UNICODE_STRING& name = *attributes.ObjectName;
  if (attributes.RootDirectory != nullptr) {
    const HandleEntry* root = find_handle(attributes.RootDirectory);
    if (root == nullptr || root->kind != HandleKind::key) return 0;
    return root->key == kServiceKey && equals(name, L"Parameters") ? kParametersKey : 0;
  }
  if (equals(name, kRegistryPath)) return kServiceKey;
  if (equals(name, kVolatilePath)) return kVolatileKey;
  return equals(name, kParametersPath) ? kParametersKey : 0;
}

}  // namespace

void forget_volatile_key() {
  volatile_key_is_there = false;
}

void set_pnp_value(bool there, u32 value) {
  pnp_value_is_there = there;
  pnp_value = value;
}

}  // namespace wperf::nthost

using namespace wperf::nthost;

extern "C" NTSTATUS ZwOpenKey(HANDLE* key, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes) {
  WPERF_ALLOW_ONLY(kPassive);
  (void)access;
  if (attributes->Length != sizeof *attributes) fail("ZwOpenKey: OBJECT_ATTRIBUTES has a wrong length");
  const wperf::u32 which = key_of(*attributes);
  // The volatile key exists once the driver has created it; a service without Parameters has no Parameters key.
  if (which == kVolatileKey && !volatile_key_is_there) return kObjectNameNotFound;
  if (which == 0 || (which == kParametersKey && !pnp_value_is_there)) return kObjectNameNotFound;
  *key = make_handle({HandleKind::key, (attributes->Attributes & OBJ_KERNEL_HANDLE) != 0, nullptr, which});
  return STATUS_SUCCESS;
}

extern "C" NTSTATUS ZwCreateKey(HANDLE* key, ACCESS_MASK access, OBJECT_ATTRIBUTES* attributes, ULONG title_index,
                                UNICODE_STRING* class_name, ULONG options, ULONG* disposition) {
  WPERF_ALLOW_ONLY(kPassive);
  (void)access;
  if (attributes->Length != sizeof *attributes) fail("ZwCreateKey: OBJECT_ATTRIBUTES has a wrong length");
  if (title_index != 0 || class_name != nullptr || disposition != nullptr || options != REG_OPTION_VOLATILE ||
      key_of(*attributes) != kVolatileKey)
    give_up("{}: only the driver's volatile key is offered", __func__);
  volatile_key_is_there = true;
  *key = make_handle({HandleKind::key, (attributes->Attributes & OBJ_KERNEL_HANDLE) != 0, nullptr, kVolatileKey});
  return STATUS_SUCCESS;
}

extern "C" NTSTATUS ZwQueryValueKey(HANDLE key, UNICODE_STRING* name, KEY_VALUE_INFORMATION_CLASS information_class,
                                    PVOID information, ULONG size, ULONG* result_size) {
  WPERF_ALLOW_ONLY(kPassive);
  if (information_class != KeyValuePartialInformation)
    give_up("{}: class {} is not offered", __func__, information_class);
  const HandleEntry* entry = find_handle(key);
  if (entry == nullptr || entry->kind != HandleKind::key) return static_cast<NTSTATUS>(0xC0000008);
  if (entry->key != kParametersKey || !equals(*name, L"PnP")) return kObjectNameNotFound;
  constexpr ULONG head = __builtin_offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data);
  *result_size = head + sizeof(wperf::u32);
  if (size < head) return STATUS_BUFFER_TOO_SMALL;
  auto* partial = static_cast<KEY_VALUE_PARTIAL_INFORMATION*>(information);
  partial->TitleIndex = 0;
  partial->Type = REG_DWORD;
  partial->DataLength = sizeof(wperf::u32);
  if (size < *result_size) return static_cast<NTSTATUS>(0x80000005);  // STATUS_BUFFER_OVERFLOW
  memcpy(partial->Data, &pnp_value, sizeof pnp_value);
  return STATUS_SUCCESS;
}
