// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/recording/live_unwinding.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "code/python/runtime.h"
#include "formats/perf_data/visit.h"
#include "ground/os/other_memory.h"
#include "ground/text/base_name.h"

namespace wperf::recording {
namespace {

using perf_data::Record;

void append_words(std::string& out, std::span<const u64> words) {
  out.append(reinterpret_cast<const char*>(words.data()), words.size_bytes());
}

// The fields of a tracepoint, preceded by their size.
std::span<const std::byte> raw_of(const perf_data::Sample& sample) {
  if (sample.raw.data() == nullptr) return {};
  return {sample.raw.data() - sizeof(u32), sample.raw.size() + sizeof(u32)};
}

}  // namespace

LiveUnwinding::LiveUnwinding(modules::ElfSearch search, request::PythonFrames python)
    : unwinder_(code_, std::move(search)) {
  unwinder_.read_jit_code_with([this](u64 address, std::span<std::byte> to) {
    const os::MemoryPiece piece{address, to};
    return os::OtherMemory(sample_.pid).read({&piece, 1}) == 1;
  });
  if (python == request::PythonFrames::none) return;
  python_ = std::make_unique<LivePython>(python);
  unwinder_.show_frames_to(
      [this](u64 address, const unwind::Registers& registers) { python_->see(address, registers); });
  code_at_ = [this](u64 address) {
    const u32 code = code_.place_in(space_, address).code;
    return code == perf_data::kNoCode || code_.code(code).is_anonymous ? perf_data::kNoCode : code;
  };
  is_start_of_programs_ = [this](u32 code) {
    if (code == perf_data::kNoCode) return false;
    const std::string_view name = text::base_name(code_.code(code).path);
    return name.starts_with("libc.so") || name.starts_with("libc-") || name.starts_with("ld-linux") ||
           name.starts_with("libpthread") || name.starts_with("python");
  };
}

void LiveUnwinding::begin(std::span<const perf_data::WrittenEvent> events) {
  kept_registers_.clear();
  std::vector<perf_data::Event> described;
  for (const perf_data::WrittenEvent& one : events) {
    perf_data::Event& event = described.emplace_back();
    static_cast<void>(perf_data::read_event_attributes(std::as_bytes(std::span(one.attributes)), event.attributes));
    event.ids = one.ids;
    kept_registers_.push_back(one.kept_registers);
  }
  events_ = perf_data::EventTable(std::move(described));
}

bool LiveUnwinding::see(std::span<const std::byte> beginning, u64 still_ns) {
  Record record;
  record.type = static_cast<u32>(perf_data::RecordType::sample);
  record.body = beginning.subspan(std::min(perf_data::kRecordHeader, beginning.size()));
  const auto owner = events_.sample_owner(record);
  if (!owner.has_value()) return false;
  python_->copies().copy(*owner, still_ns);
  return python_->copies().note(owner->pid);
}

void LiveUnwinding::take(std::span<const std::byte> first, std::span<const std::byte> second) {
  if (python_ != nullptr) python_->open_new();
  usize at = pending_.size();
  pending_.insert(pending_.end(), first.begin(), first.end());
  pending_.insert(pending_.end(), second.begin(), second.end());
  Record record;
  for (u64 end = at; at < pending_.size(); at = static_cast<usize>(end)) {
    if (perf_data::record_at(pending_, at, record, end).has_value()) end = pending_.size();
    const u64 time = time_of(record);
    entries_.push_back({time, at, static_cast<usize>(end) - at, python_copy_of(record)});
    if (python_ != nullptr && record.kind() != perf_data::RecordType::sample) tell_python(record, time);
  }
}

// Tells PythonCopies as soon as possible which programs are started and which interpreters are loaded.
void LiveUnwinding::tell_python(const Record& record, u64 time) {
  PythonCopies& copies = python_->copies();
  bool is_work = false;
  perf_data::Visitors visitor{[&](const perf_data::Mmap& one, const Record&) {
                                if (python::version_in_name(text::base_name(one.file)) != 0)
                                  is_work |= copies.look_again(one.pid);
                              },
                              [&](const perf_data::Comm& one, const Record&) {
                                if (one.by_exec) copies.forget(one.pid, time);
                              }};
  perf_data::ReadStatistics statistics;
  visit_record(record, events_, visitor, statistics, sample_);
  if (is_work) python_->open_new();
}

// A record without a time counts as older than all other records.
u64 LiveUnwinding::time_of(const Record& record) {
  if (record.kind() == perf_data::RecordType::sample) {
    return events_.read(record, sample_) == perf_data::EventTable::Found::yes ? sample_.time : 0;
  }
  bytes::Span fields;
  perf_data::Identity identity;
  const bool is_kernels = record.type < perf_data::kFirstUserType;
  return is_kernels && events_.split_trailer(record, fields, identity) ? identity.time : 0;
}

std::unique_ptr<PythonCopy> LiveUnwinding::python_copy_of(const Record& record) {
  if (python_ == nullptr || record.kind() != perf_data::RecordType::sample) return nullptr;
  return python_->copies().take(sample_.tid, sample_.time);
}

void LiveUnwinding::settle(u64 before_ns, std::string& out) {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  const auto end =
      std::partition_point(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.time < before_ns; });
  for (auto one = entries_.begin(); one != end; ++one) {
    Record record;
    u64 record_end = 0;
    static_cast<void>(perf_data::record_at(std::span(pending_).subspan(one->begin, one->size), 0, record, record_end));
    python_copy_ = one->python.get();
    pass(record, *one, out);
    if (one->python != nullptr) python_->copies().give_back(std::move(one->python));
  }
  later_.clear();
  entries_.erase(entries_.begin(), end);
  for (Entry& one : entries_) {
    const auto from = pending_.begin() + static_cast<std::ptrdiff_t>(one.begin);
    one.begin = later_.size();
    later_.insert(later_.end(), from, from + static_cast<std::ptrdiff_t>(one.size));
  }
  pending_.swap(later_);
}

