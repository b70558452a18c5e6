// SPDX-License-Identifier: BSD-3-Clause
#include "driver/nt/profiling_registers.h"

#include "driver/arm64/registers.h"

namespace wperf::driver {

// One register of each of the groups that are trapped together: identification, control, buffer. The reads are calls,
// because the compiler guards calls only.
bool profiling_registers_answer() {
  __try {
    static_cast<void>(read_profiling_identity());
    static_cast<void>(read_profiling_control());
    static_cast<void>(read_profiling_buffer_limit());
    return true;
  } __except (1 /* EXCEPTION_EXECUTE_HANDLER */) {
    return false;
  }
}

}  // namespace wperf::driver
