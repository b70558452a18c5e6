// SPDX-License-Identifier: BSD-3-Clause
// The SPE records of a perf.data file, read one after the other or by several threads, with canonical addresses of
// code.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "analysis/recording/canonical_code.h"
#include "formats/perf_data/aux_traces.h"
#include "formats/spe/aggregator.h"

namespace wperf::recording {

using DecodeStates = std::map<u32, spe::DecodeState>;  // by core

// Makes addresses of user code canonical. Use one for each thread that decodes.
class RecordMover {
 public:
  RecordMover(const CanonicalCode& code, const perf_data::AuxTraces& traces)
      : history_(code.history()), traces_(traces), pcs_(code), targets_(code) {
    // Initialised with thread numbers that are never looked up at these indices.
    for (u32 i = 0; i < kKnown; ++i) owners_[i].thread = i + 1;
  }

  // `process`: for records without a thread; ProcessHistory::kNobody if unknown.
  u32 space_of(u32 process, const spe::Record& record);
  u32 process_of(const spe::Record& record, u32 otherwise);
  // On the clock of the recording; the maximum value if unknown.
  u64 time_of(const spe::Record& record) const;
  // Null if no address changes; otherwise a copy of the record, valid until the next call.
  const spe::Record* canonical(u32 process, const spe::Record& record);

 private:
  struct Known {
    u32 process = perf_data::ProcessHistory::kNobody;
    perf_data::ProcessHistory::Task task = {.name = 0, .space = perf_data::kNoCode, .begin = 1, .end = 0};
  };
  struct Owner {
    u32 thread = 0, process = perf_data::ProcessHistory::kNobody;
  };
  static constexpr u32 kKnown = 256;

  const perf_data::ProcessHistory& history_;
  const perf_data::AuxTraces& traces_;
  CanonicalAddresses pcs_, targets_;
  std::array<Known, kKnown> known_{};
  std::array<Owner, kKnown> owners_{};
  spe::Record moved_;
};

class RecordedRecords {
 public:
  // `process`: only code of this process is distinguished, at its recorded addresses; all other operations count as
  // operations of other processes. With ProcessHistory::kNobody all processes are distinguished.
  RecordedRecords(const perf_data::AuxTraces& traces, const CanonicalCode& code,
                  u32 process = perf_data::ProcessHistory::kNobody);

  // Calls callback(origin, record). Afterwards `states` has the decoder's state of each core.
  template <class Callback>
  void for_each(DecodeStates& states, Callback&& callback) const {
    for_each_in(0, runs_.size(), states, callback);
  }
  // The records are divided into runs, which can be decoded in parallel. for_each_in() decodes the runs from `first` up
  // to but not including `last`. It returns false if the last run ends inside a record, which continues in the next
  // run.
  usize run_count() const { return runs_.size(); }
  template <class Callback>
  bool for_each_in(usize first, usize last, DecodeStates& states, Callback&& callback) const {
    RecordMover mover(code_, traces_);
    bool whole = true;
    for (const Piece& piece : joined(first, last)) {
      spe::DecodeState& state = states[piece.origin.core];
      const usize used = decode(piece, state, mover, callback);
      whole = !piece.goes_on || (used == piece.bytes.size() && state.fresh && !state.broken);
      spe::end_of_buffer(state, piece.bytes.size() - used);
    }
    return whole;
  }
  // Calls callback(process, time, origin, record) with the original addresses; `process` may be ProcessHistory::kNobody
  // if unknown.
  template <class Callback>
  void for_each_as_recorded(DecodeStates& states, Callback&& callback) const {
    RecordMover mover(code_, traces_);
    for (const Piece& piece : joined(0, runs_.size())) {
      spe::DecodeState& state = states[piece.origin.core];
      state.buffer_address = piece.offset;
      const auto take = [&](const spe::Record& record) {
        callback(mover.process_of(record, piece.process), mover.time_of(record), piece.origin, record);
      };
      const usize used = spe::for_each_record(piece.bytes, state, take);
      spe::end_of_buffer(state, piece.bytes.size() - used);
    }
  }
  // Counts into an empty aggregator, on as many threads as the machine has; the result does not depend on their number.
  void add_to(spe::Aggregator& aggregator, DecodeStates& states) const;

 private:
  // Bytes that a core wrote at once.
  struct Piece {
    spe::Origin origin;
    u32 process = perf_data::ProcessHistory::kNobody;  // the process of records without a thread
    u64 offset = 0;                                    // position in the core's stream
    bytes::Span bytes;
    // The next run continues the same written bytes, usually from a new record on.
    bool goes_on = false;
  };
  using Run = std::vector<Piece>;
  struct Share;

  template <class Callback>
  usize decode(const Piece& piece, spe::DecodeState& state, RecordMover& mover, Callback& callback) const {
    state.buffer_address = piece.offset;
    if (target_ != perf_data::ProcessHistory::kNobody) {
      return spe::for_each_record(piece.bytes, state, [&](const spe::Record& record) {
        spe::Origin origin = piece.origin;
        origin.other_process = record.exception_level() == 0 && mover.process_of(record, piece.process) != target_;
        callback(origin, record);
      });
    }
    return spe::for_each_record(piece.bytes, state, [&](const spe::Record& record) {
      const spe::Record* const moved = mover.canonical(piece.process, record);
      callback(piece.origin, moved != nullptr ? *moved : record);
    });
  }
  Piece piece_of(const perf_data::AuxBuffer& buffer, const perf_data::AuxStretch& stretch) const;
  void add_piece(Piece piece, usize& room);
  Run joined(usize first, usize last) const;

  const perf_data::AuxTraces& traces_;
  const CanonicalCode& code_;
  const u32 target_, only_process_;
  std::vector<Run> runs_;
};

}  // namespace wperf::recording
