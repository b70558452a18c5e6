// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes of a simulated program's memory on its behalf, with its page permissions: a Windows function may not
// touch memory that the program itself may not touch. Never trusts an address.
#pragma once
#include "base/ints.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

class GuestMemory {
 public:
  explicit GuestMemory(AddressSpace& space) : space_(space) {}

  [[nodiscard]] bool allows(u64 address, u64 size, u32 permissions) const;
  [[nodiscard]] bool read(u64 address, void* out, u64 size) const;
  [[nodiscard]] bool write(u64 address, const void* in, u64 size);
  // Like memmove. Both ranges are checked first.
  [[nodiscard]] bool copy(u64 to, u64 from, u64 size);

 private:
  AddressSpace& space_;
};

}  // namespace wperf::sim
