/* SPDX-License-Identifier: BSD-3-Clause */
#include "abi/wire_as_c.h"

#include "abi/status.h"
#include "abi/wire.h"

#define STRUCT(type) {#type, sizeof(type), 0},
#define FIELD(type, name) {#type "." #name, sizeof(((type*)0)->name), __builtin_offsetof(type, name)},
static const WperfLayoutRow kRows[] = {
#include "abi/wire_layout.h"
};

const WperfLayoutRow* wperf_layout_as_c(unsigned long* count) {
  *count = sizeof kRows / sizeof kRows[0];
  return kRows;
}
