// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/guarded_registers.h"

#include "driver/arm64/registers.h"

namespace wperf::driver {

// The reads are calls, because the compiler guards only calls.
bool registers_answer(const Register* registers, u32 count) {
  __try {
    for (u32 i = 0; i < count; ++i) {
      static_cast<void>(read_system_register(registers[i]));
    }
    return true;
  } __except (1 /* EXCEPTION_EXECUTE_HANDLER */) {
    return false;
  }
}

}  // namespace wperf::driver
