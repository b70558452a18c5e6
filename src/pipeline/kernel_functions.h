// SPDX-License-Identifier: BSD-3-Clause
// The functions of the running kernel as it lists them (/proc/kallsyms). Reading the list takes longer than a small
// report: called by kernel_sample_profile only when an address of the kernel was sampled.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/ints.h"
#include "profile/sample_profile_builder.h"

namespace wperf::pipeline {

class KernelFunctions {
 public:
  // Empty where the list hides its addresses.
  static KernelFunctions parse(std::string text);

  bool empty() const { return functions_.empty(); }
  u64 base() const { return functions_.empty() ? 0 : functions_.front().address; }
  u64 size() const;  // from base to the end of the last function, as far as an offset of 32 bits goes
  // Offsets from base; sorted, unique. One answer each.
  std::vector<profile::AddressAnswer> answers_of(const std::vector<u32>& offsets) const;

 private:
  struct Function {
    u64 address = 0;
    u32 begin = 0, length = 0;  // of the name, in text_
  };
  std::string text_;
  std::vector<Function> functions_;  // by address
};

}  // namespace wperf::pipeline
