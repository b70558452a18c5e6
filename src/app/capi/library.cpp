// SPDX-License-Identifier: BSD-3-Clause
#include "app/capi/library.h"

#include <cstdio>
#include <utility>

namespace wperf::capi {
namespace {

constinit std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "wperf_stop() may be called by a signal handler");

}  // namespace

// Made by the first call and never destroyed: a library must run no code at the start and the end of its program.
Library& library() {
  static Library& one = *new Library;
  return one;
}

MessageConsole Library::measuring_console() const {
  stop_requested.store(false, std::memory_order_relaxed);
  return {sink, verbose, stop_requested};
}

void request_stop() {
  stop_requested.store(true, std::memory_order_relaxed);
}

void set_last_error_of_bug(const char* what) {
  char text[256];
  std::snprintf(text, sizeof text, "libwperf stopped because of an internal error: %s", what);
  set_last_error(text);
}

diag::Error wrong_call(std::string text) {
  return {.text = std::move(text), .hint = {}, .code = diag::ExitCode::usage};
}

diag::Error no_configuration() {
  return wrong_call("conf is NULL");
}

}  // namespace wperf::capi
