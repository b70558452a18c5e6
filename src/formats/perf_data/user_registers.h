// SPDX-License-Identifier: BSD-3-Clause
// Numbers of registers, as the kernel counts them in masks of recorded ones.
#pragma once
#include <optional>
#include <string_view>

#include "base/ints.h"

namespace wperf::perf_data {

// Where a system call has its first argument: rdi, x0. It stays there as long as the call lasts.
inline constexpr u32 kFirstArgumentX86 = 5, kFirstArgumentArm64 = 0;

// `architecture`: as a file names it; nothing: of others it is not known.
inline std::optional<u32> first_argument_register(std::string_view architecture) {
  if (architecture == "x86_64") return kFirstArgumentX86;
  if (architecture == "aarch64" || architecture == "arm64") return kFirstArgumentArm64;
  return std::nullopt;
}

}  // namespace wperf::perf_data
