// SPDX-License-Identifier: BSD-3-Clause
// The virtual memory of a process as NT sees it: reservations, committed pages with their protection, views of
// sections and images. Committed pages are lent to the process's AddressSpace.
#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/ints.h"
#include "sim/memory/address_space.h"
#include "sim/nt/host_memory.h"
#include "sim/nt/status.h"

namespace wperf::sim::nt {

// PAGE_ values of Windows.
inline constexpr u32 kPageNoAccess = 1, kPageReadOnly = 2, kPageReadWrite = 4, kPageWriteCopy = 8, kPageExecute = 0x10,
                     kPageExecuteRead = 0x20, kPageExecuteReadWrite = 0x40, kPageExecuteWriteCopy = 0x80,
                     kPageGuard = 0x100;

// MEM_REPLACE_PLACEHOLDER when addresses are reserved, MEM_PRESERVE_PLACEHOLDER when they are freed.
inline constexpr u32 kReplacePlaceholder = 0x4000, kPreservePlaceholder = 2;

enum class MemoryType : u32 { private_pages = 0x20000, mapped = 0x40000, image = 0x1000000 };

inline constexpr u64 kLowestAddress = 0x10000, kHighestAddress = 0x7fff'fffe'ffff;

class Memory {
 public:
  Memory(AddressSpace& space, u64 seed);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  struct ReserveOptions {
    u64 address = 0;  // 0: anywhere
    u64 size = 0;
    u64 lowest = 0, highest = kHighestAddress;  // the addresses to use if the caller gives none
    u64 alignment = 0;                          // at least 64 KiB
    u32 protection = kPageReadWrite;            // of the allocation; pages get theirs when they are committed
    MemoryType type = MemoryType::private_pages;
    bool downwards = false;                   // the highest free place
    bool placeholder = false;                 // keeps the addresses for a later reservation
    bool replaces_placeholder = false;        // replaces a placeholder of exactly this address and size
    bool watches = false;                     // notes the pages that are written
    std::shared_ptr<HostMemory> memory = {};  // a section's block; a new block if null
    u64 offset = 0;                           // in `memory`
  };
  // Returns the address, or 0 if there is no such place.
  u64 reserve(const ReserveOptions& options);
  // All pages must lie in one reservation. Pages that are committed already get the protection.
  [[nodiscard]] Status commit(u64 address, u64 size, u32 protection);
  // Commits the pages that are not committed yet, with the protection of their allocation.
  [[nodiscard]] Status commit_rest(u64 address, u64 size);
  [[nodiscard]] Status decommit(u64 address, u64 size);
  [[nodiscard]] Status release(u64 address);  // the start of the reservation
  // Splits a placeholder into two or three, so that one has exactly these addresses. A reservation of exactly these
  // addresses becomes a placeholder again.
  [[nodiscard]] Status preserve_placeholder(u64 address, u64 size);
  // Placeholders that together have exactly these addresses become one.
  [[nodiscard]] Status coalesce_placeholders(u64 address, u64 size);
  // Sets the protection of committed pages; returns the first page's old protection in `before`.
  [[nodiscard]] Status protect(u64 address, u64 size, u32 protection, u32& before);

  struct Area {
    u64 base = 0, size = 0;  // pages of the same kind from here on
    u64 allocation = 0;      // 0: free
    u32 allocation_protection = 0;
    u32 protection = 0;  // 0: not committed
    MemoryType type = MemoryType::private_pages;
  };
  Area query(u64 address) const;

  struct Reservation {
    u64 base = 0, size = 0;
    MemoryType type = MemoryType::private_pages;
  };
  std::optional<Reservation> reservation_of(u64 address) const;
  // Removes the guard of a guard page that was touched. Returns false if the page has none.
  bool hit_guard_page(u64 address);
  // A page of a watched reservation cannot be written until it is noted as written. Returns false if that is not the
  // reason why the page cannot be written.
  bool note_write(u64 address);
  void note_writes(u64 address, u64 size);
  bool watches_any() const { return watched_ != 0; }
  // At most `most` of the written pages from `address` on; nullopt if the range is not in one watched reservation.
  std::optional<std::vector<u64>> written(u64 address, u64 size, usize most) const;
  void forget_writes(const std::vector<u64>& pages);
  u64 committed() const { return committed_; }
  u64 pages_so_far() const { return pages_so_far_; }  // that were committed
  u64 private_bytes() const;                          // committed, not of images and views
  bool has_room(u64 size) const;                      // to commit this many bytes

  static bool is_protection(u32 protection);
  static u32 permissions_of(u32 protection);  // for the AddressSpace

 private:
  struct Block {
    u64 size = 0;
    u32 protection = 0;
    MemoryType type = MemoryType::private_pages;
    std::shared_ptr<HostMemory> memory;
    u64 offset = 0;
    // committed: start -> (end, protection); adjacent equal ranges are merged.
    std::map<u64, std::pair<u64, u32>> pages;
    bool placeholder = false;  // has no memory
    bool watched = false;
    std::set<u64> written;  // pages, if watched
  };
  using Blocks = std::map<u64, Block>;

  Blocks::iterator block_at(u64 address);
  Blocks::const_iterator block_at(u64 address) const;
  bool is_free(u64 base, u64 size) const;
  u64 reserve_anew(const ReserveOptions& options);
  void add_placeholder(u64 base, u64 size);
  u64 find_place(const ReserveOptions& options, u64 size) const;
  // The parts of [begin, end) that are not committed: pairs of begin and end.
  static std::vector<std::pair<u64, u64>> gaps_in(const Block& block, u64 begin, u64 end);
  static void cut(Block& block, u64 at);
  static void set_pages(Block& block, u64 begin, u64 end, u32 protection);  // 0: no longer committed
  // Gives committed pages the permissions of this protection.
  void permit(const Block& block, u64 begin, u64 end, u32 protection);

  AddressSpace& space_;
  u64 first_;
  Blocks blocks_;
  u64 committed_ = 0, reserved_ = 0, pages_so_far_ = 0;
  usize watched_ = 0;  // watched reservations
};

}  // namespace wperf::sim::nt
