// SPDX-License-Identifier: BSD-3-Clause
#include "recording/packed_records.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "import/perf_data/swapped_records.h"
#include "os/zstd_stream.h"

namespace wperf::recording {
namespace {

using perf_data::Bytes;
using perf_data::Record;
using perf_data::RecordType;

constexpr u64 kHeaderBytes = 8;
constexpr u64 kLeastLimit = u64{64} << 20;
constexpr u64 kGreatestRatio = 256;

bool is_packed(const Record& record) {
  return record.kind() == RecordType::compressed || record.kind() == RecordType::compressed2;
}

void append_bytes(std::vector<std::byte>& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// As it stood in the file: the header is what lies before the body.
void append_record(std::vector<std::byte>& out, const Record& record) {
  append_bytes(out, Bytes(record.body.data() - kHeaderBytes, record.body.size() + kHeaderBytes));
  append_bytes(out, record.payload);
}

// Moves whole records; what is left is the beginning of one whose end comes with the next piece. False: no record.
// `swapper`: where they have the other byte order.
bool move_records(std::vector<std::byte>& from, std::vector<std::byte>& to, perf_data::RecordSwapper* swapper) {
  usize at = 0;
  while (from.size() - at >= kHeaderBytes) {
    perf_data::Reader header(Bytes(from).subspan(at));
    header.skip(6);
    const u16 stored = header.take<u16>();
    const u16 size = swapper != nullptr ? std::byteswap(stored) : stored;
    if (size < kHeaderBytes) return false;
    if (size > from.size() - at) break;
    append_bytes(to, Bytes(from).subspan(at, size));
    if (swapper != nullptr) swapper->swap_next(std::span(to).last(size));
    at += size;
  }
  from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

}  // namespace

bool has_packed_records(const perf_data::PerfFile& file) {
  if (file.features().has(perf_data::Feature::compressed)) return true;
  if (!file.came_through_pipe() && !file.is_unfinished() && !file.is_cut()) return false;
  // Without the features at the end only the records themselves tell.
  perf_data::RecordStream stream = file.records();
  Record record;
  while (stream.next(record)) {
    if (is_packed(record)) return true;
  }
  return false;
}

diag::Result<UnpackedRecords> unpack_records(const perf_data::PerfFile& file, u64 file_size, PackedOrder order) {
  const u64 limit = std::max(kLeastLimit, file_size > ~u64{0} / kGreatestRatio ? ~u64{0} : file_size * kGreatestRatio);
  WPERF_TRY(os::ZstdStream zstd, os::ZstdStream::open());
  UnpackedRecords out;
  std::vector<std::byte> pending;
  std::optional<perf_data::RecordSwapper> swapper;
  if (order == PackedOrder::other) swapper.emplace(file.events());
  perf_data::RecordStream stream = file.records();
  Record record;
  while (stream.next(record)) {
    perf_data::Compressed packed;
    if (!is_packed(record)) {
      append_record(out.bytes, record);
      continue;
    }
    if (!read(record, packed)) {
      out.trouble = "a packed record is damaged";
      break;
    }
    const u64 room = limit - std::min<u64>(limit, out.bytes.size());
    const auto unpacked = zstd.unpack(packed.data, pending, static_cast<usize>(room));
    if (!unpacked.has_value()) out.trouble = unpacked.error().text;
    if (!move_records(pending, out.bytes, swapper.has_value() ? &*swapper : nullptr))
      out.trouble = "what was packed is no list of records";
    if (!out.trouble.empty()) break;
  }
  return out;
}

diag::Result<UnpackedRecords> join_records(const perf_data::PerfFile& file, const RecordingInput& input,
                                           PackedOrder order) {
  if (input.further_records().empty()) return unpack_records(file, input.bytes().size(), order);
  if (order == PackedOrder::other) {
    return diag::Error{.text = "a folder of perf.data files in the other byte order is not read",
                       .hint = "`perf record` without --threads makes one file",
                       .code = diag::ExitCode::damaged_input};
  }
  UnpackedRecords all;
  const auto add = [&](const perf_data::PerfFile& one, u64 size) -> diag::Result<void> {
    if (!has_packed_records(one)) {
      append_bytes(all.bytes, one.record_bytes());
      return {};
    }
    WPERF_TRY(const UnpackedRecords unpacked, unpack_records(one, size, order));
    append_bytes(all.bytes, unpacked.bytes);
    if (!unpacked.trouble.empty()) all.trouble = unpacked.trouble;
    return {};
  };
  WPERF_CHECK_OK(add(file, input.bytes().size()));
  for (const os::MappedFile& further : input.further_records()) {
    perf_data::PerfFile of_thread = file;
    of_thread.replace_records(further.bytes());
    WPERF_CHECK_OK(add(of_thread, further.bytes().size()));
  }
  return all;
}

}  // namespace wperf::recording
