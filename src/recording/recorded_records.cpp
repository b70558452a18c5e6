// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recorded_records.h"

#include <algorithm>
#include <thread>

#include "modules/for_each_module.h"

namespace wperf::recording {

using decode::spe::Field;

using perf_data::AddressSpaces;

namespace {

constexpr u64 kLow56 = 0x00ff'ffff'ffff'ffff;
constexpr usize kLeastShare = 4 << 20;  // bytes for which another thread is worth starting
constexpr u64 kRecordAlignment = 64;    // of the cores that pad their records; where others' begin nobody knows

u64 with_address(u64 payload, u64 address) {
  return (payload & ~kLow56) | (address & kLow56);
}

}  // namespace

const decode::spe::Record* HomeMover::at_home(const Space* space, const decode::spe::Record& record) {
  if (space == nullptr || record.exception_level() != 0) return nullptr;
  const u64 pc = spaces_.at_home(*space, record.pc(), pc_hint_);
  const bool branches = record.has(Field::branch_target);
  const u64 target = branches ? spaces_.at_home(*space, record.branch_target(), target_hint_) : 0;
  if (pc == record.pc() && (!branches || target == record.branch_target())) return nullptr;
  moved_ = record;
  moved_.set(Field::pc, with_address(record.raw(Field::pc), pc));
  if (branches) moved_.set(Field::branch_target, with_address(record.raw(Field::branch_target), target));
  return &moved_;
}

// What one thread decodes, and what came of it.
struct RecordedRecords::Share {
  std::vector<Piece> pieces;
  usize bytes = 0;
  decode::spe::Tally tally;
  DecodeStates states;
  bool ended_between_records = true;  // so that the share behind it began with one
};

RecordedRecords::RecordedRecords(const perf_data::AuxTraces& traces, const AddressSpaces& spaces)
    : spaces_(spaces), only_process_(spaces.only_process()) {
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    for (const perf_data::AuxStretch& stretch : traces.stretches_of(buffer)) {
      pieces_.push_back(piece_of(buffer, stretch));
    }
  }
}

// Whose records they are where they do not say themselves: of the thread that the buffer belongs to, else of the only
// process there is.
RecordedRecords::Piece RecordedRecords::piece_of(const perf_data::AuxBuffer& buffer,
                                                 const perf_data::AuxStretch& stretch) const {
  Piece piece{.origin = {.core = buffer.cpu == perf_data::kAnyCpu ? 0 : buffer.cpu},
              .space = spaces_.space_of(only_process_),
              .offset = stretch.offset,
              .bytes = stretch.bytes};
  if (buffer.cpu != perf_data::kAnyCpu || buffer.tid == AddressSpaces::kNobody) return piece;
  piece.origin.thread = stretch.chunk != nullptr ? stretch.chunk->tid : buffer.tid;
  piece.space = spaces_.space_of(stretch.chunk != nullptr ? stretch.chunk->pid : spaces_.process_of_thread(buffer.tid));
  return piece;
}

std::vector<RecordedRecords::Share> RecordedRecords::shares(usize count) const {
  usize total = 0;
  for (const Piece& piece : pieces_) total += piece.bytes.size();
  const usize most = std::clamp<usize>(total / kLeastShare, 1, count);
  const usize target = total / most + kRecordAlignment;
  std::vector<Share> shares(1);
  for (Piece piece : pieces_) {
    while (shares.back().bytes + piece.bytes.size() > target && shares.size() < most) {
      const u64 wanted = piece.offset + (target - shares.back().bytes);
      const usize cut = static_cast<usize>(wanted / kRecordAlignment * kRecordAlignment - piece.offset);
      if (cut != 0 && cut < piece.bytes.size()) {
        Piece first = piece;
        first.bytes = piece.bytes.first(cut);
        shares.back().bytes += cut;
        shares.back().pieces.push_back(first);
        piece.bytes = piece.bytes.subspan(cut);
        piece.offset += cut;
        piece.begins_inside = true;
      }
      shares.emplace_back();
    }
    shares.back().bytes += piece.bytes.size();
    shares.back().pieces.push_back(piece);
  }
  return shares;
}

void RecordedRecords::add_to(decode::spe::Tally& tally, DecodeStates& states) const {
  std::vector<Share> parts = shares(std::max(1u, std::thread::hardware_concurrency()));
  for (Share& part : parts) part.tally = tally;
  modules::for_each_module(parts.size(), [&](size_t i) {
    Share& part = parts[i];
    HomeMover mover(spaces_);
    const auto add = [&](const decode::spe::Origin& origin, const decode::spe::Record& record) {
      part.tally.add(origin, record);
    };
    for (usize n = 0; n < part.pieces.size(); ++n) {
      const Piece& piece = part.pieces[n];
      decode::spe::DecodeState& state = part.states[piece.origin.core];
      const usize used = decode(piece, state, mover, add);
      const bool cut_here =
          n + 1 == part.pieces.size() && i + 1 < parts.size() && parts[i + 1].pieces.front().begins_inside;
      if (cut_here) part.ended_between_records = used == piece.bytes.size() && state.fresh && !state.broken;
      decode::spe::end_of_buffer(state, piece.bytes.size() - used);
    }
  });
  const bool right =
      std::all_of(parts.begin(), parts.end(), [](const Share& part) { return part.ended_between_records; });
  if (!right) {  // records of another size: in their order, then
    for_each(states,
             [&](const decode::spe::Origin& origin, const decode::spe::Record& record) { tally.add(origin, record); });
    return;
  }
  for (Share& part : parts) {
    tally.merge(part.tally);
    for (const auto& [core, state] : part.states) {
      decode::spe::DecodeState& sum = states[core];
      sum.records += state.records;
      sum.passed_packets += state.passed_packets;
      sum.damage.add(state.damage);
    }
  }
}

}  // namespace wperf::recording
