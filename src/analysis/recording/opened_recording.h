// SPDX-License-Identifier: BSD-3-Clause
// Opens the user's recording in any form: perf.data in either byte order, compressed, from a pipe, or in several files;
// a Windows trace, in several files or in a zip file; a profile of another program; or counts.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "formats/etl/trace.h"
#include "formats/perf_data/perf_file.h"
#include "formats/profiles/foreign_profile.h"
#include "formats/profiles/stat_counts.h"
#include "ground/bytes/bytes.h"
#include "ground/diag/console.h"
#include "ground/diag/result.h"
#include "ground/os/mapped_file.h"
#include "ground/os/recording_file.h"
#include "ground/packing/deflate.h"

namespace wperf::recording {

struct RecordingFiles {
  std::string name;
  std::vector<std::string> further = {};  // more files of the same session, for a trace
};

// A profile written by another program; unpacked if it was packed.
struct OpenedProfile {
  profiles::Format format;
  bytes::Span bytes;
  profiles::ProgressCallback passed;  // frees bytes that were read, and shows progress
};

class OpenedRecording {
 public:
  // Warns about losses in the file. Shows progress.
  static diag::Result<OpenedRecording> open(const RecordingFiles& files, diag::Console& console);
  // A profile that does not come from a file; `name` stands for it.
  static OpenedRecording of_profile(const std::string& name, profiles::Format format, std::vector<std::byte> bytes,
                                    diag::Console& console);
  OpenedRecording(OpenedRecording&&) noexcept;
  // Warns if the file was truncated meanwhile.
  ~OpenedRecording();

  // Each of these is null if the recording has another form.
  const perf_data::PerfFile* perf() const;
  const etl::Trace* trace() const;
  const OpenedProfile* profile() const;
  const profiles::StatCounts* counts() const;  // from `stat --json`

  // For counts: the error of a command that needs samples.
  diag::Error refuse_counts() const;
  // For profiles and counts: the error of a command that needs context switches.
  diag::Error refuse_profile() const;

 private:
  struct Files;
  explicit OpenedRecording(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

// Puts the name of the file before the error's text.
diag::Error with_file_name(const std::string& file, diag::Error error);

// Unpacked data in an unnamed file, so that only the parts being read are in memory.
class UnpackedFile {
 public:
  // unpack(take) must pass the pieces to `take`.
  static diag::Result<UnpackedFile> create(const std::function<void(const packing::TakePiece& take)>& unpack);

  std::span<const std::byte> bytes() const { return mapped_.bytes(); }
  // Frees the memory of these bytes, which are not needed now.
  void release(u64 begin, u64 end) const { mapped_.release(static_cast<usize>(begin), static_cast<usize>(end)); }

 private:
  UnpackedFile(os::RecordingFile file, os::MappedFile mapped) : file_(std::move(file)), mapped_(std::move(mapped)) {}

  os::RecordingFile file_;
  os::MappedFile mapped_;
};

// The bytes of a recording from any source: a file, a pipe, standard input, or a folder from `perf record --threads`,
// which has a file of records for each thread and one for everything else.
class RecordingInput {
 public:
  static diag::Result<RecordingInput> open(const std::string& path);

  bytes::Span bytes() const { return file_.has_value() ? file_->bytes() : bytes::Span(streamed_); }
  const std::vector<os::MappedFile>& further_records() const { return further_; }
  // Was one of the files truncated while it was read, so that zeros were read?
  bool has_shrunk() const;
  // Frees the memory of these bytes, which are not needed now.
  void release(u64 begin, u64 end) const {
    if (file_.has_value()) file_->release(static_cast<usize>(begin), static_cast<usize>(end));
  }

 private:
  std::optional<os::MappedFile> file_;
  std::vector<std::byte> streamed_;
  std::vector<os::MappedFile> further_;
};

}  // namespace wperf::recording
