// SPDX-License-Identifier: BSD-3-Clause
// Profiles that other programs wrote, known by what is in them: pprof, folded stacks, speedscope, Firefox Profiler's
// processed format, Perfetto traces with samples of perf or of stacks. Opens no files. Called by commands.
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

// other_json: JSON, but of no program that is known here.
enum class Format : u8 { none, pprof, folded, speedscope, firefox, perfetto, chrome, other_json };

// By its contents, unpacked. Looks at as little as tells.
Format format_of(Bytes file);
// By its first bytes alone: may it be one, if it goes on behind them?
bool may_begin_profile(Bytes beginning);
// "pprof", "Firefox Profiler".
std::string_view format_name(Format format);
// Of text that might have been folded stacks: what is wrong with it, for its writer. 0: it is nothing like them.
u64 first_line_without_count(Bytes file);

struct ForeignProfile {
  stacks::StackProfile profile;
  stacks::Moments moments;            // of samples, where ProfileWishes asks for them
  std::vector<std::string> warnings;  // what of the file is not shown, and why; whole sentences
  bool has_times = false;             // of samples, so that --time can choose
};

// These first bytes were read and are not looked at again.
using TellPassed = std::function<void(u64 end)>;
inline constexpr u64 kToldBytes = 256 << 10;  // it is told about as often

diag::Result<ForeignProfile> read_foreign_profile(Bytes file, Format format, const ProfileWishes& wishes,
                                                  const TellPassed& passed);

// One for each format; for the files of this room.
diag::Result<ForeignProfile> read_pprof(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_folded(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_speedscope(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_firefox(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Result<ForeignProfile> read_perfetto(Bytes file, const ProfileWishes& wishes, const TellPassed& passed);
diag::Error damaged_profile(std::string text);
// What the builder left out is told, and its profile taken.
ForeignProfile finish_profile(ProfileBuilder& builder, std::vector<std::string> warnings);

}  // namespace wperf::profiles
