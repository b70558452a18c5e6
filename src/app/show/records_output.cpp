// SPDX-License-Identifier: BSD-3-Clause
#include "app/show/records_output.h"

#include <system_error>

#include "app/output/outputs.h"

namespace wperf::show {

LineBatches::~LineBatches() {
  if (!helper_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  helper_.join();
}

void LineBatches::spell(Batch& batch) {
  for (const Sample& one : batch.samples) lines_.append(one.row, one.moment, batch.text);
}

// Returns false if all batches are taken.
bool LineBatches::spell_next(std::unique_lock<std::mutex>& lock) {
  if (taken_ == filled_) return false;
  Batch& batch = batches_[taken_++ % kBatches];
  lock.unlock();
  spell(batch);
  lock.lock();
  batch.is_spelled = true;
  return true;
}

void LineBatches::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (spell_next(lock)) {
      changed_.notify_all();
    } else if (is_over_) {
      return;
    } else {
      changed_.wait(lock);
    }
  }
}

void LineBatches::write_oldest() {
  std::unique_lock lock(mutex_);
  Batch& batch = batches_[written_ % kBatches];
  while (!batch.is_spelled) {
    if (!spell_next(lock)) changed_.wait(lock);
  }
  lock.unlock();
  write_(batch.text.text());
  batch.samples.clear();
  batch.text.clear();
  batch.is_spelled = false;
  ++written_;
}

void LineBatches::end_batch() {
  {
    const std::lock_guard lock(mutex_);
    ++filled_;
  }
  if (helper_.joinable()) {
    changed_.notify_all();
  } else if (filled_ > 1 && !is_alone_) {
    try {
      helper_ = std::thread([this] { help(); });
    } catch (const std::system_error&) {
      is_alone_ = true;
    }
  }
  if (filled_ - written_ == kBatches) write_oldest();
}

void LineBatches::finish() {
  if (!batches_[filled_ % kBatches].samples.empty()) end_batch();
  while (written_ != filled_) write_oldest();
}

diag::Result<RecordsOutput> RecordsOutput::open(const ReportOptions& options, diag::Console& console) {
  const std::string& name = *options.records_file;
  RecordsOutput made(console, options.outputs.json || name.ends_with(".json"));
  if (options.prints_records()) return made;
  WPERF_TRY(os::OutputFile created,
            os::OutputFile::create(output::output_path(options.outputs, name), os::Readers::owner));
  made.file_.emplace(std::move(created));
  return made;
}

}  // namespace wperf::show
