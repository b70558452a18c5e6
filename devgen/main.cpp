// SPDX-License-Identifier: BSD-3-Clause
#include "devgen/devgen_program.h"

int main() {
  return wperf::devgen::run_program();
}
