// SPDX-License-Identifier: BSD-3-Clause
// The console of a library: lines go to the caller's message function, Ctrl-C is wperf_stop(). One per measurement.
#pragma once
#include <atomic>
#include <string>

#include "ground/diag/console.h"

namespace wperf::capi {

struct MessageSink {
  void (*function)(const char* line, void* context) = nullptr;
  void* context = nullptr;
};

class MessageConsole final : public diag::Console {
 public:
  // `verbose`: the tool's messages go to the sink too, line by line; without it only warnings do.
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

}  // namespace wperf::capi