void LiveUnwinding::pass(const Record& record, const Entry& entry, std::string& out) {
  if (record.kind() == perf_data::RecordType::sample) {
    if (events_.read(record, sample_) == perf_data::EventTable::Found::yes) return append_unwound(record, out);
  } else {
    const auto add = [this](const auto& one, const Record&) { code_.add(one); };
    perf_data::Visitors visitor{[&](const perf_data::Mmap& one, const Record& of) { add(one, of); },
                                [&](const perf_data::Comm& one, const Record& of) {
                                  add(one, of);
                                  if (python_ != nullptr && one.by_exec) python_->forget(one.pid, entry.time);
                                },
                                [&](const perf_data::Task& one, const Record& of) {
                                  add(one, of);
                                  const bool has_ended = one.is_exit && one.pid == one.tid;
                                  if (python_ != nullptr && has_ended) python_->forget(one.pid, entry.time);
                                }};
    perf_data::ReadStatistics statistics;
    visit_record(record, events_, visitor, statistics, sample_);
  }
  out.append(reinterpret_cast<const char*>(pending_.data() + entry.begin), entry.size);
}

// Collects the user registers for the file: their width, and the kept registers.
void LiveUnwinding::collect_registers() {
  kept_.clear();
  const u64 mask = sample_.event < kept_registers_.size() ? kept_registers_[sample_.event] : 0;
  if (mask == 0) return;
  const perf_data::Registers& recorded = sample_.user_registers;
  kept_.push_back(recorded.abi);
  for (u64 rest = mask; rest != 0; rest &= rest - 1) {
    const std::optional<u64> value = recorded.value_of(static_cast<u32>(std::countr_zero(rest)));
    if (!value.has_value()) {
      kept_.assign(1, 0);  // 0: none
      return;
    }
    kept_.push_back(*value);
  }
}

// The offset of the address in a sample. If samples have an identifier, it comes before the address.
usize LiveUnwinding::place_offset() const {
  const auto& attributes = events_.all()[sample_.event].attributes;
  return attributes.has(perf_data::kSampleIdentifier) ? sizeof(u64) : 0;
}

