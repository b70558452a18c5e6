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
constexpr auto kRequestsAfterEnd = std::chrono::milliseconds(50);

using Clock = std::chrono::steady_clock;

// how long the loop waits for the worker, for a change of the size, and for the rest of an escape sequence
constexpr u32 kPatienceMs = 100;
constexpr usize kMostColumns = 1000, kMostLines = 500;
constexpr usize kUsualColumns = 80, kUsualLines = 24;  // if the terminal does not report its size

class LiveScreen {
 public:
  LiveScreen(LiveSession& session, LiveWorker& worker, os::TerminalScreen& terminal, bool coloured)
      : session_(session), worker_(worker), terminal_(terminal), screen_(coloured) {
    facts_.of = session.of();
    facts_.note = session.note();
    facts_.no_waits = session.why_no_waits();
  }
  diag::Result<void> run(diag::Console& console);

 private:
  void take_update();
  void take_key(const top::Key& key);
  void request_code();
  void paint();
  const top::LiveTable& shown() const { return held_.has_value() ? *held_ : table_; }
  LookRange seen() const;

  LiveSession& session_;
  LiveWorker& worker_;
  os::TerminalScreen& terminal_;
  top::Screen screen_;
  top::KeyReader keys_;
  top::TopView view_;
  top::LiveTable table_;
  std::optional<top::LiveTable> held_;  // while the picture is held
  usize came_ = 0, held_at_ = 0;        // number of looks, and their number when the picture was held
  top::TableAnswer answer_;
  top::PictureFacts facts_;
  os::TerminalScreen::Size size_;
  std::optional<diag::Error> error_;
  u64 requested_code_ = 0;  // number of the latest request
  bool is_code_requested_ = false;
  bool is_over_ = false, is_stale_ = true;
};

// The kept looks that were chosen.
LookRange LiveScreen::seen() const {
  LookRange of{.count = 1, .last = held_.has_value() ? held_at_ : came_};
  if (view_.query.extent == top::Extent::ten) of.count = std::min(top::kLooksOfTen, shown().looks());
  if (view_.query.extent == top::Extent::all) of.count = shown().looks();
  return of;
}

void LiveScreen::request_code() {
  const top::TableFunction& function = shown().function(view_.code->function);
  const auto& events = shown().events();
  worker_.request(
      CodeViewRequest{.number = ++requested_code_,
                      .place = {.function = function.name,
                                .module = function.module,
                                .is_kernel = function.is_kernel,
                                .event = view_.query.event < events.size() ? events[view_.query.event].name : ""},
                      .of = seen()});
  is_code_requested_ = true;
}

