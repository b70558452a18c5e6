// SPDX-License-Identifier: BSD-3-Clause
// Non-paged, zeroed, never executable memory with the driver's tag, and objects in it. IRQL <= DISPATCH_LEVEL, unless a
// constructor or destructor says otherwise.
#pragma once
#include "base/ints.h"
#include "driver/nt/nt.h"

inline void* operator new(wperf::usize, void* place) noexcept {
  return place;
}

namespace wperf::driver {

inline constexpr ULONG kPoolTag = 0x66725077;  // "wPrf" in a debugger

// The pool guarantees that a block of a page or more begins at a page boundary.
inline void* allocate_pool(usize size) {
  return ExAllocatePool2(POOL_FLAG_NON_PAGED, size, kPoolTag);
}
inline void free_pool(void* memory) {
  ExFreePoolWithTag(memory, kPoolTag);
}

// Null if memory is exhausted.
template <typename Object, typename... Arguments>
Object* new_object(Arguments&... arguments) {
  void* memory = allocate_pool(sizeof(Object));
  return memory == nullptr ? nullptr : new (memory) Object(arguments...);
}
template <typename Object>
void delete_object(Object* object) {
  object->~Object();
  free_pool(object);
}

}  // namespace wperf::driver
