// SPDX-License-Identifier: BSD-3-Clause
// The messages of a client. A separate thread reads them, so that a request can be cancelled, and `ping` be answered,
// while a request is carried out.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "app/mcp/message.h"

namespace wperf::mcp {

// Keeps which request is being carried out, and whether the client has cancelled it.
class Cancellation {
 public:
  // Requests are identified by their ids, as JSON.
  void begin(const std::string& id);
  // Returns true if the request was cancelled.
  bool end();
  // Also cancels a request that has not begun.
  void cancel(const std::string& id);
  bool is_asked() const { return is_asked_.load(std::memory_order_relaxed); }

 private:
  std::mutex mutex_;
  std::string current_;
  std::set<std::string> ahead_;  // ids of requests that have not begun
  std::atomic<bool> is_asked_ = false;
};

class Outgoing {
 public:
  explicit Outgoing(std::FILE* out) : out_(out) {}
  // Returns false if the client is gone.
  bool write(std::string_view line);

 private:
  std::mutex mutex_;
  std::FILE* out_;
};

class Incoming {
 public:
  // The thread may still be waiting for a line when the process ends, so it shares ownership of its data.
  Incoming(std::FILE* in, std::shared_ptr<Cancellation> cancellation, std::shared_ptr<Outgoing> out);

  struct Line {
    ParsedMessage parsed;
    bool is_cut = false;  // the line was too long; `parsed` is empty
  };
  // Waits for the next line that is not blank. Returns nullopt at the end of the stream, and after Ctrl-C or SIGTERM.
  std::optional<Line> next();

 private:
  struct Queue {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Line> lines;
    bool is_over = false;
  };
  std::shared_ptr<Queue> queue_ = std::make_shared<Queue>();
};

}  // namespace wperf::mcp
