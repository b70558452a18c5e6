// SPDX-License-Identifier: BSD-3-Clause
// ExAllocatePool2, ExFreePool, ExFreePoolWithTag.
#include "tests/nthost/check.h"
#include "tests/nthost/kernel/ex_pool.h"
#include "tests/nthost/kernel/irql.h"
#include "tests/nthost/kernel/scheduler.h"

using namespace wperf::nthost;

extern "C" PVOID ExAllocatePool2(POOL_FLAGS flags, SIZE_T size, ULONG tag) {
  WPERF_ALLOW_UP_TO(kDispatch);
  if (flags != POOL_FLAG_NON_PAGED) give_up("ExAllocatePool2: flags {x} are not offered", flags);
  if (tag == 0) fail("ExAllocatePool2: a tag of 0");
  if (size == 0) fail("ExAllocatePool2: 0 bytes");
  return allocate_pool(size, tag, nullptr);
}

extern "C" void ExFreePoolWithTag(PVOID memory, ULONG tag) {
  WPERF_ALLOW_UP_TO(kDispatch);
  free_pool(memory, tag, __func__);
}

extern "C" void ExFreePool(PVOID memory) {
  WPERF_ALLOW_UP_TO(kDispatch);
  free_pool(memory, 0, __func__);
}
