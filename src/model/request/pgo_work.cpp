// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/pgo_work.h"

#include <algorithm>
#include <array>
#include <string>

namespace wperf::request {
namespace {

constexpr std::array<std::string_view, 5> kPgoFormatNames = {"llvm", "extbinary", "llvm-unsymbolized", "bolt", "spt"};

}  // namespace

std::string_view pgo_format_name(PgoFormat format) {
  return kPgoFormatNames[static_cast<usize>(format)];
}

diag::Result<PgoFormat> parse_pgo_format(std::string_view name) {
  const auto* const found = std::find(kPgoFormatNames.begin(), kPgoFormatNames.end(), name);
  if (found != kPgoFormatNames.end()) return static_cast<PgoFormat>(found - kPgoFormatNames.begin());
  return diag::Error{.text = "unknown format '" + std::string(name) + "' for --format",
                     .hint = "use llvm (clang, rustc), llvm-unsymbolized (llvm-profgen), bolt, or spt (MSVC)",
                     .code = diag::ExitCode::usage};
}

}  // namespace wperf::request
