// SPDX-License-Identifier: BSD-3-Clause
// Bytes of SPE buffers, core by core and piece by piece → what the tally keeps of their records. Live pieces and those
// of a perf.data file come the same way.
#pragma once
#include <map>
#include <vector>

#include "decode/spe/records.h"
#include "decode/spe/tally.h"
#include "profile/spe_profile.h"
#include "raw/spe.h"

namespace wperf::pipeline {

// Cuts a core's stream into records; carries a packet that a piece cuts over to the next one.
class SpeStream {
 public:
  template <class Callback>
  void feed(const raw::SpePiece& piece, Callback&& callback) {
    if (piece.after_gap) end();
    const auto bytes = begin_piece(piece);
    const usize used = decode::spe::for_each_record(bytes, state_, callback);
    end_piece(bytes, used);
  }
  void end();  // nothing follows, or something is missing
  const decode::spe::DecodeState& state() const { return state_; }

 private:
  std::span<const std::byte> begin_piece(const raw::SpePiece& piece);
  void end_piece(std::span<const std::byte> bytes, usize used);

  decode::spe::DecodeState state_;
  std::vector<std::byte> carried_;  // the beginning of a cut packet
  std::vector<std::byte> joined_;   // the piece behind it
};

class SpeDecoding {
 public:
  // `midr_of_core`: may be shorter than there are cores; the data sources of the others stay numbers.
  SpeDecoding(decode::spe::TallyOptions options, const std::vector<u64>& midr_of_core);

  void take(const raw::SpePiece& piece);
  void finish();

  const decode::spe::Tally& tally() const { return tally_; }
  // What became of each core's bytes, ascending.
  std::vector<profile::SpeCore> cores() const;

 private:
  std::map<u32, SpeStream> streams_;
  decode::spe::Tally tally_;
};

}  // namespace wperf::pipeline
