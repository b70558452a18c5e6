// SPDX-License-Identifier: BSD-3-Clause
// Prints how many cores the machine has.
#include <wperf/wperf.h>

#include <iostream>

int main() {
  int count = 0;
  if (!wperf_init() || !wperf_num_cores(&count)) {
    std::cerr << wperf_last_error() << '\n';
    return 1;
  }
  std::cout << count << " cores\n";
  return wperf_close() ? 0 : 1;
}
