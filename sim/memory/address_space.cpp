// SPDX-License-Identifier: BSD-3-Clause
// Guest ranges, sorted by address. Their host memory comes from mmap: zeroed, and allocated on first use.
#include "sim/memory/address_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <unordered_map>

namespace wperf::sim {
namespace {

std::atomic<u32> next_id{1};

// An engine that refreshes after more changes than these starts anew.
constexpr usize kMostChanges = 512;
// After the program has changed its code on a page this many times, the page is no longer translated.
constexpr u32 kFewChanges = 64;

bool by_base(const Region& region, u64 address) {
  return region.base < address;
}

bool are_one(const Region& low, const Region& high) {
  return low.lent && high.lent && low.base + low.size == high.base && low.host + low.size == high.host &&
         low.permissions == high.permissions;
}

}  // namespace

struct AddressSpace::State {
  std::vector<Region> regions;  // sorted by base, no overlaps
  u64 first_change = 1;         // the generation before changes.front()
  std::vector<MemoryChange> changes;
  struct CodePage {
    bool executed = false;  // since the last store
    u32 changes = 0;
  };
  std::unordered_map<u64, CodePage> writable_code;  // by page
  u32 id = 0;

  // `permissions`: those before and after, if there was memory before.
  void changed(u64 base, u64 size, u32 permissions) {
    if (changes.size() == 2 * kMostChanges) {
      changes.erase(changes.begin(), changes.begin() + kMostChanges);
      first_change += kMostChanges;
    }
    changes.push_back({base, size, (permissions & kExecute) != 0});
  }

  bool is_free(u64 base, u64 size) const {
    if (size == 0 || base % kPageSize != 0 || size % kPageSize != 0 || base + size < base) return false;
    const auto next = std::lower_bound(regions.begin(), regions.end(), base, by_base);
    if (next != regions.end() && next->base < base + size) return false;
    return next == regions.begin() || std::prev(next)->base + std::prev(next)->size <= base;
  }
  void insert(const Region& region) {
    regions.insert(std::lower_bound(regions.begin(), regions.end(), region.base, by_base), region);
    changed(region.base, region.size, 0);
  }
  // Joins the regions around [base, end) that can be one.
  void join(u64 base, u64 end) {
    auto region = std::lower_bound(regions.begin(), regions.end(), base, by_base);
    if (region != regions.begin()) --region;
    while (region != regions.end() && std::next(region) != regions.end() && region->base < end) {
      if (!are_one(*region, *std::next(region))) {
        ++region;
        continue;
      }
      region->size += std::next(region)->size;
      regions.erase(std::next(region));
    }
  }
  // Splits the lent region that crosses this address.
  void split(u64 address) {
    Region* const whole = containing(address);
    if (whole == nullptr || !whole->lent || whole->base == address) return;
    const u64 below = address - whole->base;
    const Region above{address, whole->size - below, whole->permissions, whole->host + below, true};
    whole->size = below;
    regions.insert(std::lower_bound(regions.begin(), regions.end(), address, by_base), above);
  }

  std::vector<Region>::iterator at(u64 base) {
    const auto found = std::lower_bound(regions.begin(), regions.end(), base, by_base);
    return found != regions.end() && found->base == base ? found : regions.end();
  }
  Region* containing(u64 address) {
    auto next = std::upper_bound(regions.begin(), regions.end(), address,
                                 [](u64 wanted, const Region& region) { return wanted < region.base; });
    if (next == regions.begin()) return nullptr;
    --next;
    return address - next->base < next->size ? &*next : nullptr;
  }
};

AddressSpace::AddressSpace() : state_(std::make_unique<State>()) {
  state_->id = next_id.fetch_add(1, std::memory_order_relaxed);
}

AddressSpace::~AddressSpace() {
  for (const Region& region : state_->regions)
    if (!region.lent) munmap(region.host, region.size);
}

bool AddressSpace::map(u64 base, u64 size, u32 permissions) {
  if (!state_->is_free(base, size)) return false;
  void* const host = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED) return false;
  state_->insert({base, size, permissions, static_cast<std::byte*>(host), false});
  return true;
}

bool AddressSpace::lend(u64 base, u64 size, u32 permissions, std::byte* host) {
  if (!state_->is_free(base, size)) return false;
  state_->insert({base, size, permissions, host, true});
  state_->join(base, base + size);
  return true;
}

