// SPDX-License-Identifier: BSD-3-Clause
// perf's modifiers after the name of an event: `cycles:u`, `instructions:uk`, `cpu/event=1/ppp`. They are valid only
// where the kernel counts.
#pragma once
#include <string_view>

#include "ground/diag/result.h"
#include "machine/plan/kernel_words.h"

namespace wperf::plan {

struct ModifiedName {
  std::string_view name;     // without them
  std::string_view letters;  // empty if there are none; then `name` is the whole text
};

// "sched:sched_switch" has no modifiers: the part after the colon is not a set of such letters.
ModifiedName split_modifiers(std::string_view text);

// `text`: the whole word, for messages.
diag::Result<EventModifiers> read_modifiers(std::string_view letters, std::string_view text);

}  // namespace wperf::plan
