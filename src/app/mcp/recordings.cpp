// SPDX-License-Identifier: BSD-3-Clause
#include "app/mcp/recordings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "analysis/recording/sampled_recording.h"
#include "app/measure/tool.h"
#include "app/show/named_samples.h"
#include "app/show/recorded_spe.h"
#include "formats/perf_data/aux_traces.h"
#include "ground/os/files.h"
#include "ground/os/new_file.h"
#include "ground/text/hash.h"

namespace wperf::mcp {
namespace {

std::string handle_of(const std::string& path) {
  return fmt::format("rec_{:016x}", text::fnv1a(state_of(path)));
}

bool is_inside(const std::string& path, const std::string& root) {
  const bool has_end = root.ends_with('/') || root.ends_with('\\');
  if (!path.starts_with(root) || path.size() <= root.size()) return false;
  return has_end || path[root.size()] == '/' || path[root.size()] == '\\';
}

}  // namespace

std::string state_of(const std::string& path) {
  return fmt::format("{}\n{}\n{}", path, os::file_size(path), os::last_change_unix_ns(path));
}

// The opened file, in the forms from which samples are read.
struct KeptRecording::File {
  explicit File(recording::OpenedRecording made) : opened(std::move(made)) {}

  recording::OpenedRecording opened;
  std::optional<recording::SampledRecording> sampled;  // nullopt for a profile of another program
  std::optional<perf_data::AuxTraces> operations;      // from SPE
};

diag::Result<void> KeptRecording::open(diag::Console& console) {
  if (file_ != nullptr) return {};
  WPERF_TRY(recording::OpenedRecording opened, recording::OpenedRecording::open({.name = path_}, console));
  auto made = std::make_shared<File>(std::move(opened));
  if (made->opened.counts() != nullptr) return made->opened.refuse_counts();
  if (made->opened.trace() != nullptr) {
    WPERF_TRY(recording::ConvertedTrace trace,
              recording::convert_trace(*made->opened.trace(), measure::tool_version(), {}, shown_));
    made->sampled.emplace(std::move(trace));
  } else if (made->opened.perf() != nullptr) {
    made->sampled.emplace(*made->opened.perf());
    made->operations = show::spe_traces(*made->opened.perf());
  }
  file_ = std::move(made);
  return {};
}

recording::ReadOptions KeptRecording::read_options(bool lines) const {
  recording::ReadOptions wanted;
  wanted.file = shown_;
  wanted.callers = wanted.cores = wanted.signatures = true;
  wanted.lines = lines;
  if (file_->operations.has_value()) wanted.traces = &*file_->operations;
  return wanted;
}

diag::Result<Samples> KeptRecording::samples(bool lines, diag::Console& console) {
  WPERF_CHECK_OK(open(console));
  if (!file_->sampled.has_value()) {
    if (!foreign_.has_value()) {
      const recording::OpenedProfile& profile = *file_->opened.profile();
      auto read = profiles::read_foreign_profile(profile.bytes, profile.format, {.lines = true, .times = false},
                                                 profile.passed);
      if (!read.has_value()) return recording::with_file_name(shown_, std::move(read).error());
      foreign_.emplace(std::move(read).value());
      foreign_->profile.file = shown_;
    }
    return Samples{.profile = &foreign_->profile};
  }
  std::optional<recording::RecordedSamples>& kept = samples_[lines ? 1 : 0];
  if (!kept.has_value()) {
    WPERF_TRY(kept, show::read_named_samples(file_->sampled->file(), read_options(lines), {}, console));
    file_->sampled->add_trace_facts(kept->profile);
  }
  return Samples{.profile = &kept->profile, .about = &kept->about};
}

diag::Result<Samples> KeptRecording::samples_of(const request::TimeSpan& time, bool lines, diag::Console& console) {
  WPERF_CHECK_OK(open(console));
  if (!file_->sampled.has_value())
    return diag::Error{.text = "a profile has no times", .hint = "leave out from and to"};
  const bool is_kept =
      range_.has_value() && range_->time.from == time.from && range_->time.to == time.to && range_->lines == lines;
  if (!is_kept) {
    recording::ReadOptions wanted = read_options(lines);
    wanted.time = time;
    WPERF_TRY(auto read, show::read_named_samples(file_->sampled->file(), std::move(wanted), {}, console));
    file_->sampled->add_trace_facts(read.profile);
    range_ = Range{.time = time, .lines = lines, .samples = std::move(read)};
  }
  return Samples{.profile = &range_->samples.profile, .about = &range_->samples.about};
}

diag::Result<const show::SwitchRecording*> KeptRecording::switches(const show::ReportOptions& options, bool histories,
                                                                   diag::Console& console) {
  WPERF_CHECK_OK(open(console));
  if (switches_ == nullptr) {
    WPERF_TRY(auto read, show::read_switches(file_->opened, shown_));
    WPERF_CHECK_OK(show::name_all_waits(*read, options, console));
    switches_ = std::move(read);
  }
  if (histories) show::keep_histories(*switches_);
  return switches_.get();
}

// Other servers may use the same folder, so a name is reserved by creating the file.
diag::Result<std::string> Recordings::reserve(std::string_view ending) const {
  for (u32 i = 1;; ++i) {
    std::string name = fmt::format("recording-{}{}", i, ending);
    const std::string path = os::join_path(root_, name);
    errno = 0;
    const std::intptr_t file = os::new_file::create(path, os::Readers::owner);
    if (file == -1 && errno == EEXIST) continue;
    if (file == -1) return diag::system_error("cannot write " + path, errno);
    os::new_file::close(file);
    return name;
  }
}

diag::Result<std::string> Recordings::path_inside(const std::string& name) const {
  const std::string real = os::real_path(os::join_path(root_, name));
  if (!real.empty() && is_inside(real, root_) && !os::is_folder(real) && !os::is_pipe_or_device(real)) return real;
  // The error must not reveal whether a file outside of the root exists.
  return diag::Error{.text = fmt::format("there is no file {} in {}", name, root_),
                     .hint = "files must lie in the folder that --root names"};
}

diag::Result<KeptRecording*> Recordings::find(const std::string& name) {
  const auto to_front = [&](std::list<KeptRecording>::iterator one) {
    kept_.splice(kept_.begin(), kept_, one);
    return &kept_.front();
  };
  const auto by_handle = std::ranges::find(kept_, name, &KeptRecording::handle);
  if (by_handle != kept_.end()) {
    if (handle_of(by_handle->path()) == by_handle->handle()) return to_front(by_handle);
    kept_.erase(by_handle);
    return diag::Error{.text = "the file of this handle has changed", .hint = "open it again"};
  }
  if (name.starts_with("rec_") && name.find_first_of("./\\") == std::string::npos) {
    return diag::Error{.text = fmt::format("no recording has the handle {}", name), .hint = "open it again"};
  }
  WPERF_TRY(const std::string path, path_inside(name));
  const std::string handle = handle_of(path);
  const auto known = std::ranges::find(kept_, handle, &KeptRecording::handle);
  if (known != kept_.end()) return to_front(known);
  kept_.emplace_front(handle, path, path.substr(root_.size() + (root_.ends_with('/') ? 0 : 1)));
  if (kept_.size() > kMost) kept_.pop_back();
  return &kept_.front();
}

}  // namespace wperf::mcp
