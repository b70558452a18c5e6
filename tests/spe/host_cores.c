// SPDX-License-Identifier: BSD-3-Clause
// Preloaded, makes a program believe in a machine of HOST_CORES cores.
#include <stdlib.h>

int get_nprocs(void) {
  return atoi(getenv("HOST_CORES"));
}
