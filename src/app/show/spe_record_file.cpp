// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/spe_record_file.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "analysis/operations/spe_record_row.h"
#include "app/output/outputs.h"
#include "code/modules/for_each_module.h"
#include "ground/os/output_file.h"
#include "views/report/spe_report.h"

namespace wperf::show {
namespace {

constexpr size_t kChunk = 1 << 20;
constexpr usize kMostWaiting = 16;  // the number of runs that may be finished before an earlier run

// Writes the lines of runs in order, whichever threads make them.
class RecordFile {
 public:
  // Without a file, writes to the console.
  RecordFile(std::optional<os::OutputFile> file, diag::Console& console, const RecordsRequest& request,
             const operations::SpeProfile& profile, const RecordRuns& runs)
      : file_(std::move(file)),
        console_(console),
        request_(request),
        runs_(runs),
        format_(request.json ? report::RecordFormat::json : report::RecordFormat::csv),
        writer_(format_),
        names_(profile, report::RecordLines::spelling(format_)),
        made_(runs.count) {
    for (u32 core = 0; core < request.midr_of_core.size(); ++core) {
      names_.set_data_sources(core, spe::find_data_source_family(request.midr_of_core[core]));
    }
  }

  diag::Result<void> write() {
    put(writer_.begin());
    if (runs_.count > 1) {
      modules::for_each_module(runs_.count, [&](size_t run) { write_run(run); });
    }
    write_from(written_);
    put(writer_.end());
    return file_.has_value() ? file_->close() : diag::Result<void>();
  }

 private:
  struct Made {
    std::string text;
    bool done = false, whole = false;
  };

  // Calls after_each() after each line.
  template <class Callback>
  bool make_lines(usize first, usize last, report::RecordLines& lines, Callback&& after_each) const {
    operations::SpeRecordNamer namer(names_);
    const auto take = [&](operations::SpeRecordRow& row) {
      if (row.time.given && request_.to_ns) row.time.value = request_.to_ns(row.time.value);
      lines.add(row);
      after_each();
    };
    const bool whole = runs_.replay(
        first, last, [&](const spe::Origin& origin, const spe::Record& record) { namer.add(origin, record, take); });
    namer.flush(take);
    return whole;
  }

  void write_run(usize run) {
    {
      std::unique_lock lock(taking_turns_);
      written_more_.wait(lock, [&] { return run < written_ + kMostWaiting || cut_inside_; });
      if (cut_inside_) return;
    }
    report::RecordLines lines(format_);
    lines.text() = empty_text();
    const bool whole = make_lines(run, run + 1, lines, [] {});
    std::unique_lock lock(taking_turns_);
    cut_inside_ = cut_inside_ || !whole;
    made_[run] = {.text = std::move(lines.text()), .done = true, .whole = whole};
    if (std::exchange(is_writing_, true)) return;  // the thread that is writing will also write this run
    for (; written_ < made_.size() && made_[written_].done && made_[written_].whole; ++written_) {
      std::string text = std::exchange(made_[written_].text, {});
      lock.unlock();
      write_text(text);
      text.clear();
      lock.lock();
      empty_.push_back(std::move(text));
      written_more_.notify_all();
    }
    is_writing_ = false;
    written_more_.notify_all();  // cut_inside_ may have changed
  }

  // Reuses memory that was allocated before.
  std::string empty_text() {
    const std::lock_guard lock(taking_turns_);
    if (empty_.empty()) return {};
    std::string text = std::move(empty_.back());
    empty_.pop_back();
    return text;
  }

  // Writes the remaining runs in order, because a record continues in the next run, and this may happen again in later
  // runs.
  void write_from(usize run) {
    if (run == runs_.count) return;
    report::RecordLines lines(format_);
    make_lines(run, runs_.count, lines, [&] {
      if (lines.text().size() < kChunk) return;
      write_text(lines.text());
      lines.text().clear();
    });
    write_text(lines.text());
  }

  void write_text(const std::string& text) {
    if (text.empty()) return;
    put(writer_.before_lines());
    put(text);
  }
  void put(std::string_view text) { file_.has_value() ? file_->write(text) : console_.document(text); }

  std::optional<os::OutputFile> file_;
  diag::Console& console_;
  const RecordsRequest& request_;
  const RecordRuns& runs_;
  const report::RecordFormat format_;
  report::RecordWriter writer_;
  operations::SpeRecordNames names_;
  std::mutex taking_turns_;  // protects the members below
  std::condition_variable written_more_;
  std::vector<Made> made_;
  usize written_ = 0;  // runs
  std::vector<std::string> empty_;
  bool is_writing_ = false;  // a thread is writing, without holding the lock
  bool cut_inside_ = false;
};

}  // namespace

RecordsRequest records_request(const ReportOptions& options, std::vector<u64> midr_of_core) {
  const std::string& name = *options.records_file;
  const bool printed = options.prints_records();
  return {.path = printed ? name : output::output_path(options.outputs, name),
          .json = printed ? options.outputs.json : name.ends_with(".json"),
          .midr_of_core = std::move(midr_of_core),
          .to_ns = {}};
}

diag::Result<void> write_records(const RecordsRequest& request, const operations::SpeProfile& profile,
                                 const RecordRuns& runs, diag::Console& console) {
  std::optional<os::OutputFile> file;
  if (request.path != output::kConsole) {
    WPERF_TRY(os::OutputFile created, os::OutputFile::create(request.path, os::Readers::owner));
    file.emplace(std::move(created));
  }
  return RecordFile(std::move(file), console, request, profile, runs).write();
}

}  // namespace wperf::show
