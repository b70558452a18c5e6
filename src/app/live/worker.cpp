// SPDX-License-Identifier: BSD-3-Clause
#include "app/live/worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "app/output/outputs.h"
#include "ground/os/files.h"
#include "ground/os/output_file.h"
#include "ground/os/terminal.h"
#include "ground/text/number_text.h"
#include "views/top/picture.h"

namespace wperf::live {
namespace {

constexpr u64 kFirstLookMs = 300;  // so that the first picture appears soon
constexpr auto kWishesAfterEnd = std::chrono::milliseconds(50);

using Clock = std::chrono::steady_clock;

constexpr u32 kPatienceMs = 100;  // how long the loop waits: for the worker, for changes of the size, and for the rest
                                  // of an escape sequence
constexpr usize kMostColumns = 1000, kMostLines = 500;
constexpr usize kUsualColumns = 80, kUsualLines = 24;  // if the terminal does not report its size

class LiveScreen {
 public:
  LiveScreen(LiveLook& look, LiveWorker& worker, os::TerminalScreen& terminal, bool coloured)
      : look_(look), worker_(worker), terminal_(terminal), screen_(coloured) {
    facts_.of = look.of();
    facts_.note = look.note();
    facts_.no_waits = look.why_no_waits();
  }
  diag::Result<void> run(diag::Console& console);

 private:
  void take_news();
  void take_key(const top::Key& key);
  void wish_code();
  void paint();
  const top::LiveTable& shown() const { return held_.has_value() ? *held_ : table_; }
  SeenStretches seen() const;

  LiveLook& look_;
  LiveWorker& worker_;
  os::TerminalScreen& terminal_;
  top::Screen screen_;
  top::KeyReader keys_;
  top::TopView view_;
  top::LiveTable table_;
  std::optional<top::LiveTable> held_;  // while the picture is held
  usize came_ = 0, held_at_ = 0;        // number of periods, and how many there were when the picture was held
  top::TableAnswer answer_;
  top::PictureFacts facts_;
  os::TerminalScreen::Size size_;
  std::optional<diag::Error> error_;
  u64 wished_code_ = 0;  // number of the latest request
  bool is_code_wished_ = false;
  bool is_over_ = false, is_stale_ = true;
};

// The kept periods that were chosen.
SeenStretches LiveScreen::seen() const {
  SeenStretches of{.count = 1, .last = held_.has_value() ? held_at_ : came_};
  if (view_.query.extent == top::Extent::ten) of.count = std::min(top::kStretchesOfTen, shown().stretches());
  if (view_.query.extent == top::Extent::all) of.count = shown().stretches();
  return of;
}

void LiveScreen::wish_code() {
  const top::TableFunction& function = shown().function(view_.code->function);
  const auto& events = shown().events();
  worker_.wish(CodeWish{.number = ++wished_code_,
                        .place = {.function = function.name,
                                  .module = function.module,
                                  .is_kernel = function.is_kernel,
                                  .event = view_.query.event < events.size() ? events[view_.query.event].name : ""},
                        .of = seen()});
  is_code_wished_ = true;
}

void LiveScreen::take_news() {
  WorkerNews news = worker_.take_news();
  is_stale_ = is_stale_ || !news.stretches.empty() || news.code.has_value() || !news.message.empty() ||
              facts_.has_ended != news.has_ended;
  for (SeenStretch& one : news.stretches) {
    table_.add(one.seen.profile, one.seconds, one.unseen_ns, look_.filter(),
               {.waits = std::move(one.seen.waits), .counters = std::move(one.seen.counters)});
    ++came_;
    facts_.is_first = false;
  }
  if (news.code.has_value() && view_.code.has_value() && news.code->number == wished_code_) {
    is_code_wished_ = view_.code->is_waiting = false;
    view_.code->reason = news.code->reason;
    if (news.code->code.has_value()) view_.take_code(*std::move(news.code->code));
  }
  // A function on the screen is updated, because its numbers change.
  const bool is_new = !news.stretches.empty() && !held_.has_value();
  if (is_new && view_.code.has_value() && !is_code_wished_) wish_code();
  if (!news.message.empty()) view_.message = news.message;
  facts_.has_ended = news.has_ended;
  if (news.error.has_value()) {
    error_ = std::move(news.error);
    is_over_ = true;
  }
}

void LiveScreen::take_key(const top::Key& key) {
  is_stale_ = true;
  switch (view_.take(key, answer_, top::page_of(size_.lines))) {
    case top::Action::quit:
      is_over_ = true;
      break;
    case top::Action::suspend:
      terminal_.suspend();
      screen_.forget();
      break;
    case top::Action::redraw:
      screen_.forget();
      break;
    case top::Action::clear:
      table_.clear();
      held_.reset();
      facts_.is_first = true;
      view_.code.reset();
      view_.query.within = {};
      break;
    case top::Action::pause:
      held_.reset();
      held_at_ = came_;
      if (view_.paused) held_ = table_;
      break;
    case top::Action::load_code:
      view_.code->is_waiting = true;
      wish_code();
      break;
    case top::Action::save:
      if (os::file_exists(output::output_path(look_.options().outputs, view_.typed))) {
        view_.typing = top::Typing::overwrite;
        break;
      }
      [[fallthrough]];
    case top::Action::save_over:
      worker_.wish(SaveWish{.file = view_.typed, .of = seen()});
      view_.message = "writing " + view_.typed + " ...";
      break;
    case top::Action::nothing:
      break;
  }
  // The next key refers to the rows that this one selected.
  answer_ = shown().rows(view_.query);
  view_.follow(answer_);
}

void LiveScreen::paint() {
  const os::TerminalScreen::Size size = terminal_.size();
  if (size != size_) is_stale_ = true;
  size_ = size;
  if (!is_stale_) return;
  is_stale_ = false;
  answer_ = shown().rows(view_.query);
  view_.follow(answer_);
  const usize columns = size.columns == 0 ? kUsualColumns : std::min<usize>(size.columns, kMostColumns);
  const usize lines = size.lines == 0 ? kUsualLines : std::min<usize>(size.lines, kMostLines);
  terminal_.write(screen_.change_to(top::make_picture(view_, shown(), answer_, facts_, {columns, lines})));
}

diag::Result<void> LiveScreen::run(diag::Console& console) {
  const u64 duration_ms = look_.options().measured.wanted.duration_ms();
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(duration_ms);
  while (!is_over_ && !console.interrupted() && !terminal_.has_ended()) {
    if (duration_ms != 0 && Clock::now() >= end) break;
    take_news();
    paint();
    const std::string typed = terminal_.read(kPatienceMs);
    for (const top::Key& key : typed.empty() ? keys_.pause() : keys_.take(typed)) take_key(key);
  }
  if (error_.has_value()) return *error_;
  return {};
}

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
  if (looked_ == 0) return;  // there is no data yet
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

diag::Result<int> show_live(LiveLook& look, WorkerConsole& worker_console, diag::Console& console) {
  diag::Result<void> shown;
  LiveWorker worker(look, worker_console);
  {
    WPERF_TRY(os::TerminalScreen terminal, os::TerminalScreen::open(top::kEnterScreen, top::kLeaveScreen));
    WPERF_CHECK_OK(look.start());
    WPERF_CHECK_OK(worker.start());
    shown = LiveScreen(look, worker, terminal, console.coloured()).run(console);
  }
  worker.stop();
  for (const std::string& line : worker_console.take_warnings()) console.warn(line);
  WPERF_CHECK_OK(shown);
  return worker.status();
}

}  // namespace wperf::live
