// SPDX-License-Identifier: BSD-3-Clause
#include "formats/spe/aggregator.h"

#include <algorithm>

#include "formats/spe/contract_names.h"
#include "formats/spe/latency.h"
#include "formats/spe/packets.h"

namespace wperf::spe {

namespace {

// The key of a site: its address, whose upper byte is all ones or all zeros, and its owner.
constexpr u64 kLow56 = (u64{1} << 56) - 1;
constexpr u64 kUpperHalf = u64{1} << 56, kKernel = u64{1} << 57, kOther = u64{1} << 58;
// The key of a branch: its kind, and the numbers of two sites, which have at most 31 bits because memory is limited.
constexpr u32 kBranchShift = 33, kTargetShift = 2;
constexpr u64 kConditional = 1, kIndirect = 2;
constexpr u32 kMostCycles = 0xffff;

static_assert(kOperationNameCount <= 16);

u64 packed_address(u64 address) {
  return (address & kLow56) | (address >> 56 != 0 ? kUpperHalf : 0);
}

u64 owner_key(u32 core, u32 thread) {
  return u64{core} << 32 | thread;
}

bool is_peer(const DataSource* source) {
  if (source == nullptr) return false;
  switch (source->level) {
    case DataLevel::peer_core:
    case DataLevel::peer_cluster:
    case DataLevel::remote:
      return true;
    default:
      return source->modified;
  }
}

AccessSum sum_of(const Record& record, bool store) {
  const u32 cycles = record.total_latency();
  return {.hits = 1,
          .stores = store ? u64{1} : 0,
          .timed = record.has(Field::total_latency) ? u64{1} : 0,
          .latency = cycles,
          .issue = record.issue_latency(),
          .translation = record.translation_latency(),
          .refills = has_event(record, kEventL1dRefill) ? u64{1} : 0,
          .walks = has_event(record, kEventTlbWalk) ? u64{1} : 0,
          .llc_misses = has_event(record, kEventLlcMiss) ? u64{1} : 0,
          .remote = has_event(record, kEventRemoteAccess) ? u64{1} : 0,
          .saturated = cycles == kSaturatedLatency ? u64{1} : 0,
          .longest = cycles};
}

}  // namespace

u32 thread_of(const Origin& origin, const Record& record) {
  if (origin.thread != kThreadOfRecord) return origin.thread;
  // Kernels at EL2 write the thread into the EL2 context and leave the EL1 context empty.
  if (record.has(Field::context_el1) && record.context_el1() != 0) return record.context_el1();
  if (record.has(Field::context_el2)) return record.context_el2();
  return record.has(Field::context_el1) ? 0 : kNoThread;
}

const DataSourceFamily* SourceCode::family() const {
  const u32 number = given() ? code_ >> 16 : 0;
  return number != 0 && number <= data_source_families().size() ? &data_source_families()[number - 1] : nullptr;
}

const DataSource* SourceCode::source() const {
  const DataSourceFamily* const known = family();
  return known != nullptr ? known->find(value()) : nullptr;
}

void AccessSum::add(const AccessSum& other) {
  hits += other.hits;
  stores += other.stores;
  timed += other.timed;
  latency += other.latency;
  issue += other.issue;
  translation += other.translation;
  refills += other.refills;
  walks += other.walks;
  llc_misses += other.llc_misses;
  remote += other.remote;
  saturated += other.saturated;
  longest = std::max(longest, other.longest);
}

void Aggregator::set_data_sources(u32 core, const DataSourceFamily* family) {
  if (family == nullptr) {
    if (core < families_.size()) families_[core] = 0;
    return;
  }
  if (core >= families_.size()) families_.resize(usize{core} + 1);
  families_[core] = static_cast<u32>(family - data_source_families().data()) + 1;
}

SourceCode Aggregator::source_of(u32 core, const Record& record) const {
  if (!record.has(Field::data_source)) return {};
  return SourceCode(core < families_.size() ? families_[core] : 0, record.data_source());
}

Site Aggregator::site(u32 number) const {
  settle();
  const u64 key = sites_.key(number);
  return {.pc = (key & kLow56) | ((key & kUpperHalf) != 0 ? ~kLow56 : 0),
          .kernel = (key & kKernel) != 0,
          .other_process = (key & kOther) != 0};
}

void Aggregator::add(const Origin& origin, const Record& record) {
  ++records_;
  damaged_ += record.damaged ? 1 : 0;
  const u64 whose = (record.exception_level() != 0 ? kKernel : 0) | (origin.other_process ? kOther : 0);
  const u64 site_key = packed_address(record.pc()) | whose;
  const u64 kind = static_cast<u64>(operation_name(record)) << kEventBits |
                   (contract_events(record.events()) & ((u64{1} << kEventBits) - 1));
  const u32 thread = thread_of(origin, record);
  add_owner(kind, origin.core, thread, 1);
  if (!options_.memory) return wait_for_site(site_key, kind);
  const u32 site = sites_.at(site_key);
  events_.add_one(u64{site} << kKindBits | kind);
  if (!record.has(Field::operation)) return;
  const u64 operation_class = record.raw(Field::operation) >> 8;
  if (operation_class == kClassMemory) add_memory(origin, thread, site, record);
  if (operation_class == kClassBranch) add_branch(whose, site, record);
}

// A program has more places than fit into a cache. So a record waits until its slot is prefetched, while further
// records are read.
void Aggregator::wait_for_site(u64 site, u64 kind) {
  sites_.prefetch(site);
  pending_[pending_count_++] = {.site = site, .kind = kind};
  if (pending_count_ == kMostPending) settle();
}

void Aggregator::settle() const {
  for (usize i = 0; i < pending_count_; ++i) {
    events_.add_one(u64{sites_.at(pending_[i].site)} << kKindBits | pending_[i].kind);
  }
  pending_count_ = 0;
}

void Aggregator::add_owner(u64 kind, u32 core, u32 thread, u64 hits) {
  if (owners_.size() < options_.most_owners) {
    owners_.add(u64{owner_numbers_.at(owner_key(core, thread))} << kKindBits | kind, hits);
    return;
  }
  const u32 owner = owner_numbers_.find(owner_key(core, thread));
  u64* const known = owner != NumberTable::kNone ? owners_.find(u64{owner} << kKindBits | kind) : nullptr;
  if (known != nullptr) {
    *known += hits;
  } else {
    owners_.add(u64{owner_numbers_.at(owner_key(core, kNoThread))} << kKindBits | kind, hits);
  }
}

AccessSum& Aggregator::accesses_at(u32 site) {
  const u32 number = access_sites_.at(site);
  return number == site_sums_.size() ? site_sums_.add({}) : site_sums_[number];
}

AccessSum& Aggregator::accesses_from(u32 source) {
  if (source >= source_sums_.size()) source_sums_.resize(usize{source} + 1);
  return source_sums_[source];
}

void Aggregator::add_memory(const Origin& origin, u32 thread, u32 site, const Record& record) {
  const bool store = (record.raw(Field::operation) & 1) != 0;
  const SourceCode code = source_of(origin.core, record);
  const u32 source = source_numbers_.at((store ? u64{1} << 32 : 0) | code.code());
  const AccessSum sum = sum_of(record, store);
  accesses_at(site).add(sum);
  accesses_from(source).add(sum);
  waits_.add(u64{site} << 32 | source, sum.latency);
  if (sum.timed != 0) {
    const u32 cycles = std::min(record.total_latency(), kMostCycles);
    latencies_of_sources_.add(u64{source} << kLatencyBits | cycles, 1);
    latencies_of_sites_.add_one(u64{site} << kLatencyBits | (latencies_rounded_ ? rounded_up(cycles) : cycles));
    if (latencies_of_sites_.size() > options_.most_latencies) round_latencies();
  }
  if (!record.has(Field::data_virtual)) return;
  const bool from_peer = is_peer(code.source()) || has_event(record, kEventModified);
  data_.add(record.data_virtual(), origin.other_process,
            {.site = site,
             .thread = thread,
             .counts = {.hits = 1,
                        .stores = sum.stores,
                        .refills = sum.refills,
                        .walks = sum.walks,
                        .peer = from_peer ? u64{1} : 0,
                        .latency = sum.latency,
                        .timed = sum.timed}});
}

void Aggregator::add_branch(u64 whose, u32 site, const Record& record) {
  const u64 payload = record.raw(Field::operation);
  const u32 target = sites_.at(packed_address(record.branch_target()) | whose);
  const u32 number = branch_numbers_.at(u64{site} << kBranchShift | u64{target} << kTargetShift |
                                        ((payload & 1) != 0 ? kConditional : 0) | ((payload & 2) != 0 ? kIndirect : 0));
  Branch& branch = number == branches_.size() ? branches_.add({}) : branches_[number];
  ++branch.hits;
  branch.mispredicted += has_event(record, kEventMispredicted) ? 1 : 0;
  branch.not_taken += has_event(record, kEventNotTaken) ? 1 : 0;
}

// There are too many latencies to keep them exact.
void Aggregator::round_latencies() {
  if (latencies_rounded_) return;
  latencies_rounded_ = true;
  CountTable rounded;
  for_each_latency_of_site(
      [&](const LatencyHits& row) { rounded.add(u64{row.of} << kLatencyBits | rounded_up(row.cycles), row.hits); });
  latencies_of_sites_ = std::move(rounded);
}

void Aggregator::merge(const Aggregator& other) {
  records_ += other.records_;
  damaged_ += other.damaged_;
  settle();
  other.settle();
  std::vector<u32> sites(other.sites_.size());
  for (u32 i = 0; i < sites.size(); ++i) sites[i] = sites_.at(other.sites_.key(i));
  other.events_.for_each([&](u64 key, u64 hits) {
    events_.add(u64{sites[key >> kKindBits]} << kKindBits | (key & ((u64{1} << kKindBits) - 1)), hits);
  });
  for (const OwnerHits& row : other.owners()) {
    add_owner(static_cast<u64>(row.operation) << kEventBits | row.events, row.core, row.thread, row.hits);
  }
  std::vector<u32> sources;
  for (u32 i = 0; i < other.source_sums_.size(); ++i) {
    sources.push_back(source_numbers_.at(other.source_numbers_.key(i)));
    accesses_from(sources.back()).add(other.source_sums_[i]);
  }
  other.for_each_access([&](const SiteAccesses& row) { accesses_at(sites[row.site]).add(row.sum); });
  other.for_each_wait(
      [&](const Wait& wait) { waits_.add(u64{sites[wait.site]} << 32 | sources[wait.source], wait.cycles); });
  other.for_each_latency_of_source([&](const LatencyHits& row) {
    latencies_of_sources_.add(u64{sources[row.of]} << kLatencyBits | row.cycles, row.hits);
  });
  if (other.latencies_rounded_) round_latencies();
  other.for_each_latency_of_site([&](const LatencyHits& row) {
    const u32 cycles = latencies_rounded_ ? rounded_up(row.cycles) : row.cycles;
    latencies_of_sites_.add(u64{sites[row.of]} << kLatencyBits | cycles, row.hits);
  });
  if (latencies_of_sites_.size() > options_.most_latencies) round_latencies();
  merge_branches(other, sites);
  data_.merge(other.data_, sites);
}

void Aggregator::merge_branches(const Aggregator& other, const std::vector<u32>& sites) {
  constexpr u64 kTargetBits = (u64{1} << (kBranchShift - kTargetShift)) - 1, kFlags = (u64{1} << kTargetShift) - 1;
  for (u32 i = 0; i < other.branches_.size(); ++i) {
    const u64 key = other.branch_numbers_.key(i);
    const u64 site = sites[key >> kBranchShift], target = sites[key >> kTargetShift & kTargetBits];
    const u32 number = branch_numbers_.at(site << kBranchShift | target << kTargetShift | (key & kFlags));
    Branch& mine = number == branches_.size() ? branches_.add({}) : branches_[number];
    mine.hits += other.branches_[i].hits;
    mine.mispredicted += other.branches_[i].mispredicted;
    mine.not_taken += other.branches_[i].not_taken;
  }
}

usize Aggregator::bytes() const {
  settle();
  usize sum = sites_.bytes() + events_.bytes() + data_.bytes() + site_sums_.bytes() + branches_.bytes() +
              source_sums_.size() * sizeof(AccessSum);
  for (const NumberTable* table : {&owner_numbers_, &source_numbers_, &access_sites_, &branch_numbers_}) {
    sum += table->bytes();
  }
  for (const CountTable* table : {&owners_, &waits_, &latencies_of_sites_, &latencies_of_sources_}) {
    sum += table->bytes();
  }
  return sum;
}

std::vector<OwnerHits> Aggregator::owners() const {
  std::vector<OwnerHits> rows;
  rows.reserve(owners_.size());
  owners_.for_each([&](u64 key, u64 hits) {
    const u64 owner = owner_numbers_.key(static_cast<u32>(key >> kKindBits));
    rows.push_back({.operation = static_cast<OperationName>(key >> kEventBits & 0xf),
                    .events = key & ((u64{1} << kEventBits) - 1),
                    .core = static_cast<u32>(owner >> 32),
                    .thread = static_cast<u32>(owner),
                    .hits = hits});
  });
  return rows;
}

std::vector<SourceAccesses> Aggregator::sources() const {
  std::vector<SourceAccesses> rows;
  for (u32 i = 0; i < source_sums_.size(); ++i) {
    const u64 key = source_numbers_.key(i);
    rows.push_back({.store = key >> 32 != 0, .source = SourceCode(static_cast<u32>(key)), .sum = source_sums_[i]});
  }
  return rows;
}

std::vector<BranchHits> Aggregator::branches() const {
  constexpr u64 kTargetBits = (u64{1} << (kBranchShift - kTargetShift)) - 1;
  std::vector<BranchHits> rows;
  rows.reserve(branches_.size());
  for (u32 i = 0; i < branches_.size(); ++i) {
    const u64 key = branch_numbers_.key(i);
    const Branch& branch = branches_[i];
    rows.push_back({.site = site(static_cast<u32>(key >> kBranchShift)),
                    .target = site(static_cast<u32>(key >> kTargetShift & kTargetBits)).pc,
                    .conditional = (key & kConditional) != 0,
                    .indirect = (key & kIndirect) != 0,
                    .hits = branch.hits,
                    .mispredicted = branch.mispredicted,
                    .not_taken = branch.not_taken});
  }
  return rows;
}

}  // namespace wperf::spe
