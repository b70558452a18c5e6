/* SPDX-License-Identifier: BSD-3-Clause
 * The wire as a C compiler lays it out, for the layout test: see wire_layout.h. */
#ifndef WPERF_ABI_WIRE_AS_C_H
#define WPERF_ABI_WIRE_AS_C_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct WperfLayoutRow {
  const char* what; /* "Struct" or "Struct.field" */
  unsigned long size;
  unsigned long offset; /* 0 for a struct */
} WperfLayoutRow;

const WperfLayoutRow* wperf_layout_as_c(unsigned long* count);

#ifdef __cplusplus
}
#endif

#endif
