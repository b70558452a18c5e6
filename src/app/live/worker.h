// SPDX-License-Identifier: BSD-3-Clause
// The thread that samples and names addresses for a screen, so that the screen can react to keys immediately; and the
// screen's loop. Both exchange data under a lock.
#pragma once
#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/live/live_session.h"

namespace wperf::live {

// The worker's console. Keeps its messages for the screen, because printing them would disturb it.
class WorkerConsole final : public diag::Console {
 public:
  explicit WorkerConsole(diag::Console& console) : console_(console) {}
  void out(std::string_view) override {}
  void document(std::string_view) override {}
  void warn(std::string_view line) override;
  bool animated() const override { return false; }
  bool interrupted() const override { return is_stopping_ || console_.interrupted(); }

  void stop() { is_stopping_ = true; }
  std::vector<std::string> take_warnings();

 private:
  diag::Console& console_;
  std::atomic<bool> is_stopping_{false};
  std::mutex mutex_;
  std::vector<std::string> warnings_;
};

struct ProfiledLook {
  LiveSession::LookProfile seen;
  double seconds = 0;
  u64 unseen_ns = 0;
};

// The number of looks, and the number of the last one; looks are numbered from 1. There can be newer looks that are not
// shown yet, or arrived while the picture was held.
struct LookRange {
  usize count = 1, last = 0;
};

struct CodeViewRequest {
  u64 number = 0;  // the answer has the same number, because the request may have changed meanwhile
  LiveSession::CodePlace place;
  LookRange of;
};
struct SaveRequest {
  std::string file;
  LookRange of;
};

struct CodeAnswer {
  u64 number = 0;
  std::optional<stacks::FunctionCode> code;
  std::string reason;  // why there is no picture
};

struct WorkerUpdate {
  std::vector<ProfiledLook> looks;
  std::optional<CodeAnswer> code;
  std::string message;     // may be empty
  bool has_ended = false;  // the program has ended, so there will be no new samples
  std::optional<diag::Error> error;
};

class LiveWorker {
 public:
  LiveWorker(LiveSession& session, WorkerConsole& console) : session_(session), console_(console) {}
  ~LiveWorker() { stop(); }
  LiveWorker(const LiveWorker&) = delete;
  LiveWorker& operator=(const LiveWorker&) = delete;

  diag::Result<void> start();
  void stop();
  WorkerUpdate take_update();
  void request(CodeViewRequest request);
  void request(SaveRequest request);
  int status() const { return status_; }  // the exit status of the program, after stop()

 private:
  void run();
  diag::Result<measure::LiveLook> sample_next(u64 length_ms);
  void serve_requests();
  std::string save(const SaveRequest& request);
  usize newer_than(const LookRange& seen) const { return looks_ - std::min(seen.last, looks_); }

  LiveSession& session_;
  WorkerConsole& console_;
  std::mutex mutex_;  // protects the fields below
  WorkerUpdate update_;
  std::optional<CodeViewRequest> code_request_;
  std::optional<SaveRequest> save_request_;
  int status_ = 0;
  usize looks_ = 0;  // number of looks so far; used only by thread_
  std::thread thread_;
};

// `top` on a terminal: reads keys and shows pictures until the user ends it. Returns the exit status.
diag::Result<int> show_live(LiveSession& session, WorkerConsole& worker_console, diag::Console& console);

}  // namespace wperf::live
