// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a PE image whose addresses are to be named: an error sentence, or answers that hold together.
#include <cstddef>
#include <cstdlib>
#include <span>

#include "code/symbols/pe/pe_file.h"
#include "code/symbols/pe/pe_invariants_test.h"

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  const auto parsed = wperf::symbols::PeFile::parse(bytes);
  if (!parsed.has_value()) {
    if (parsed.error().text.empty()) std::abort();
    return 0;
  }
  if (wperf::symbols::find_broken_invariant(parsed.value(), bytes) != nullptr) std::abort();
  return 0;
}
