// SPDX-License-Identifier: BSD-3-Clause
// System registers by name, and the lock that masks interrupts. For the machine and the kernel's scheduler.
#pragma once
#include "base/ints.h"

#define WPERF_READ_SYSREG(name)                                \
  ({                                                           \
    ::wperf::u64 value_;                                       \
    asm volatile("mrs %0, " name : "=r"(value_) : : "memory"); \
    value_;                                                    \
  })
#define WPERF_WRITE_SYSREG(name, value) \
  asm volatile("msr " name ", %0" : : "r"(static_cast<::wperf::u64>(value)) : "memory")

namespace wperf::nthost {

inline void instruction_barrier() {
  asm volatile("isb" : : : "memory");
}

inline u64 mask_interrupts() {
  const u64 before = WPERF_READ_SYSREG("daif");
  asm volatile("msr daifset, #2" : : : "memory");
  return before;
}
inline void restore_interrupts(u64 before) {
  WPERF_WRITE_SYSREG("daif", before);
}

// Held for a few instructions only; interrupts of this core wait.
class SpinLock {
 public:
  void lock() {
    while (__atomic_exchange_n(&held_, 1u, __ATOMIC_ACQUIRE) != 0) {
      while (__atomic_load_n(&held_, __ATOMIC_RELAXED) != 0) asm volatile("yield");
    }
  }
  void unlock() { __atomic_store_n(&held_, 0u, __ATOMIC_RELEASE); }

 private:
  u32 held_ = 0;
};

class Guard {
 public:
  explicit Guard(SpinLock& lock) : lock_(lock), interrupts_(mask_interrupts()) { lock_.lock(); }
  ~Guard() {
    lock_.unlock();
    restore_interrupts(interrupts_);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  SpinLock& lock_;
  u64 interrupts_;
};

}  // namespace wperf::nthost
