// SPDX-License-Identifier: BSD-3-Clause
#include "app/live/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/output/outputs.h"
#include "ground/os/output_file.h"
#include "ground/text/number_text.h"

namespace wperf::live {
namespace {

constexpr u64 kFirstLookMs = 300;  // the first picture comes soon
constexpr auto kWishesAfterEnd = std::chrono::milliseconds(50);

}  // namespace

void WorkerConsole::warn(std::string_view line) {
  const std::lock_guard lock(mutex_);
  warnings_.emplace_back(line);
}

std::vector<std::string> WorkerConsole::take_warnings() {
  const std::lock_guard lock(mutex_);
  return std::exchange(warnings_, {});
}

diag::Result<void> LiveWorker::start() {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& refused) {
    return diag::system_error("cannot start a thread for sampling", refused.code().value());
  }
  return {};
}

void LiveWorker::stop() {
  console_.stop();
  if (thread_.joinable()) thread_.join();
}

WorkerNews LiveWorker::take_news() {
  const std::lock_guard lock(mutex_);
  return std::exchange(news_, {.stretches = {}, .code = {}, .message = {}, .has_ended = news_.has_ended, .error = {}});
}

void LiveWorker::wish(CodeWish wish) {
  const std::lock_guard lock(mutex_);
  code_wish_ = std::move(wish);
}

void LiveWorker::wish(SaveWish wish) {
  const std::lock_guard lock(mutex_);
  save_wish_ = std::move(wish);
}

diag::Result<measure::LiveStretch> LiveWorker::look_on(u64 length_ms) {
  WPERF_TRY(measure::LiveStretch stretch, look_.next(length_ms, [this] { serve_wishes(); }));
  WPERF_TRY(LiveLook::Seen seen, look_.seen(stretch));
  ++looked_;
  constexpr double kNsPerSecond = 1e9;
  const std::lock_guard lock(mutex_);
  news_.stretches.push_back({.seen = std::move(seen),
                             .seconds = static_cast<double>(stretch.end_ns - stretch.begin_ns) / kNsPerSecond,
                             .unseen_ns = stretch.unseen_ns});
  return stretch;
}

std::string LiveWorker::save(const SaveWish& wish) {
  const usize newer = newer_than(wish.of);
  const auto bytes = look_.recording(wish.of.count, newer);
  if (!bytes.has_value()) return bytes.error().text;
  auto file = os::OutputFile::create(output::output_path(look_.options().outputs, wish.file), os::Readers::owner);
  if (!file.has_value()) return file.error().text;
  file.value().write(std::span<const std::byte>(bytes.value()));
  if (const auto closed = file.value().close(); !closed.has_value()) return closed.error().text;
  const usize there = look_.kept() - std::min(newer, look_.kept());
  std::string text =
      fmt::format("wrote {} bytes; to see them: `wperf report {}`", text::with_commas(bytes.value().size()), wish.file);
  if (there < wish.of.count) text += fmt::format(" (only the last {} of {} looks were kept)", there, wish.of.count);
  return text;
}

void LiveWorker::serve_wishes() {
  if (looked_ == 0) return;  // there is nothing yet
  std::optional<CodeWish> code;
  std::optional<SaveWish> file;
  {
    const std::lock_guard lock(mutex_);
    code = std::exchange(code_wish_, std::nullopt);
    file = std::exchange(save_wish_, std::nullopt);
  }
  if (code.has_value()) {
    auto found = look_.code(code->place, code->of.count, newer_than(code->of));
    CodeAnswer answer{.number = code->number, .code = {}, .reason = {}};
    if (found.has_value()) {
      answer.code = std::move(found).value();
      answer.reason = answer.code->reason;
    } else {
      answer.reason = found.error().text;
    }
    const std::lock_guard lock(mutex_);
    news_.code = std::move(answer);
  }
  if (file.has_value()) {
    std::string text = save(*file);
    const std::lock_guard lock(mutex_);
    news_.message = std::move(text);
  }
}

void LiveWorker::run() {
  u64 length_ms = std::min(kFirstLookMs, look_.options().view.period_ms);
  bool has_ended = false;
  while (!console_.interrupted()) {
    if (has_ended) {
      std::this_thread::sleep_for(kWishesAfterEnd);
    } else {
      const auto stretch = look_on(length_ms);
      const std::lock_guard lock(mutex_);
      if (!stretch.has_value()) {
        news_.error = stretch.error();
        news_.has_ended = true;
        return;
      }
      if (stretch.value().trouble.has_value()) news_.message = stretch.value().trouble->text;
      has_ended = news_.has_ended = stretch.value().end == measure::WaitEnd::program_ended;
      if (has_ended) status_ = look_.status(stretch.value());
    }
    length_ms = look_.options().view.period_ms;
    serve_wishes();
  }
}

}  // namespace wperf::live
