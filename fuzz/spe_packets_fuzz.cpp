// SPDX-License-Identifier: BSD-3-Clause
// Arbitrary SPE bytes. Every byte belongs to one packet or is counted as bad. A whole buffer, and the same buffer in
// small pieces that match no known record layout, give the same records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "formats/spe/contract_names.h"
#include "formats/spe/data_sources.h"
#include "formats/spe/packets.h"
#include "formats/spe/record_reader.h"

namespace {

using namespace wperf::spe;
using wperf::u64;
using wperf::usize;

u64 count_packets(std::span<const std::byte> bytes) {
  u64 bad = 0;
  usize next = 0;
  for_each_packet_line(bytes, [&](const PacketLine& line) {
    if (line.offset != next || line.bytes.empty() || line.text.empty()) std::abort();
    next += line.bytes.size();
    bad += line.text == "Bad packet!" ? 1 : 0;
  });
  if (next != bytes.size()) std::abort();
  return bad;
}

struct Result {
  std::vector<Record> records;
  DecodeState state;
};

Result decode(std::span<const std::byte> bytes, usize piece) {
  Result result;
  const auto keep = [&](const Record& record) { result.records.push_back(record); };
  usize at = 0;
  usize size = piece;
  while (at < bytes.size()) {
    if (piece != 0) result.state.layouts = {};
    const usize length = piece == 0 ? bytes.size() - at : std::min(size, bytes.size() - at);
    const usize used = for_each_record(bytes.subspan(at, length), result.state, keep);
    if (used > length) std::abort();
    at += used;
    if (at == bytes.size() || (used == 0 && length == bytes.size() - at)) break;
    size = used == 0 ? size + 1 : piece;
    if (piece == 0) break;
  }
  end_of_buffer(result.state, bytes.size() - at);
  return result;
}

// Whether there may be an alignment packet. The end of a piece cuts such a packet short, and only then may the results
// differ.
bool has_alignment(std::span<const std::byte> bytes) {
  for (usize i = 0; i + 1 < bytes.size(); ++i) {
    if ((bytes[i] & std::byte{0xf0}) == std::byte{0x20} && bytes[i + 1] == std::byte{0}) return true;
  }
  return false;
}

void check_record(const Record& record) {
  if ((record.present >> kFieldCount) != 0 || record.present == 0) std::abort();
  for (usize i = 0; i < kFieldCount; ++i) {
    if (!record.has(static_cast<Field>(i)) && record.words[i] != 0) std::abort();
  }
  if (source_name(operation_name(record), record.events()).empty()) std::abort();
  static_cast<void>(record.operation());
  static_cast<void>(data_source_name(find_data_source_family(record.timestamp()), record.data_source()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const usize piece = 1 + data[0] % 80;
  const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
  const u64 bad = count_packets(bytes);
  const Result whole = decode(bytes, 0);
  const Damage& damage = whole.state.damage;
  if (bad != damage.bad_bytes + damage.cut_packets) std::abort();
  if (whole.state.records != whole.records.size() || whole.state.buffer_address != bytes.size()) std::abort();
  for (const Record& record : whole.records) check_record(record);
  if (has_alignment(bytes)) return 0;
  const Result pieces = decode(bytes, piece);
  if (!(pieces.records == whole.records) || !(pieces.state.damage == damage)) std::abort();
  if (pieces.state.passed_packets != whole.state.passed_packets) std::abort();
  return 0;
}
