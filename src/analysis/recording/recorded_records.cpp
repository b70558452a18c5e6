// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/recorded_records.h"

#include <algorithm>
#include <mutex>

#include "code/modules/for_each_module.h"

namespace wperf::recording {

using spe::Field;

using perf_data::ProcessHistory;

namespace {

constexpr u64 kLow56 = 0x00ff'ffff'ffff'ffff;
constexpr usize kRunBytes = 128 << 10;
// The number of runs in a share. It must not depend on the machine, because an aggregator's limits drop data depending
// on where it began, and the result must be the same on all machines.
constexpr usize kRunsOfShare = 128;
constexpr u64 kRecordAlignment = 64;  // on cores that pad their records; on others a record may begin at any byte

u64 with_address(u64 payload, u64 address) {
  return (payload & ~kLow56) | (address & kLow56);
}

void add_states(const DecodeStates& parts, DecodeStates& sums) {
  for (const auto& [core, part] : parts) {
    spe::DecodeState& sum = sums[core];
    sum.records += part.records;
    sum.passed_packets += part.passed_packets;
    sum.damage.add(part.damage);
  }
}

}  // namespace

u32 RecordMover::process_of(const spe::Record& record, u32 otherwise) {
  if (!record.has(Field::context_el1) && !record.has(Field::context_el2)) return otherwise;
  const u32 thread = spe::thread_of({}, record);
  Owner& known = owners_[thread % kKnown];
  if (known.thread != thread) known = {.thread = thread, .process = history_.process_of_thread(thread)};
  return known.process != ProcessHistory::kNobody ? known.process : otherwise;
}

u64 RecordMover::time_of(const spe::Record& record) const {
  const bool known = record.has(Field::timestamp) && traces_.time().has_value() && traces_.time()->has_zero;
  return known ? traces_.time()->to_perf_ns(record.timestamp()) : ~u64{0} - 1;
}

u32 RecordMover::space_of(u32 process, const spe::Record& record) {
  if (process == ProcessHistory::kNobody) return perf_data::kNoCode;
  Known& known = known_[process % kKnown];
  const bool always = known.task.begin == 0 && known.task.end == ~u64{0};
  if (always && known.process == process) return known.task.space;
  const u64 when = time_of(record);
  if (known.process != process || when < known.task.begin || when >= known.task.end) {
    known = {process, history_.task_at(process, process, when)};
  }
  return known.task.space;
}

const spe::Record* RecordMover::canonical(u32 process, const spe::Record& record) {
  if (record.exception_level() != 0) return nullptr;
  const u32 space = space_of(process_of(record, process), record);
  const u64 pc = pcs_.of(space, record.pc());
  const bool branches = record.has(Field::branch_target);
  const u64 target = branches ? targets_.of(space, record.branch_target()) : 0;
  if (pc == record.pc() && (!branches || target == record.branch_target())) return nullptr;
  moved_ = record;
  moved_.set(Field::pc, with_address(record.raw(Field::pc), pc));
  if (branches) moved_.set(Field::branch_target, with_address(record.raw(Field::branch_target), target));
  return &moved_;
}

// The counts of one thread.
struct RecordedRecords::Share {
  spe::Aggregator aggregator;
  DecodeStates states;
  bool whole = true;  // the share ended between two records, so the next share began with a complete record
  bool done = false;
};

RecordedRecords::RecordedRecords(const perf_data::AuxTraces& traces, const CanonicalCode& code, u32 process)
    : traces_(traces),
      code_(code),
      target_(process),
      only_process_(process != ProcessHistory::kNobody ? process : code.history().only_process()),
      runs_(1) {
  usize room = kRunBytes;
  for (const perf_data::AuxBuffer& buffer : traces.buffers()) {
    for (const perf_data::AuxStretch& stretch : traces.stretches_of(buffer)) add_piece(piece_of(buffer, stretch), room);
  }
}

void RecordedRecords::add_piece(Piece piece, usize& room) {
  while (piece.bytes.size() > room) {
    const u64 end = (piece.offset + room) / kRecordAlignment * kRecordAlignment;
    if (end > piece.offset) {
      const usize size = static_cast<usize>(end - piece.offset);
      Piece& first = runs_.back().emplace_back(piece);
      first.bytes = piece.bytes.first(size);
      first.goes_on = true;
      piece.bytes = piece.bytes.subspan(size);
      piece.offset = end;
    }
    runs_.emplace_back();
    room = kRunBytes;
  }
  room -= piece.bytes.size();
  runs_.back().push_back(piece);
}

// Joins the records that were cut between these runs.
RecordedRecords::Run RecordedRecords::joined(usize first, usize last) const {
  Run pieces;
  for (usize i = first; i < last; ++i) {
    for (const Piece& piece : runs_[i]) {
      if (!pieces.empty() && pieces.back().goes_on) {
        Piece& begun = pieces.back();
        begun.bytes = {begun.bytes.data(), begun.bytes.size() + piece.bytes.size()};
        begun.goes_on = piece.goes_on;
      } else {
        pieces.push_back(piece);
      }
    }
  }
  return pieces;
}

// Sets the owner of records without a thread: the thread of the buffer, or the process if there is only one.
RecordedRecords::Piece RecordedRecords::piece_of(const perf_data::AuxBuffer& buffer,
                                                 const perf_data::AuxStretch& stretch) const {
  Piece piece{.origin = {.core = buffer.cpu == perf_data::kAnyCpu ? 0 : buffer.cpu},
              .process = only_process_,
              .offset = stretch.offset,
              .bytes = stretch.bytes};
  if (buffer.cpu != perf_data::kAnyCpu || buffer.tid == ProcessHistory::kNobody) return piece;
  piece.origin.thread = stretch.chunk != nullptr ? stretch.chunk->tid : buffer.tid;
  piece.process = stretch.chunk != nullptr ? stretch.chunk->pid : code_.history().process_of_thread(buffer.tid);
  return piece;
}

void RecordedRecords::add_to(spe::Aggregator& aggregator, DecodeStates& states) const {
  std::vector<Share> shares((runs_.size() + kRunsOfShare - 1) / kRunsOfShare);
  spe::Aggregator sum = aggregator;
  DecodeStates states_of_shares;
  std::mutex joining;
  usize joined_shares = 0;
  bool right = true;
  modules::for_each_module(shares.size(), [&](size_t i) {
    spe::Aggregator own = aggregator;
    shares[i].whole =
        for_each_in(i * kRunsOfShare, std::min((i + 1) * kRunsOfShare, runs_.size()), shares[i].states,
                    [&](const spe::Origin& origin, const spe::Record& record) { own.add(origin, record); });
    // The shares are joined in order, each as soon as possible, so that at most one share per thread is in memory.
    const std::lock_guard lock(joining);
    shares[i].aggregator = std::move(own);
    shares[i].done = true;
    for (; joined_shares < shares.size() && shares[joined_shares].done; ++joined_shares) {
      Share& share = shares[joined_shares];
      right = right && share.whole;
      if (right) {
        sum.merge(share.aggregator);
        add_states(share.states, states_of_shares);
      }
      share.aggregator = spe::Aggregator();
    }
  });
  if (right) {
    aggregator = std::move(sum);
    add_states(states_of_shares, states);
    return;
  }
  // If records do not end where runs end, they must be read in order.
  for_each(states, [&](const spe::Origin& origin, const spe::Record& record) { aggregator.add(origin, record); });
}

}  // namespace wperf::recording
