// SPDX-License-Identifier: BSD-3-Clause
// Facts about a code address that SPE recorded.
#pragma once
#include <string>
#include <vector>

#include "base/ints.h"

namespace wperf::answers {

struct ProcessName {
  u32 process = 0;
  std::string name;
};

struct AddressFrame {
  std::string function, file;
  u32 line = 0;  // 0: no line information
  bool inlined = false;
};

struct AddressAnswer {
  u32 rva = 0;
  std::string function;              // empty: unknown
  std::vector<AddressFrame> frames;  // innermost inlined first, the function itself last
  u32 line_begin = 0, line_end = 0;  // code of the function's line at rva; equal if not known
};

}  // namespace wperf::answers
