// SPDX-License-Identifier: BSD-3-Clause
// RtlInitUnicodeString, RtlFreeUnicodeString, RtlEqualSid.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/security.h"
#include "tests/nthost/machine/memory.h"

using namespace wperf::nthost;

extern "C" void RtlInitUnicodeString(UNICODE_STRING* string, const WCHAR* text) {
  WPERF_ALLOW_UP_TO(kDispatch);
  wperf::u32 length = 0;
  while (text != nullptr && text[length] != 0) ++length;
  if (length * 2 > 0xfffc) length = 0xfffc / 2;
  string->Length = static_cast<USHORT>(length * 2);
  string->MaximumLength = static_cast<USHORT>(text == nullptr ? 0 : length * 2 + 2);
  string->Buffer = const_cast<WCHAR*>(text);
}

extern "C" void RtlFreeUnicodeString(UNICODE_STRING* string) {
  WPERF_ALLOW_ONLY(kPassive);
  if (string->Buffer != nullptr) free_pool(string->Buffer, 0, __func__);
  *string = {};
}

extern "C" BOOLEAN RtlEqualSid(PSID a, PSID b) {
  return sid_size(a) == sid_size(b) && memcmp(a, b, sid_size(a)) == 0;
}
