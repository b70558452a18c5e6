// SPDX-License-Identifier: BSD-3-Clause
// Profiles that other programs wrote, recognised by their contents: pprof, folded stacks, speedscope, Firefox
// Profiler's processed format, Perfetto traces with samples of perf or of stacks. And the answer of a database, which
// is not recognised but said to be one. Opens no files.
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

// other_json: JSON of an unknown program.
enum class Format : u8 { none, pprof, folded, speedscope, firefox, perfetto, chrome, other_json, fleet };

// Decided by the unpacked contents. Reads only as much as is needed to decide.
Format format_of(Bytes file);
// May it be a profile, judging by its first bytes? The bytes that follow decide.
bool may_begin_profile(Bytes beginning);
// "pprof", "Firefox Profiler".
std::string_view format_name(Format format);
// For text that might be folded stacks: the number of the first wrong line. 0 if it does not look like them at all.
u64 first_line_without_count(Bytes file);

struct ForeignProfile {
  stacks::StackProfile profile;
  stacks::Moments moments;            // the samples' times, if ProfileWishes asks for them
  std::vector<std::string> warnings;  // which parts of the file are not shown, and why; whole sentences
  bool has_times = false;             // the samples have times, so --time can choose among them
};

// These first bytes were read and are not looked at again.
using TellPassed = std::function<void(u64 end)>;
inline constexpr u64 kToldBytes = 256 << 10;  // progress is reported after every so many bytes

diag::Result<ForeignProfile> read_foreign_profile(Bytes file, Format format, const ProfileWishes& wishes,
                                                  const TellPassed& passed);

// One for each format; for the files of this room.
diag::Result<ForeignProfile> read_pprof(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_folded(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_speedscope(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_firefox(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_perfetto(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Error damaged_profile(std::string text);
// Adds a warning for everything the builder left out, and takes its profile.
ForeignProfile finish_profile(ProfileBuilder& builder, std::vector<std::string> warnings);

}  // namespace wperf::profiles
