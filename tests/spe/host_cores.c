// SPDX-License-Identifier: BSD-3-Clause
// Preloaded, it makes a program see HOST_CORES cores.
#include <stdlib.h>

int get_nprocs(void) {
  return atoi(getenv("HOST_CORES"));
}
