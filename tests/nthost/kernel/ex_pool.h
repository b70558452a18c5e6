// SPDX-License-Identifier: BSD-3-Clause
// The non-paged pool. Each allocation has separate pages and ends at an unmapped page, except for up to 15 bytes. Freed
// memory is unmapped, and its addresses are reused only after gigabytes of other allocations. So a read or write
// outside of an allocation, or after it was freed, faults at once.
#pragma once
#include "base/ints.h"

namespace wperf::nthost {

void* allocate_pool(u64 size, u32 tag, const char* giver);  // zeroed; null if fail_allocation_after requires that
// `function` is the caller's name, for failure messages. `tag` 0 = not checked.
void free_pool(void* memory, u32 tag, const char* function);
void describe_pool_address(u64 address);  // for crash reports: prints the present or former owner of the memory
void report_pool_leaks();                 // each tag with memory in use is a failure; that memory is then freed

}  // namespace wperf::nthost
