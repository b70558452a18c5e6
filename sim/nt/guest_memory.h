// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes of a simulated program's memory on its behalf, with its page permissions: a Windows function may not
// touch memory that the program itself may not touch. Never trusts an address.
#pragma once
#include "base/ints.h"
#include "sim/memory/address_space.h"

namespace wperf::sim {

namespace nt {
class Memory;
}

class GuestMemory {
 public:
  explicit GuestMemory(AddressSpace& space, nt::Memory* memory = nullptr) : space_(space), memory_(memory) {}

  // If `permissions` include writing and the pages are watched, the range counts as written from then on.
  [[nodiscard]] bool allows(u64 address, u64 size, u32 permissions) const;
  [[nodiscard]] bool read(u64 address, void* out, u64 size) const;
  [[nodiscard]] bool write(u64 address, const void* in, u64 size);
  // Like memmove. Both ranges are checked first.
  [[nodiscard]] bool copy(u64 to, u64 from, u64 size);

 private:
  AddressSpace& space_;
  nt::Memory* memory_;  // may be null
};

}  // namespace wperf::sim
