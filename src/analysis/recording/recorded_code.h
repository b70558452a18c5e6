// SPDX-License-Identifier: BSD-3-Clause
// --annotate and --disassemble for recordings: lines and instructions of the hottest functions, with their samples.
// With calls, functions with source code on this machine come first, because the user can change them.
#pragma once
#include <string>
#include <vector>

#include "analysis/recording/recorded_places.h"
#include "ground/diag/result.h"
#include "model/stacks/stack_rows.h"

namespace wperf::recording {

struct CodeRequest {
  stacks::StackFilter filter;
  u32 most_functions = 0;  // for each event
  u32 least_permille = 5;  // minimum share of the event's hits
  bool disassemble = false;
  bool with_calls = false;  // samples in called code also count for the calling line; needs a site for each caller
  bool decorated = false;
  std::vector<std::string> folders;  // folders that are also searched for sources
  u64 recorded_unix_ns = 0;          // the end of the recording; 0: not known
};

// Fills profile.code and profile.changed_sources. The sites must be the ones from name_places() for this profile.
diag::Result<void> add_function_code(const CodeFiles& files, const CodeRequest& request, stacks::StackProfile& profile);

}  // namespace wperf::recording