void LiveScreen::take_update() {
  WorkerUpdate update = worker_.take_update();
  is_stale_ = is_stale_ || !update.looks.empty() || update.code.has_value() || !update.message.empty() ||
              facts_.has_ended != update.has_ended;
  for (ProfiledLook& one : update.looks) {
    table_.add(one.seen.profile, one.seconds, one.unseen_ns, one.seen.filter,
               {.waits = std::move(one.seen.waits), .counters = std::move(one.seen.counters)});
    ++came_;
    facts_.is_first = false;
  }
  if (update.code.has_value() && view_.code.has_value() && update.code->number == requested_code_) {
    is_code_requested_ = view_.code->is_waiting = false;
    view_.code->reason = update.code->reason;
    if (update.code->code.has_value()) view_.take_code(*std::move(update.code->code));
  }
  // Updates the code of a function on the screen, because its numbers change.
  const bool is_new = !update.looks.empty() && !held_.has_value();
  if (is_new && view_.code.has_value() && !is_code_requested_) request_code();
  if (!update.message.empty()) view_.message = update.message;
  facts_.has_ended = update.has_ended;
  if (update.error.has_value()) {
    error_ = std::move(update.error);
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
      request_code();
      break;
    case top::Action::save:
      if (os::file_exists(output::output_path(session_.options().outputs, view_.typed))) {
        view_.typing = top::Typing::overwrite;
        break;
      }
      [[fallthrough]];
    case top::Action::save_over:
      worker_.request(SaveRequest{.file = view_.typed, .of = seen()});
      view_.message = "writing " + view_.typed + " ...";
      break;
    case top::Action::nothing:
      break;
  }
  // The next key applies to the rows that result from this key.
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
  const u64 duration_ms = session_.options().measured.wanted.duration_ms();
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(duration_ms);
  while (!is_over_ && !console.interrupted() && !terminal_.has_ended()) {
    if (duration_ms != 0 && Clock::now() >= end) break;
    take_update();
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

WorkerUpdate LiveWorker::take_update() {
  const std::lock_guard lock(mutex_);
  return std::exchange(update_, {.looks = {}, .code = {}, .message = {}, .has_ended = update_.has_ended, .error = {}});
}

void LiveWorker::request(CodeViewRequest request) {
  const std::lock_guard lock(mutex_);
  code_request_ = std::move(request);
}

void LiveWorker::request(SaveRequest request) {
  const std::lock_guard lock(mutex_);
  save_request_ = std::move(request);
}

diag::Result<measure::LiveLook> LiveWorker::sample_next(u64 length_ms) {
  WPERF_TRY(measure::LiveLook look, session_.next(length_ms, [this] { serve_requests(); }));
  WPERF_TRY(LiveSession::LookProfile seen, session_.look_profile(look));
  ++looks_;
  constexpr double kNsPerSecond = 1e9;
  const std::lock_guard lock(mutex_);
  update_.looks.push_back({.seen = std::move(seen),
                           .seconds = static_cast<double>(look.end_ns - look.begin_ns) / kNsPerSecond,
                           .unseen_ns = look.unseen_ns});
  return look;
}

std::string LiveWorker::save(const SaveRequest& request) {
  const usize newer = newer_than(request.of);
  const auto bytes = session_.recording(request.of.count, newer);
  if (!bytes.has_value()) return bytes.error().text;
  auto file = os::OutputFile::create(output::output_path(session_.options().outputs, request.file), os::Readers::owner);
  if (!file.has_value()) return file.error().text;
  file.value().write(std::span<const std::byte>(bytes.value()));
  if (const auto closed = file.value().close(); !closed.has_value()) return closed.error().text;
  const usize there = session_.kept() - std::min(newer, session_.kept());
  std::string text = fmt::format("wrote {} bytes; to see them: `wperf report {}`",
                                 text::with_commas(bytes.value().size()), request.file);
  if (there < request.of.count)
    text += fmt::format(" (only the last {} of {} looks were kept)", there, request.of.count);
  return text;
}

void LiveWorker::serve_requests() {
  if (looks_ == 0) return;  // there is no data yet
  std::optional<CodeViewRequest> code;
  std::optional<SaveRequest> file;
  {
    const std::lock_guard lock(mutex_);
    code = std::exchange(code_request_, std::nullopt);
    file = std::exchange(save_request_, std::nullopt);
  }
  if (code.has_value()) {
    auto found = session_.code(code->place, code->of.count, newer_than(code->of));
    CodeAnswer answer{.number = code->number, .code = {}, .reason = {}};
    if (found.has_value()) {
      answer.code = std::move(found).value();
      answer.reason = answer.code->reason;
    } else {
      answer.reason = found.error().text;
    }
    const std::lock_guard lock(mutex_);
    update_.code = std::move(answer);
  }
  if (file.has_value()) {
    std::string text = save(*file);
    const std::lock_guard lock(mutex_);
    update_.message = std::move(text);
  }
}

void LiveWorker::run() {
  u64 length_ms = std::min(kFirstLookMs, session_.options().view.look_ms);
  bool has_ended = false;
  while (!console_.interrupted()) {
    if (has_ended) {
      std::this_thread::sleep_for(kRequestsAfterEnd);
    } else {
      const auto look = sample_next(length_ms);
      const std::lock_guard lock(mutex_);
      if (!look.has_value()) {
        update_.error = look.error();
        update_.has_ended = true;
        return;
      }
      if (look.value().error.has_value()) update_.message = look.value().error->text;
      has_ended = update_.has_ended = look.value().end == measure::WaitEnd::program_ended;
      if (has_ended) status_ = session_.status(look.value());
    }
    length_ms = session_.options().view.look_ms;
    serve_requests();
  }
}

diag::Result<int> show_live(LiveSession& session, WorkerConsole& worker_console, diag::Console& console) {
  diag::Result<void> shown;
  LiveWorker worker(session, worker_console);
  {
    WPERF_TRY(os::TerminalScreen terminal, os::TerminalScreen::open(top::kEnterScreen, top::kLeaveScreen));
    WPERF_CHECK_OK(session.start());
    WPERF_CHECK_OK(worker.start());
    shown = LiveScreen(session, worker, terminal, console.coloured()).run(console);
  }
  worker.stop();
  for (const std::string& line : worker_console.take_warnings()) console.warn(line);
  WPERF_CHECK_OK(shown);
  return worker.status();
}

}  // namespace wperf::live
