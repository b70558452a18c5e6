// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary contents of a ring with copies of stacks. The filter's output always consists of whole records that can be
// read again. The first byte determines how often the rings are emptied.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include "analysis/recording/live_unwinding.h"
#include "formats/perf_data/format.h"

namespace {

using namespace wperf;

constexpr u64 kFields = perf_data::kSampleIp | perf_data::kSampleTid | perf_data::kSampleTime |
                        perf_data::kSampleCallchain | perf_data::kSampleUserRegisters | perf_data::kSampleUserStack;

std::string attributes() {
  std::string bytes(136, '\0');
  const auto put = [&](usize at, u64 value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
  put(0, u64{136} << 32 | 1);
  put(24, kFields);
  put(40, u64{1} << 18);  // sample_id_all
  put(80, 0xff0fff);      // registers
  return bytes;
}

// Records with valid sizes and arbitrary contents.
std::vector<std::byte> whole_records(std::span<const std::byte> bytes) {
  std::vector<std::byte> out;
  perf_data::Record record;
  for (u64 at = 0, end = 0; at < bytes.size(); at = end) {
    if (perf_data::record_at(bytes, at, record, end).has_value()) break;
    out.insert(out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at),
               bytes.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const usize pieces = 1 + data[0] % 4;
  const auto records = whole_records(std::as_bytes(std::span(data + 1, size - 1)));
  recording::LiveUnwinding unwinding(modules::ElfSearch{.folders = {}, .lines = false});
  unwinding.begin(std::vector<perf_data::WrittenEvent>{{.name = "cycles", .attributes = attributes(), .ids = {}}});
  std::string out;
  for (usize i = 0; i < pieces; ++i) {
    unwinding.take(records, {});
    unwinding.settle(i + 1 == pieces ? ~u64{0} : u64{1} << (i * 8), out);
  }
  perf_data::RecordStream stream(std::as_bytes(std::span(out)), 0);
  perf_data::Record record;
  while (stream.next(record)) {
  }
  if (stream.statistics().stop.has_value()) std::abort();
  return 0;
}
