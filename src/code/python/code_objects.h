// SPDX-License-Identifier: BSD-3-Clause
// The code objects of an interpreter: each is read once and has a number from then on. A code object is known by its
// address and its mark (code_mark.h), because an address can get another code object later. The mark comes with the
// stack, so a known one costs no reading.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/python/layout.h"
#include "code/python/line_table.h"
#include "code/python/process_memory.h"
#include "code/python/stacks.h"

namespace wperf::python {

struct CodeObject {
  std::string file, qualified_name;  // UTF-8, as the program says: control characters are possible
  LineTable lines;
  u64 instructions = 0;  // the address of the first
};

class CodeObjects {
 public:
  // They must outlive this; the layout has passed check_layout().
  CodeObjects(ProcessMemory& memory, const Layout& layout) : memory_(memory), layout_(layout) {}

  // Returns the number of the frame's code object. A new one is read. A frame without code gets the known code object
  // that has its instruction. nullopt: nothing can be read there, or a limit below is reached.
  std::optional<u32> id_of(const RawFrame& frame);

  const CodeObject& operator[](u32 id) const { return objects_[id]; }
  usize size() const { return objects_.size(); }
  const LineTable& lines(u32 id) const { return objects_[id].lines; }

  static constexpr usize kMostObjects = usize{1} << 20, kMostTotalBytes = usize{1} << 28;

 private:
  struct Key {
    u64 code = 0, mark = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    usize operator()(const Key& key) const { return static_cast<usize>(key.mark ^ (key.code >> 4)); }
  };

  std::optional<u32> id_of_instruction(u64 instruction) const;
  u32 add(const Key& key, CodeObject object);
  std::optional<CodeObject> read(const RawFrame& frame);
  bool is_given_up(const Key& key);

  ProcessMemory& memory_;
  const Layout& layout_;
  std::vector<CodeObject> objects_;
  std::unordered_map<Key, u32, KeyHash> ids_;
  std::map<u64, u32> by_instruction_;              // the first instruction of each, of the latest at an address
  std::unordered_map<Key, u8, KeyHash> failures_;  // how often one could not be read
  usize bytes_ = 0;
};

}  // namespace wperf::python
