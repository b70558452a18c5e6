// SPDX-License-Identifier: BSD-3-Clause
#include "app/mcp/incoming.h"

#include <chrono>
#include <thread>
#include <utility>

#include "ground/os/process.h"

namespace wperf::mcp {
namespace {

struct ReadLine {
  std::string text;  // without the line end
  bool is_cut = false;
};

// Returns false at the end of the stream. If a line is too long, it is read to its end and cut.
bool read_line(std::FILE* in, ReadLine& line) {
  line = {};
  int c = std::getc(in);
  if (c == EOF) return false;
  for (; c != EOF && c != '\n'; c = std::getc(in)) {
    if (line.text.size() < kLongestMessage) {
      line.text += static_cast<char>(c);
    } else {
      line.is_cut = true;
    }
  }
  return true;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r") == std::string_view::npos;
}

// Carries out messages that must not wait for earlier requests. Returns false for other messages.
bool is_done_at_once(const ParsedMessage& parsed, Cancellation& cancellation, Outgoing& out) {
  if (parsed.fault.has_value()) return false;
  const Message& message = parsed.message;
  if (message.method == "notifications/cancelled" && message.id.empty()) {
    cancellation.cancel(message.cancelled_id);
    return true;
  }
  if (message.method != "ping" || !message.version.empty() || message.id.empty()) return false;
  out.write(result_line(message.id, [](text::JsonWriter&) {}));
  return true;
}

}  // namespace

void Cancellation::begin(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  current_ = id;
  is_asked_ = ahead_.erase(id) != 0;
}

bool Cancellation::end() {
  const std::scoped_lock lock(mutex_);
  current_.clear();
  return is_asked_.exchange(false);
}

void Cancellation::cancel(const std::string& id) {
  constexpr usize kMostAhead = 1000;
  const std::scoped_lock lock(mutex_);
  if (id.empty()) return;
  if (id == current_) {
    is_asked_ = true;
  } else if (ahead_.size() < kMostAhead) {
    ahead_.insert(id);
  }
}

bool Outgoing::write(std::string_view line) {
  const std::scoped_lock lock(mutex_);
  return std::fwrite(line.data(), 1, line.size(), out_) == line.size() && std::fflush(out_) == 0;
}

Incoming::Incoming(std::FILE* in, std::shared_ptr<Cancellation> cancellation, std::shared_ptr<Outgoing> out) {
  std::thread([in, queue = queue_, cancellation = std::move(cancellation), out = std::move(out)] {
    ReadLine read;
    while (read_line(in, read)) {
      if (!read.is_cut && is_blank(read.text)) continue;
      Line line{.parsed = read.is_cut ? ParsedMessage() : parse_message(read.text), .is_cut = read.is_cut};
      if (!line.is_cut && is_done_at_once(line.parsed, *cancellation, *out)) continue;
      const std::scoped_lock lock(queue->mutex);
      queue->lines.push_back(std::move(line));
      queue->changed.notify_one();
    }
    const std::scoped_lock lock(queue->mutex);
    queue->is_over = true;
    queue->changed.notify_one();
  }).detach();
}

std::optional<Incoming::Line> Incoming::next() {
  constexpr auto kPause = std::chrono::milliseconds(100);  // interval of checks for Ctrl-C
  std::unique_lock lock(queue_->mutex);
  while (queue_->lines.empty() && !queue_->is_over && !os::interrupted()) queue_->changed.wait_for(lock, kPause);
  if (queue_->lines.empty() || os::interrupted()) return std::nullopt;
  Line line = std::move(queue_->lines.front());
  queue_->lines.pop_front();
  return line;
}

}  // namespace wperf::mcp
