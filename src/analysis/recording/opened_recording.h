// SPDX-License-Identifier: BSD-3-Clause
// The user's recording, opened in any form: perf.data of either byte order, compressed, through a pipe, in several
// files; a trace of Windows, in several files or in a zip file; a profile of another program; or counts.
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
  std::vector<std::string> further = {};  // of the same session of a trace
};

// A profile that another program wrote; unpacked if it was packed.
struct OpenedProfile {
  profiles::Format format;
  bytes::Span bytes;
  profiles::TellPassed passed;  // releases bytes that were read, and shows progress
};

class OpenedRecording {
 public:
  // Warns about losses in the file. Progress is shown meanwhile.
  static diag::Result<OpenedRecording> open(const RecordingFiles& files, diag::Console& console);
  // A profile that was not read from a file; `name` stands for it.
  static OpenedRecording of_profile(const std::string& name, profiles::Format format, std::vector<std::byte> bytes,
                                    diag::Console& console);
  OpenedRecording(OpenedRecording&&) noexcept;
  // Warns if the file became shorter in the meantime.
  ~OpenedRecording();

  // Each is null if the recording has another form.
  const perf_data::PerfFile* perf() const;
  const etl::Trace* trace() const;
  const OpenedProfile* profile() const;
  const profiles::StatCounts* counts() const;  // of `stat --json`

  // For counts: the error of a command that reads samples.
  diag::Error refuse_counts() const;
  // For profiles and counts: the error of a command that reads context switches.
  diag::Error refuse_profile() const;

 private:
  struct Files;
  explicit OpenedRecording(std::unique_ptr<Files> files);
  std::unique_ptr<Files> files_;
};

// An error with the file's name in front.
diag::Error in_file(const std::string& file, diag::Error error);

// Unpacked data in a file without a name, so that only the parts being read are in memory.
class UnpackedFile {
 public:
  // unpack(take) gives the pieces to `take`.
  static diag::Result<UnpackedFile> create(const std::function<void(const packing::TakePiece& take)>& unpack);

  std::span<const std::byte> bytes() const { return mapped_.bytes(); }
  // These bytes are not needed for now.
  void release(u64 begin, u64 end) const { mapped_.release(static_cast<usize>(begin), static_cast<usize>(end)); }

 private:
  UnpackedFile(os::RecordingFile file, os::MappedFile mapped) : file_(std::move(file)), mapped_(std::move(mapped)) {}

  os::RecordingFile file_;
  os::MappedFile mapped_;
};

// The bytes of a recording from any source: a file, a pipe, standard input, or the folder of `perf record --threads`,
// with a file of records for each thread and one for the rest.
class RecordingInput {
 public:
  static diag::Result<RecordingInput> open(const std::string& path);

  bytes::Span bytes() const { return file_.has_value() ? file_->bytes() : bytes::Span(streamed_); }
  const std::vector<os::MappedFile>& further_records() const { return further_; }
  // One of the files was cut while it was read: zeros were read after its new end.
  bool has_shrunk() const;
  // These bytes are not needed for now.
  void release(u64 begin, u64 end) const {
    if (file_.has_value()) file_->release(static_cast<usize>(begin), static_cast<usize>(end));
  }

 private:
  std::optional<os::MappedFile> file_;
  std::vector<std::byte> streamed_;
  std::vector<os::MappedFile> further_;
};

}  // namespace wperf::recording
