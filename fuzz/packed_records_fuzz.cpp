// SPDX-License-Identifier: BSD-3-Clause
// Bytes as a perf.data file with compressed records. Unpacking returns records, or counts bytes as lost, in bounded
// memory.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "analysis/recording/packed_records.h"
#include "formats/perf_data/byte_order.h"

namespace {

using namespace wperf;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const bytes::Span bytes = std::as_bytes(std::span(data, size));
  std::vector<std::byte> turned;
  const bool other = perf_data::is_of_other_byte_order(bytes);
  if (other) turned = perf_data::in_native_order(bytes);
  auto opened = perf_data::PerfFile::open(other ? bytes::Span(turned) : bytes);
  if (!opened.has_value()) return 0;
  perf_data::PerfFile& file = opened.value();
  if (!recording::has_packed_records(file)) return 0;
  const auto order = other ? recording::PackedOrder::other : recording::PackedOrder::native;
  const auto unpacked = recording::unpack_records(file, size, order);
  if (!unpacked.has_value()) return 0;  // no libzstd here
  const recording::UnpackedRecords& records = unpacked.value();
  if (records.lost_bytes > records.damage.bytes || records.damage.bytes > size) std::abort();
  if ((records.damage.bytes == 0) != (records.damage.places == 0)) std::abort();
  file.replace_records(records.bytes, records.damage);
  u64 given = 0;
  const perf_data::ReadStatistics statistics = file.for_each_record([&](const perf_data::Record& record) {
    given += 1;
    if (record.body.size() + record.payload.size() > records.bytes.size()) std::abort();
  });
  if (given != statistics.records) std::abort();
  return 0;
}
