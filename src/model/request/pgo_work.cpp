// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/pgo_work.h"

#include "ground/text/word_list.h"

namespace wperf::request {

std::string_view pgo_format_name(PgoFormat format) {
  return text::word_at(kPgoFormats, static_cast<usize>(format));
}

diag::Result<PgoFormat> parse_pgo_format(std::string_view name) {
  if (const auto number = text::number_of_word(kPgoFormats, name); number.has_value())
    return static_cast<PgoFormat>(*number);
  return diag::usage_error("unknown format '" + std::string(name) + "' for --format", kPgoFormatHint);
}

}  // namespace wperf::request