// Writes a sample: its fields up to the call chain, the complete chain, and the data of a tracepoint. Leaves out all
// later fields except the kept registers.
void LiveUnwinding::append_unwound(const Record& record, std::string& out) {
  collect_chain();
  collect_registers();
  const std::byte* const chain = sample_.callchain.bytes().data();
  const usize before = static_cast<usize>(chain - record.body.data()) - sizeof(u64);
  constexpr usize kMostWords = 8000;  // limited because a record's size has 16 bits
  if (chain_.size() > kMostWords) chain_.resize(kMostWords);
  const std::span<const std::byte> raw = raw_of(sample_);
  const u64 size = sizeof(u64) + before + (1 + chain_.size() + kept_.size()) * sizeof(u64) + raw.size();
  const u64 header = record.type | u64{record.misc} << 32 | size << 48;
  append_words(out, {&header, 1});
  const usize body = out.size();
  out.append(reinterpret_cast<const char*>(record.body.data()), before);
  // Replaces the sample's address by the address in the Python function.
  if (new_place_.has_value()) std::memcpy(out.data() + body + place_offset(), &*new_place_, sizeof(u64));
  const u64 count = chain_.size();
  append_words(out, {&count, 1});
  append_words(out, chain_);
  out.append(reinterpret_cast<const char*>(raw.data()), raw.size());
  append_words(out, kept_);
}

void LiveUnwinding::collect_chain() {
  chain_.clear();
  const bytes::Words& recorded = sample_.callchain;
  usize user = 0;
  while (user < recorded.size() && recorded[user] != perf_data::kCallchainUser) chain_.push_back(recorded[user++]);
  const usize begin = chain_.size() + 1;
  const bool has_stack = RecordedUnwinder::has_stack(sample_);
  if (is_hurried_ && has_stack) ++incomplete_.by_pointers;
  const bool unwinds = has_stack && !is_hurried_;
  bool is_whole = false;
  cut_by_.reset();
  if (unwinds) {
    is_whole = collect_user_chain(user);
  } else {
    while (user < recorded.size()) chain_.push_back(recorded[user++]);
  }
  new_place_.reset();
  if (python_copy_ != nullptr) join_python(begin, is_whole, unwinds);
  if (cut_by_.has_value()) count(*cut_by_);
}

void LiveUnwinding::join_python(usize begin, bool is_whole, bool was_unwound) {
  python_->join({sample_, *python_copy_, chain_, begin, is_whole, was_unwound, code_at_, is_start_of_programs_});
  if (sample_.cpu_mode() == perf_data::kUserMode && begin < chain_.size()) new_place_ = chain_[begin];
  // A separate counter counts such stacks.
  if (python_->was_cut()) cut_by_.reset();
}

// `user`: where the user part of the kernel's chain begins. Returns true if the outermost function was reached.
bool LiveUnwinding::collect_user_chain(usize user) {
  const bytes::Words& recorded = sample_.callchain;
  callers_.clear();
  space_ = code_.space_of(sample_.pid);
  if (python_ != nullptr) python_->begin_stack(python_copy_);
  const auto ending = unwinder_.add_callers(sample_, space_, callers_);
  chain_.push_back(perf_data::kCallchainUser);
  const usize begin = chain_.size();
  // In user mode the unwinder leaves out the sample's own address. In kernel mode it also returns the address where the
  // kernel was entered, like a caller.
  if (sample_.cpu_mode() == perf_data::kUserMode) {
    chain_.push_back(sample_.ip);
  } else if (!callers_.empty()) {
    --callers_.front();
  }
  chain_.insert(chain_.end(), callers_.begin(), callers_.end());
  if (ending == unwind::Ending::outermost) return true;
  // The kernel followed the frame pointers from the same address. If the last caller from the copy is also in the
  // kernel's chain, the callers after it in that chain are also correct.
  const u64 last = chain_.size() > begin ? chain_.back() : 0;
  for (usize i = user + 1; i < recorded.size() && last != 0; ++i) {
    if (recorded[i] != last) continue;
    // If code uses the register for other purposes, the kernel may find a caller with address 0.
    usize next = i + 1;
    while (next < recorded.size() && recorded[next] != 0) chain_.push_back(recorded[next++]);
    if (next == i + 1) break;
    return false;
  }
  cut_by_ = ending;
  return false;
}

void LiveUnwinding::count(unwind::Ending ending) {
  constexpr u64 kAbi32 = 1;
  if (sample_.user_registers.abi == kAbi32) {
    ++incomplete_.of_32_bits;
  } else if (ending == unwind::Ending::stack_copy_too_short) {
    ++incomplete_.cut;
  } else if (ending == unwind::Ending::no_table) {
    ++incomplete_.without_table;
  } else {
    ++incomplete_.damaged;
  }
}

}  // namespace wperf::recording
