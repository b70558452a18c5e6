// SPDX-License-Identifier: BSD-3-Clause
// Profiles from other programs, recognised by their contents: pprof, folded stacks, speedscope, Firefox Profiler's
// processed format, and Perfetto traces with perf or stack samples. The answer of a database is also a format, but the
// caller must name it. Opens no files.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/profiles/profile_builder.h"
#include "ground/bytes/bytes.h"
#include "ground/diag/result.h"
#include "model/stacks/stack_profile.h"

namespace wperf::profiles {

using Bytes = bytes::Span;

// other_json: JSON from an unknown program.
enum class Format : u8 { none, pprof, folded, speedscope, firefox, perfetto, chrome, other_json, fleet };

// Decided by the unpacked contents. Reads only as much as needed.
Format format_of(Bytes file);
// Can it be a profile, judging by its first bytes? The following bytes decide.
bool may_begin_profile(Bytes beginning);
// "pprof", "Firefox Profiler".
std::string_view format_name(Format format);
// For text that might be folded stacks: the number of the first line without a count; 0 if the text does not look like
// folded stacks at all.
u64 first_line_without_count(Bytes file);

struct ForeignProfile {
  stacks::StackProfile profile;
  stacks::Moments moments;            // the times of samples, if ProfileReadOptions requests them
  std::vector<std::string> warnings;  // whole sentences: which parts of the file are not shown, and why
  bool has_times = false;             // the samples have times, so --time can select them
};

// Called with the number of bytes that were read and will not be read again.
using ProgressCallback = std::function<void(u64 end)>;
inline constexpr u64 kProgressBytes = 256 << 10;  // progress is reported after this many bytes

diag::Result<ForeignProfile> read_foreign_profile(Bytes file, Format format, const ProfileReadOptions& options,
                                                  const ProgressCallback& passed);

// One reader for each format; for the files of this room.
diag::Result<ForeignProfile> read_pprof(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed);
diag::Result<ForeignProfile> read_folded(Bytes file, const ProfileReadOptions& options, const ProgressCallback& passed);
diag::Result<ForeignProfile> read_speedscope(Bytes file, const ProfileReadOptions& options,
                                             const ProgressCallback& passed);
diag::Result<ForeignProfile> read_firefox(Bytes file, const ProfileReadOptions& options,
                                          const ProgressCallback& passed);
diag::Result<ForeignProfile> read_perfetto(Bytes file, const ProfileReadOptions& options,
                                           const ProgressCallback& passed);
diag::Error damaged_profile(std::string text);
// Takes the builder's profile, and adds a warning for everything that the builder left out.
ForeignProfile finish_profile(ProfileBuilder& builder, std::vector<std::string> warnings);

}  // namespace wperf::profiles
