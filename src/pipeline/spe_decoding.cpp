// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/spe_decoding.h"

#include "profile/spe_profile_builder.h"

namespace wperf::pipeline {

void SpeStream::end() {
  decode::spe::end_of_buffer(state_, carried_.size());
  carried_.clear();
}

std::span<const std::byte> SpeStream::begin_piece(const raw::SpePiece& piece) {
  if (carried_.empty()) {
    state_.buffer_address = piece.buffer_address;
    return piece.bytes;
  }
  joined_.assign(carried_.begin(), carried_.end());
  joined_.insert(joined_.end(), piece.bytes.begin(), piece.bytes.end());
  state_.buffer_address = piece.buffer_address - carried_.size();
  return joined_;
}

void SpeStream::end_piece(std::span<const std::byte> bytes, usize used) {
  const auto rest = bytes.subspan(used);
  carried_.assign(rest.begin(), rest.end());
}

SpeDecoding::SpeDecoding(decode::spe::TallyOptions options, const std::vector<u64>& midr_of_core) : tally_(options) {
  for (u32 core = 0; core < midr_of_core.size(); ++core) {
    tally_.set_data_sources(core, decode::spe::find_data_source_family(midr_of_core[core]));
  }
}

void SpeDecoding::take(const raw::SpePiece& piece) {
  const decode::spe::Origin origin{.core = piece.core};
  streams_[piece.core].feed(piece, [&](const decode::spe::Record& record) { tally_.add(origin, record); });
}

void SpeDecoding::finish() {
  for (auto& [core, stream] : streams_) stream.end();
}

std::vector<profile::SpeCore> SpeDecoding::cores() const {
  std::vector<profile::SpeCore> cores;
  for (const auto& [core, stream] : streams_) {
    profile::SpeCore& one = cores.emplace_back();
    one.core = core;
    profile::add_damage(one, stream.state());
  }
  return cores;
}

}  // namespace wperf::pipeline
