// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a profile of another program, in each format: the first byte chooses the format, or lets the reader detect
// it. The result is consistent: every index in it is valid.
#include <cstdlib>
#include <span>

#include "formats/profiles/foreign_profile.h"
#include "fuzz/consistent_profile.h"

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  using namespace wperf;
  if (size == 0) return 0;
  const std::span<const std::byte> file = std::as_bytes(std::span(data + 1, size - 1));
  using profiles::Format;
  constexpr Format kFormats[] = {Format::pprof, Format::folded, Format::speedscope, Format::firefox, Format::perfetto};
  const u32 which = data[0] % 6;
  const Format format = which < 5 ? kFormats[which] : profiles::format_of(file);
  const profiles::ProfileReadOptions read_options{
      .lines = (data[0] & 0x80) != 0,
      .times = (data[0] & 0x20) != 0,
      .slice_ns = (data[0] & 0x20) != 0 ? u64{1'000'000} : 0,
      .from_seconds = (data[0] & 0x40) != 0 ? std::optional(0.5) : std::nullopt};
  u64 passed = 0;
  const auto read = profiles::read_foreign_profile(file, format, read_options, [&](u64 end) { passed = end; });
  if (passed > file.size()) std::abort();
  if (!read.has_value()) {
    if (read.error().text.empty()) std::abort();
    return 0;
  }
  fuzz::check_profile(read.value().profile);
  return 0;
}
