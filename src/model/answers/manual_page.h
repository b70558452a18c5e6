// SPDX-License-Identifier: BSD-3-Clause
// One page of `man` (contract 8.6): fields in the order they are shown.
#pragma once
#include <string>
#include <vector>

namespace wperf::answers {

struct ManualField {
  std::string type;  // "CPU", "NAME", …
  std::string text;  // unwrapped; a newline ends a paragraph
};
using ManualPage = std::vector<ManualField>;

}  // namespace wperf::answers
