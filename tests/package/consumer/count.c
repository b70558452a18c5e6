/* SPDX-License-Identifier: BSD-3-Clause */
/* count PROGRAM: prints how many loads the program executes. */
#include <stdio.h>
#include <stdlib.h>
#include <wperf/wperf.h>

int main(int count, char** words) {
  wchar_t program[1024];
  uint32_t core = 1;
  STAT_CONF conf = {0};
  STAT_INFO row;
  if (count < 2 || mbstowcs(program, words[1], 1024) >= 1024) return 2;
  conf.cores = &core;
  conf.num_cores = 1;
  conf.events = L"ld_spec";
  conf.program = program;
  if (!wperf_init() || !wperf_stat(&conf, NULL)) {
    fprintf(stderr, "%s\n", wperf_last_error());
    wperf_close();
    return 1;
  }
  while (wperf_stat(&conf, &row)) {
    if (row.event_idx != WPERF_CYCLE_COUNTER)
      printf("%llu %ls\n", (unsigned long long)row.scaled_value, row.event_name);
  }
  return wperf_close() ? 0 : 1;
}
