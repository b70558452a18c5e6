// SPDX-License-Identifier: BSD-3-Clause
// What a count's reader must know besides the numbers: cycles that are not of the program alone, counts that went with
// the registers. Called by count_text.cpp and count_json.cpp.
#pragma once
#include <string>

#include "ground/text/json_writer.h"
#include "model/answers/count_profile.h"

namespace wperf::report {

// A blank line and a sentence each.
void append_notes(std::string& out, const answers::CountProfile& profile);
// Members of the document: "Cycles", "Lost_counts"; none where there is nothing to say.
void write_notes(text::JsonWriter& json, const answers::CountProfile& profile);

}  // namespace wperf::report
