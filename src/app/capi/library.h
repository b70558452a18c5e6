// SPDX-License-Identifier: BSD-3-Clause
// The wrapper of every exported function: calls run one at a time, an error becomes `false` and a message, and no
// exception escapes.
#pragma once
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "app/capi/session.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"

namespace wperf::capi {

// The reason why the last call of this thread failed. Every function of the API sets it; wperf_last_error() returns it.
const char* last_error();
void clear_last_error();
void set_last_error(std::string_view text);
// Stores the text of the error, followed by its hint in parentheses if it has one.
void set_last_error(const diag::Error& error);

// The console of the library: lines are passed to the caller's message function, and wperf_stop() acts like Ctrl-C.
// Each measurement has a new console.
struct MessageSink {
  void (*function)(const char* line, void* context) = nullptr;
  void* context = nullptr;
};

class MessageConsole final : public diag::Console {
 public:
  // `verbose`: the sink gets all messages line by line; otherwise only warnings.
  MessageConsole(MessageSink sink, bool verbose, const std::atomic<bool>& stop)
      : sink_(sink), verbose_(verbose), stop_(stop) {}

  void out(std::string_view text) override;
  void document(std::string_view) override {}
  void warn(std::string_view line) override;
  bool animated() const override { return false; }
  bool interrupted() const override { return stop_.load(std::memory_order_relaxed); }

 private:
  void send(const std::string& line) const;

  MessageSink sink_;
  bool verbose_;
  const std::atomic<bool>& stop_;
  std::string unfinished_;
};

struct Library {
  std::mutex mutex;
  std::unique_ptr<Session> session;
  unsigned owner = 0;  // the process that opened the session
  std::optional<std::string> device;
  MessageSink sink;
  bool verbose = false;

  // Returns a console for one measurement; discards an earlier wperf_stop().
  MessageConsole measuring_console() const;
  // After fork() the child has a copy of the parent's session. The child forgets this copy without closing it, because
  // the driver's lock and the running counters belong to the parent.
  void forget_session_of_parent();
};

Library& library();
// Can be called by a signal handler.
void request_stop();
void set_last_error_of_bug(const char* what);
diag::Error no_configuration();

// For work that returns Result<bool>: false is not an error, but means the end of the rows.
template <typename Work>
bool guarded(Work work) noexcept {
  try {
    clear_last_error();
    Library& self = library();
    const std::lock_guard lock(self.mutex);
    self.forget_session_of_parent();
    const diag::Result<bool> done = work(self);
    if (done.has_value()) return done.value();
    set_last_error(done.error());
  } catch (const std::exception& exception) {
    set_last_error_of_bug(exception.what());
  } catch (...) {
    set_last_error_of_bug("an unknown exception");
  }
  return false;
}

template <typename Work>
bool with_session(Work work) noexcept {
  return guarded([&](Library& self) -> diag::Result<bool> {
    if (self.session == nullptr) return diag::usage_error("no machine is open: call wperf_init() first");
    return work(self, *self.session);
  });
}

inline diag::Result<bool> done_if(const diag::Result<void>& result) {
  if (!result.has_value()) return result.error();
  return true;
}

template <typename Row, typename Wanted>
diag::Result<bool> next_row(std::optional<Rows<Row>>& rows, Wanted& row, const char* first) {
  if (!rows.has_value()) return diag::usage_error(std::string("there are no rows yet: call ") + first + " first");
  Row next;
  if (!rows->next(next)) return false;
  row = next;
  return true;
}

template <typename Row>
diag::Result<bool> rewind(std::optional<Rows<Row>>& rows, const char* first) {
  if (!rows.has_value()) return diag::usage_error(std::string("there are no rows yet: call ") + first + " first");
  rows->rewind();
  return true;
}

}  // namespace wperf::capi
