// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/packed_records.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "formats/perf_data/byte_order.h"
#include "formats/perf_data/record_search.h"
#include "ground/os/zstd_stream.h"

namespace wperf::recording {
namespace {

using Bytes = bytes::Span;
using perf_data::Record;

constexpr u64 kHeaderBytes = 8;
constexpr u64 kLeastLimit = u64{64} << 20;
constexpr u64 kGreatestRatio = 256;
constexpr u64 kProgressBytes = 256 << 10;

void append_bytes(std::vector<std::byte>& out, Bytes bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Appends the record as it was in the file: its header is just before its body.
void append_record(std::vector<std::byte>& out, const Record& record) {
  append_bytes(out, Bytes(record.body.data() - kHeaderBytes, record.body.size() + kHeaderBytes));
  append_bytes(out, record.payload);
}

class Unpacker {
 public:
  Unpacker(os::ZstdStream zstd, const perf_data::EventTable& events, PackedOrder order, u64 limit)
      : zstd_(std::move(zstd)), events_(events), room_(limit) {
    if (order == PackedOrder::other) swapper_.emplace(events);
  }

  void add_plain(const Record& record) { append_record(out_.bytes, record); }
  void add_packed(const Record& record);
  // Skips bytes that could not be read between two records.
  void pass_gap(u64 bytes);
  UnpackedRecords finish(const perf_data::ReadStatistics& statistics);

 private:
  bool unpack(Bytes data);
  bool unpack_at_once(Bytes data);
  bool move_records();
  void lose(u64 bytes);
  void forget();

  os::ZstdStream zstd_;
  const perf_data::EventTable& events_;
  std::optional<perf_data::RecordSwapper> swapper_;  // for records in the other byte order
  u64 room_;                                         // the remaining limit for unpacked data
  UnpackedRecords out_;
  std::vector<std::byte> pending_;    // the beginning of a record that the next piece completes
  bool is_known_ = false;             // all pieces so far were unpacked, so the next one can be
  bool is_damage_counted_ = false;    // the current damage was already counted
  bool is_after_loss_ = false;        // after a loss: records may begin anywhere in the pending data
  u64 moved_ = 0, packed_bytes_ = 0;  // bytes of unpacked records, and of the compressed pieces
};

void Unpacker::pass_gap(u64 bytes) {
  constexpr u64 kLeastPiece = kHeaderBytes + 4;  // a Zstandard block has three bytes before its contents
  if (bytes >= kLeastPiece) forget();
  is_damage_counted_ = true;
}

void Unpacker::lose(u64 bytes) {
  if (!is_damage_counted_) ++out_.damage.places;
  is_damage_counted_ = true;
  forget();
  out_.lost_bytes += bytes;
}

void Unpacker::forget() {
  is_known_ = false;
  is_after_loss_ = true;
  pending_.clear();
}

// The output of a damaged piece is discarded completely, even the part before the damage.
bool Unpacker::unpack_at_once(Bytes data) {
  const usize before = pending_.size();
  const bool is_sound = zstd_.unpack(data, pending_, before + static_cast<usize>(room_)).has_value();
  room_ -= std::min<u64>(room_, pending_.size() - before);
  if (!is_sound) pending_.resize(before);
  return is_sound;
}

bool Unpacker::unpack(Bytes data) {
  if (is_known_ && unpack_at_once(data)) return true;
  if (!os::ZstdStream::begins_frame(data)) return false;
  zstd_.restart();
  return unpack_at_once(data);
}

// Moves whole records to the output. Returns false if the data are not records.
bool Unpacker::move_records() {
  usize at = 0;
  if (is_after_loss_) {
    constexpr auto kPlaces = perf_data::RecordPlaces::anywhere;
    at = static_cast<usize>(swapper_.has_value() ? perf_data::find_swapped_record(pending_, 0, *swapper_, kPlaces)
                                                 : perf_data::find_record(pending_, 0, events_, kPlaces));
    if (at == pending_.size()) return true;  // the next piece may complete the record
    is_after_loss_ = false;
  }
  while (pending_.size() - at >= kHeaderBytes) {
    bytes::Reader header(Bytes(pending_).subspan(at));
    header.skip(6);
    const u16 stored = header.take<u16>();
    const u16 size = swapper_.has_value() ? std::byteswap(stored) : stored;
    if (size < kHeaderBytes) return false;
    if (size > pending_.size() - at) break;
    append_bytes(out_.bytes, Bytes(pending_).subspan(at, size));
    if (swapper_.has_value()) swapper_->swap_next(std::span(out_.bytes).last(size));
    at += size;
    ++moved_;
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(at));
  return true;
}

void Unpacker::add_packed(const Record& record) {
  const u64 bytes = kHeaderBytes + record.body.size();
  perf_data::Compressed packed;
  if (!read(record, packed) || !unpack(packed.data)) return lose(bytes);
  is_known_ = true;
  if (!move_records()) return lose(bytes);
  is_damage_counted_ = false;
  packed_bytes_ += bytes;
}

// `statistics`: from reading the section.
UnpackedRecords Unpacker::finish(const perf_data::ReadStatistics& statistics) {
  // The truncated record is reported when these records are read.
  if (!is_after_loss_) {
    append_bytes(out_.bytes, pending_);
    if (swapper_.has_value()) swapper_->swap_next(std::span(out_.bytes).last(pending_.size()));
  }
  out_.damage.places += statistics.damaged_places();
  out_.damage.bytes = statistics.damaged_bytes() + out_.lost_bytes;
  if (moved_ != 0 && packed_bytes_ != 0) {
    const double each = static_cast<double>(packed_bytes_) / static_cast<double>(moved_);
    const auto about = static_cast<u64>(std::llround(static_cast<double>(out_.damage.bytes) / each));
    out_.damage.records_about = std::max(out_.damage.places, about);
  }
  return std::move(out_);
}

}  // namespace

bool has_packed_records(const perf_data::PerfFile& file) {
  if (file.features().has(perf_data::Feature::compressed)) return true;
  const bool has_features = !file.features().present().empty();
  if (has_features && !file.is_pipe_format() && !file.is_unfinished() && !file.is_cut()) return false;
  // Without the features at the end, only the records themselves show whether some are packed.
  perf_data::RecordStream stream = file.records();
  Record record;
  while (stream.next(record)) {
    if (is_packed(record.kind())) return true;
  }
  return false;
}

diag::Result<UnpackedRecords> unpack_records(const perf_data::PerfFile& file, u64 file_size, PackedOrder order,
                                             const UnpackingProgress& progress) {
  const u64 limit = std::max(kLeastLimit, file_size > ~u64{0} / kGreatestRatio ? ~u64{0} : file_size * kGreatestRatio);
  WPERF_TRY(os::ZstdStream zstd, os::ZstdStream::open());
  Unpacker unpacker(std::move(zstd), file.events(), order, limit);
  perf_data::RecordStream stream = file.records();
  Record record;
  u64 gap_bytes = 0, reported = 0;
  while (stream.next(record)) {
    if (progress && record.file_offset - reported >= kProgressBytes) progress(reported = record.file_offset, file_size);
    const perf_data::ReadStatistics& statistics = stream.statistics();
    if (statistics.gap_bytes != gap_bytes) unpacker.pass_gap(statistics.gap_bytes - gap_bytes);
    gap_bytes = statistics.gap_bytes;
    if (is_packed(record.kind())) {
      unpacker.add_packed(record);
    } else {
      unpacker.add_plain(record);
    }
  }
  return unpacker.finish(stream.statistics());
}

diag::Result<UnpackedRecords> join_records(const perf_data::PerfFile& file, const RecordingInput& input,
                                           PackedOrder order, const UnpackingProgress& progress) {
  if (input.further_records().empty()) return unpack_records(file, input.bytes().size(), order, progress);
  if (order == PackedOrder::other) {
    return diag::Error{.text = "wperf cannot read a folder of perf.data files in the other byte order",
                       .hint = "record without --threads: `perf record` then makes one file",
                       .code = diag::ExitCode::damaged_input};
  }
  UnpackedRecords all;
  const auto add = [&](const perf_data::PerfFile& one, u64 size) -> diag::Result<void> {
    if (!has_packed_records(one)) {
      append_bytes(all.bytes, one.record_bytes());
      return {};
    }
    WPERF_TRY(const UnpackedRecords unpacked, unpack_records(one, size, order, progress));
    append_bytes(all.bytes, unpacked.bytes);
    all.damage.places += unpacked.damage.places;
    all.damage.bytes += unpacked.damage.bytes;
    all.damage.records_about += unpacked.damage.records_about;
    all.lost_bytes += unpacked.lost_bytes;
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
