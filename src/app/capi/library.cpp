// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/library.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "ground/os/process.h"
#include "ground/text/unicode.h"

namespace wperf::capi {
namespace {

// An array, so that no constructor or destructor runs when a thread of the calling program begins or ends.
thread_local char message[1024];

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
    while (length > 0 && text::continues_character(text[length])) --length;  // never cuts a character
  }
  text.copy(message, length);
  message[length] = '\0';
}

void set_last_error(const diag::Error& error) {
  std::string_view sentence = error.text;
  constexpr std::string_view kPrefix = "error: ";  // some texts already have it
  if (sentence.starts_with(kPrefix)) sentence.remove_prefix(kPrefix.size());
  std::string text(sentence);
  if (!error.hint.empty()) text += " (" + error.hint + ")";
  set_last_error(text);
}

void MessageConsole::out(std::string_view text) {
  if (!verbose_) return;
  unfinished_ += text;
  size_t begin = 0;
  for (size_t end = unfinished_.find('\n'); end != std::string::npos; end = unfinished_.find('\n', begin)) {
    if (end != begin) send(unfinished_.substr(begin, end - begin));
    begin = end + 1;
  }
  unfinished_.erase(0, begin);
}

void MessageConsole::warn(std::string_view line) {
  send(std::string(line));
}

void MessageConsole::send(const std::string& line) const {
  if (sink_.function != nullptr) sink_.function(line.c_str(), sink_.context);
}

namespace {

constinit std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "wperf_stop() may be called by a signal handler");

}  // namespace

// Created by the first call and never destroyed, because a library must not run code at the start and end of a program.
Library& library() {
  static Library& one = *new Library;
  return one;
}

MessageConsole Library::measuring_console() const {
  stop_requested.store(false, std::memory_order_relaxed);
  return {sink, verbose, stop_requested};
}

void Library::forget_session_of_parent() {
  if (session == nullptr || owner == os::process_number()) return;
  [[maybe_unused]] Session* const never_closed = session.release();
}

void request_stop() {
  stop_requested.store(true, std::memory_order_relaxed);
}

void set_last_error_of_bug(const char* what) {
  char text[256];
  std::snprintf(text, sizeof text, "libwperf stopped because of an internal error: %s", what);
  set_last_error(text);
}

diag::Error no_configuration() {
  return diag::usage_error("conf is NULL");
}

}  // namespace wperf::capi
