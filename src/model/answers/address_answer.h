// SPDX-License-Identifier: BSD-3-Clause
// What is known of an address of code that SPE recorded. Made by modules, read by spe_profile_builder.
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
  std::string function;              // empty: nobody knows
  std::vector<AddressFrame> frames;  // innermost inlined first, the function itself last
  u32 line_begin = 0, line_end = 0;  // code of the function's line at rva; equal: not known
};

}  // namespace wperf::answers
