// SPDX-License-Identifier: BSD-3-Clause
// The options of `pgo`: which program, which format. Part of Request.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/ints.h"
#include "ground/diag/result.h"

namespace wperf::request {

enum class PgoFormat : u8 { llvm, extbinary, llvm_unsymbolized, bolt, spt };
// Does the format have counts for lines?
constexpr bool has_lines(PgoFormat format) {
  return format == PgoFormat::llvm || format == PgoFormat::extbinary;
}
inline constexpr std::string_view kPgoFormats = "llvm extbinary llvm-unsymbolized bolt spt";  // by value of PgoFormat
inline constexpr char kPgoFormatHint[] =
    "use llvm or extbinary (clang, rustc), llvm-unsymbolized (llvm-profgen), bolt, or spt (MSVC)";

struct PgoWork {
  std::optional<std::string> binary;  // a file, or a module's name
  std::optional<PgoFormat> format;
};

std::string_view pgo_format_name(PgoFormat format);
diag::Result<PgoFormat> parse_pgo_format(std::string_view name);

}  // namespace wperf::request
