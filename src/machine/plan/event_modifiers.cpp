// SPDX-License-Identifier: BSD-3-Clause
#include "machine/plan/event_modifiers.h"

#include <fmt/format.h>

#include <algorithm>

namespace wperf::plan {
namespace {

// All letters that perf knows; read_modifiers rejects those without a meaning here.
constexpr std::string_view kLetters = "ukhGHpPSDWIeb";
constexpr u8 kMostPrecision = 3;

bool are_modifiers(std::string_view letters) {
  return !letters.empty() &&
         std::all_of(letters.begin(), letters.end(), [](char c) { return kLetters.find(c) != std::string_view::npos; });
}

}  // namespace

ModifiedName split_modifiers(std::string_view text) {
  const usize slash = text.rfind('/'), colon = text.rfind(':');
  const bool behind_unit = slash != std::string_view::npos && slash != 0 && slash + 1 < text.size();
  if (behind_unit && text[slash + 1] != ':') {
    const std::string_view letters = text.substr(slash + 1);
    return are_modifiers(letters) ? ModifiedName{text.substr(0, slash + 1), letters} : ModifiedName{text, {}};
  }
  if (colon == std::string_view::npos || colon == 0) return {text, {}};
  if (slash != std::string_view::npos && colon < slash) return {text, {}};
  const std::string_view letters = text.substr(colon + 1);
  return are_modifiers(letters) ? ModifiedName{text.substr(0, colon), letters} : ModifiedName{text, {}};
}

diag::Result<EventModifiers> read_modifiers(std::string_view letters, std::string_view text) {
  EventModifiers modifiers;
  for (const char letter : letters) {
    switch (letter) {
      case 'u':
        modifiers.user = true;
        break;
      case 'k':
        modifiers.kernel = true;
        break;
      case 'h':
        modifiers.hypervisor = true;
        break;
      case 'p':
        modifiers.precision = static_cast<u8>(std::min<u32>(modifiers.precision + 1u, kMostPrecision));
        break;
      case 'P':
        modifiers.precision = kMostPrecision;
        break;
      default:
        return diag::Error{
            .text = fmt::format("wperf does not support the modifier '{}' of {}", letter, text),
            .hint = "u, k and h select user mode, kernel mode and hypervisor; p, pp and ppp ask for less skid",
            .code = diag::ExitCode::usage};
    }
  }
  return modifiers;
}

}  // namespace wperf::plan
