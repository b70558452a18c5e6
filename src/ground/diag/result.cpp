// SPDX-License-Identifier: BSD-3-Clause
#include "ground/diag/result.h"

#include <system_error>

namespace wperf::diag {

Error system_error(std::string text, int number, std::string hint) {
  if (number != 0) text += ": " + std::generic_category().message(number);
  return {.text = std::move(text), .hint = std::move(hint), .system_error = number};
}

}  // namespace wperf::diag
