// SPDX-License-Identifier: BSD-3-Clause
// The SPE records of a perf.data file, one after the other or on several threads, with their addresses of code moved to
// their files' homes. Called by recorded_spe.cpp.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "decode/spe/tally.h"
#include "import/perf_data/address_spaces.h"
#include "import/perf_data/aux_traces.h"

namespace wperf::recording {

using DecodeStates = std::map<u32, decode::spe::DecodeState>;  // by core

// Moves addresses of user code to where their file is at home. One per thread that decodes.
class HomeMover {
 public:
  using Space = perf_data::AddressSpaces::Space;
  explicit HomeMover(const perf_data::AddressSpaces& spaces) : spaces_(spaces) {}

  // `otherwise`: of threads that nobody knows.
  const Space* space_of_thread(u32 thread, const Space* otherwise) {
    Known& known = known_[thread % kKnown];
    if (known.thread != thread) {
      const u32 pid = spaces_.process_of_thread(thread);
      known = {thread, pid != perf_data::AddressSpaces::kNobody ? spaces_.space_of(pid) : otherwise};
    }
    return known.space;
  }
  // Null: it is there. Else a copy that lives until the next call.
  const decode::spe::Record* at_home(const Space* space, const decode::spe::Record& record);

 private:
  struct Known {
    u32 thread = perf_data::AddressSpaces::kNobody;
    const Space* space = nullptr;
  };
  static constexpr u32 kKnown = 256;

  const perf_data::AddressSpaces& spaces_;
  std::array<Known, kKnown> known_{};
  u32 pc_hint_ = 0, target_hint_ = 0;
  decode::spe::Record moved_;
};

class RecordedRecords {
 public:
  RecordedRecords(const perf_data::AuxTraces& traces, const perf_data::AddressSpaces& spaces);

  // callback(origin, record). What became of each core's bytes is in `states` afterwards.
  template <class Callback>
  void for_each(DecodeStates& states, Callback&& callback) const {
    HomeMover mover(spaces_);
    for (const Piece& piece : pieces_) {
      decode::spe::DecodeState& state = states[piece.origin.core];
      const usize used = decode(piece, state, mover, callback);
      decode::spe::end_of_buffer(state, piece.bytes.size() - used);
    }
  }
  // The same into a tally, on as many threads as the machine has.
  void add_to(decode::spe::Tally& tally, DecodeStates& states) const;

 private:
  // Bytes that a core wrote at once.
  struct Piece {
    decode::spe::Origin origin;
    const HomeMover::Space* space = nullptr;  // of records that do not name their thread
    u64 offset = 0;                           // in the core's stream
    perf_data::Bytes bytes;
    bool begins_inside = false;  // of what was written at once: a record is hoped to begin here
  };
  struct Share;

  template <class Callback>
  usize decode(const Piece& piece, decode::spe::DecodeState& state, HomeMover& mover, Callback& callback) const {
    state.buffer_address = piece.offset;
    const decode::spe::Origin unnamed{.core = piece.origin.core};
    return decode::spe::for_each_record(piece.bytes, state, [&](const decode::spe::Record& record) {
      const HomeMover::Space* space = piece.space;
      if (record.has(decode::spe::Field::context_el1) || record.has(decode::spe::Field::context_el2)) {
        space = mover.space_of_thread(decode::spe::thread_of(unnamed, record), piece.space);
      }
      const decode::spe::Record* const moved = mover.at_home(space, record);
      callback(piece.origin, moved != nullptr ? *moved : record);
    });
  }
  Piece piece_of(const perf_data::AuxBuffer& buffer, const perf_data::AuxStretch& stretch) const;
  std::vector<Share> shares(usize count) const;

  const perf_data::AddressSpaces& spaces_;
  const u32 only_process_;
  std::vector<Piece> pieces_;
};

}  // namespace wperf::recording
