// SPDX-License-Identifier: BSD-3-Clause
// Notes for readers of a count in addition to the numbers: cycles that include other programs, counts that were lost
// with the registers.
#pragma once
#include <string>

#include "ground/text/json_writer.h"
#include "model/answers/count_profile.h"

namespace wperf::report {

// A blank line and a sentence each.
void append_notes(std::string& out, const answers::CountProfile& profile);
// Members of the document: "Cycles", "Lost_counts"; each only if it has contents.
void write_notes(text::JsonWriter& json, const answers::CountProfile& profile);

}  // namespace wperf::report
