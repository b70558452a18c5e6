// SPDX-License-Identifier: BSD-3-Clause
// The code objects of an interpreter. Each is read once and then has a number. Address and mark together identify it
// (code_mark.h), because its address can be reused. The mark is read with the stack, so a known code object need not be
// read again.
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
  std::string file, qualified_name;  // UTF-8 from the program: may contain control characters
  LineTable lines;
  u64 instructions = 0;  // the address of the first instruction
};

class CodeObjects {
 public:
  // Both must outlive this object; the layout must have passed check_layout().
  CodeObjects(ProcessMemory& memory, const Layout& layout) : memory_(memory), layout_(layout) {}

  // Returns the number of the frame's code object, and reads it if it is new. For a frame without code, returns the
  // known code object that contains its instruction. nullopt if it cannot be read, or if a limit below is reached.
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
  std::map<u64, u32> by_instruction_;              // keyed by first instruction; only the latest code object at each
                                                   // address
  std::unordered_map<Key, u8, KeyHash> failures_;  // number of failed reads of each code object
  usize bytes_ = 0;
};

}  // namespace wperf::python
