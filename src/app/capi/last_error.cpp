// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/last_error.h"

#include <algorithm>
#include <string>

namespace wperf::capi {
namespace {

// An array and no string: no constructor or destructor runs when a thread of the program begins or ends.
thread_local char message[1024];

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

}  // namespace

const char* last_error() {
  return message;
}

void clear_last_error() {
  message[0] = '\0';
}

void set_last_error(std::string_view text) {
  size_t length = std::min(text.size(), sizeof message - 1);
  if (length < text.size()) {
    while (length > 0 && continues_character(text[length])) --length;  // never half a character
  }
  text.copy(message, length);
  message[length] = '\0';
}

void set_last_error(const diag::Error& error) {
  std::string_view sentence = error.text;
  constexpr std::string_view kPrefix = "error: ";  // some texts of the tool bring it along
  if (sentence.starts_with(kPrefix)) sentence.remove_prefix(kPrefix.size());
  std::string text(sentence);
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  set_last_error(text);
}

}  // namespace wperf::capi
