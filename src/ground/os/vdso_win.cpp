// SPDX-License-Identifier: BSD-3-Clause
#include "ground/os/vdso.h"

namespace wperf::os {

std::span<const std::byte> vdso_image() {
  return {};
}

}  // namespace wperf::os