void AddressSpace::protect_lent(u64 base, u64 size, u32 permissions) {
  state_->split(base);
  state_->split(base + size);
  auto region = std::lower_bound(state_->regions.begin(), state_->regions.end(), base, by_base);
  for (; region != state_->regions.end() && region->base < base + size; ++region) {
    if (!region->lent || region->permissions == permissions) continue;
    state_->changed(region->base, region->size, region->permissions | permissions);
    region->permissions = permissions;
  }
  state_->join(base, base + size);
}

void AddressSpace::take_back(u64 base, u64 size) {
  state_->split(base);
  state_->split(base + size);
  std::erase_if(state_->regions, [&](const Region& region) {
    const bool taken = region.lent && region.base >= base && region.base < base + size;
    if (taken) state_->changed(region.base, region.size, region.permissions);
    return taken;
  });
}

bool AddressSpace::protect(u64 base, u64 size, u32 permissions) {
  const auto region = state_->at(base);
  if (region == state_->regions.end() || region->size != size) return false;
  state_->changed(base, size, region->permissions | permissions);
  region->permissions = permissions;
  return true;
}

bool AddressSpace::unmap(u64 base) {
  const auto region = state_->at(base);
  if (region == state_->regions.end() || region->lent) return false;
  munmap(region->host, region->size);
  state_->changed(region->base, region->size, region->permissions);
  state_->regions.erase(region);
  return true;
}

std::span<std::byte> AddressSpace::view(u64 address, u64 size) {
  Region* const region = state_->containing(address);
  if (region == nullptr || size > region->size - (address - region->base)) return {};
  return {region->host + (address - region->base), size};
}

bool AddressSpace::read(u64 address, void* out, u64 size) {
  auto* to = static_cast<std::byte*>(out);
  while (size > 0) {
    const Region* const region = state_->containing(address);
    if (region == nullptr) return false;
    const u64 offset = address - region->base;
    const u64 part = std::min(size, region->size - offset);
    std::memcpy(to, region->host + offset, part);
    to += part;
    address += part;
    size -= part;
  }
  return true;
}

bool AddressSpace::write(u64 address, const void* in, u64 size) {
  const auto* from = static_cast<const std::byte*>(in);
  while (size > 0) {
    const Region* const region = state_->containing(address);
    if (region == nullptr) return false;
    const u64 offset = address - region->base;
    const u64 part = std::min(size, region->size - offset);
    std::memcpy(region->host + offset, from, part);
    if ((region->permissions & kExecute) != 0) state_->changed(address, part, kExecute);
    from += part;
    address += part;
    size -= part;
  }
  return true;
}

void AddressSpace::code_written(u64 base, u64 size) {
  state_->changed(base, std::min(size, ~u64{0} - base), kExecute);
}

void AddressSpace::executed(u64 address) {
  const u64 page = page_down(address);
  state_->writable_code[page].executed = true;
  const u64 end = std::max(writable_code_ + writable_code_size_, page + kPageSize);
  writable_code_ = writable_code_size_ == 0 ? page : std::min(writable_code_, page);
  writable_code_size_ = end - writable_code_;
}

bool AddressSpace::stored(u64 address, u64 size) {
  bool result = false;
  for (u64 page = page_down(address); page < address + size; page += kPageSize) {
    const auto found = state_->writable_code.find(page);
    if (found == state_->writable_code.end() || !found->second.executed) continue;
    found->second.executed = false;
    ++found->second.changes;
    state_->changed(page, kPageSize, kExecute);
    result = true;
  }
  return result;
}

bool AddressSpace::rarely_changes(u64 address) const {
  const auto found = state_->writable_code.find(page_down(address));
  return found == state_->writable_code.end() || found->second.changes < kFewChanges;
}

const std::vector<Region>& AddressSpace::regions() const {
  return state_->regions;
}
const Region* AddressSpace::region_of(u64 address) const {
  return state_->containing(address);
}
u64 AddressSpace::generation() const {
  return state_->first_change + state_->changes.size();
}
std::optional<std::span<const MemoryChange>> AddressSpace::changes_since(u64 generation) const {
  if (generation < state_->first_change) return std::nullopt;
  return std::span<const MemoryChange>(state_->changes).subspan(generation - state_->first_change);
}
u32 AddressSpace::id() const {
  return state_->id;
}

}  // namespace wperf::sim
