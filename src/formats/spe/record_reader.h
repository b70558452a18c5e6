// SPDX-License-Identifier: BSD-3-Clause
// The upper layer of the SPE decoder: turns bytes into records, one for each sampled operation, millions a second. A
// record consists of the packets up to a timestamp or an end packet, in any order. For use by one thread; allocates
// nothing. Damage is skipped and counted; it is never an error.
//
//   DecodeState state;                                       // one per core
//   usize used = for_each_record(bytes, state, [&](const Record& record) { … });
//   end_of_buffer(state, bytes.size() - used);               // or feed the rest again with what follows it
#pragma once
#include <cstddef>
#include <span>

#include "base/ints.h"
#include "formats/spe/layouts.h"
#include "formats/spe/operation_record.h"

namespace wperf::spe {

// Damage, by kind. Everything that is dropped is counted here or in DecodeState.
struct Damage {
  u64 bad_bytes = 0;           // bytes that cannot begin a packet
  u64 bad_places = 0;          // runs of such bytes: how often the decoder had to resynchronise
  u64 cut_packets = 0;         // incomplete packets at the end of a buffer
  u64 unfinished_records = 0;  // unfinished records at the end of a buffer
  u64 empty_records = 0;       // end packets without a record; not delivered
  u64 damaged_records = 0;     // delivered with Record::damaged

  bool any() const {
    return (bad_bytes | bad_places | cut_packets | unfinished_records | empty_records | damaged_records) != 0;
  }
  void add(const Damage& other) {
    bad_bytes += other.bad_bytes;
    bad_places += other.bad_places;
    cut_packets += other.cut_packets;
    unfinished_records += other.unfinished_records;
    empty_records += other.empty_records;
    damaged_records += other.damaged_records;
  }
  friend bool operator==(const Damage&, const Damage&) = default;
};

// The decoder's state between the buffers of one core.
struct DecodeState {
  u64 buffer_address = 0;  // address of the next byte (see parse_packet)
  u64 records = 0;         // delivered
  u64 passed_packets = 0;  // valid packets of a kind without a field: reserved or implementation-defined
  Damage damage;

  Record record;        // the record that is being filled
  u32 repeated = 0;     // its fields that occurred twice
  bool fresh = true;    // no packet of the record was read yet
  bool broken = false;  // there were bad bytes in the record
  u64 behind_bad_byte = ~u64{0};
  detail::Layouts layouts;
};

// Called if the buffer ends or if the following bytes were lost. Counts and discards an incomplete packet
// (`bytes_left`: the bytes that for_each_record did not use) and an unfinished record.
void end_of_buffer(DecodeState& state, usize bytes_left);

namespace detail {

struct Taken {
  usize bytes = 0;
  bool ends_record = false;  // if false, the bytes ended, perhaps inside a packet
};
// Reads packet by packet, up to the end of the record or of the bytes.
Taken take_packets(std::span<const u8> bytes, DecodeState& state);

// Checks and counts the finished record; returns true if it is to be delivered.
bool finish_record(DecodeState& state);
void begin_record(DecodeState& state);

}  // namespace detail

// Calls callback(const Record&) for each record that ends in `bytes`. Returns how many bytes were used: all except an
// incomplete packet at the end. An unfinished record is kept in `state`, so a stream may come in pieces.
template <class Callback>
usize for_each_record(std::span<const std::byte> bytes, DecodeState& state, Callback&& callback) {
  const u8* const begin = reinterpret_cast<const u8*>(bytes.data());
  const u8* const end = begin + bytes.size();
  const u8* at = begin;
  while (at != end) {
    const u8* const record_begin = state.fresh ? at : nullptr;  // null if the record began in an earlier piece
    if (record_begin != nullptr && static_cast<usize>(end - at) >= detail::Layout::kReach) {
      if (const detail::Layout* layout = state.layouts.find(at); layout != nullptr) [[likely]] {
        layout->fill(at, state.record);
        at += layout->size;
        state.buffer_address += layout->size;
        ++state.records;
        callback(static_cast<const Record&>(state.record));
        continue;
      }
    }
    if (record_begin != nullptr) detail::begin_record(state);
    const detail::Taken taken = detail::take_packets({at, end}, state);
    at += taken.bytes;
    if (!taken.ends_record) break;
    if (detail::finish_record(state)) {
      if (record_begin != nullptr && !state.record.damaged) state.layouts.learn({record_begin, at});
      callback(static_cast<const Record&>(state.record));
    }
    detail::begin_record(state);
  }
  return static_cast<usize>(at - begin);
}

}  // namespace wperf::spe
