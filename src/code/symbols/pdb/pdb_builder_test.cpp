// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/pdb/pdb_builder_test.h"

#include <algorithm>

namespace wperf::symbols::pdb {
namespace {

// Allocates blocks. Blocks for free block maps remain unused, as in real files.
class Blocks {
 public:
  explicit Blocks(MsfLayout layout) : layout_(layout), bytes_(layout.block_size * 3, '\0') {}

  // Writes `data` into new blocks and returns their numbers.
  std::vector<u32> add(const std::string& data) {
    std::vector<u32> numbers;
    for (usize at = 0; at < data.size(); at += layout_.block_size) {
      u32 number = static_cast<u32>(bytes_.size() / layout_.block_size);
      for (; number % layout_.block_size == 1 || number % layout_.block_size == 2; ++number) {
        bytes_.append(layout_.block_size, '\x55');
      }
      bytes_.append(layout_.block_size, '\0');
      numbers.push_back(number);
    }
    if (layout_.is_scattered) std::reverse(numbers.begin(), numbers.end());
    for (usize i = 0; i < numbers.size(); ++i) {
      const std::string part = data.substr(i * layout_.block_size, layout_.block_size);
      bytes_.replace(u64{numbers[i]} * layout_.block_size, part.size(), part);
    }
    return numbers;
  }

  std::string& bytes() { return bytes_; }

 private:
  MsfLayout layout_;
  std::string bytes_;
};

std::string as_bytes(const std::vector<u32>& numbers) {
  Out out;
  for (const u32 number : numbers) out.put(number);
  return out.bytes();
}

template <typename T>
std::string table(const std::vector<T>& items) {
  Out out;
  for (const T& item : items) out.put(item);
  return out.bytes();
}

}  // namespace

std::string build_msf(const std::vector<std::string>& streams, MsfLayout layout) {
  Blocks blocks(layout);
  Out directory;
  directory.put(static_cast<u32>(streams.size()));
  for (const std::string& stream : streams) directory.put(static_cast<u32>(stream.size()));
  for (const std::string& stream : streams) directory.raw(as_bytes(blocks.add(stream)));
  const std::vector<u32> directory_blocks = blocks.add(directory.bytes());
  const std::vector<u32> map_blocks = blocks.add(as_bytes(directory_blocks));
  Out super;
  super.raw(std::string_view(kMsfMagic, sizeof kMsfMagic));
  super.put(layout.block_size).put(u32{1}).put(static_cast<u32>(blocks.bytes().size() / layout.block_size));
  super.put(directory.size()).put(u32{0}).raw(as_bytes(map_blocks));
  blocks.bytes().replace(0, super.size(), super.bytes());
  return blocks.bytes();
}

u32 CompilandBuilder::record(u16 kind, const Out& body) {
  const u32 at = symbols_.size();
  const u16 padding = static_cast<u16>((4 - body.size() % 4) % 4);
  symbols_.put(static_cast<u16>(sizeof kind + body.size() + padding)).put(kind).raw(body.bytes()).align();
  return at;
}

u32 CompilandBuilder::begin_procedure(u16 kind, u16 section, u32 offset, u32 size, std::string_view name) {
  Out body;
  body.put(u32{0}).put(u32{0}).put(u32{0}).put(size).put(u32{0}).put(size).put(u32{0}).put(offset).put(section);
  return record(kind, body.put(u8{0}).text(name));
}

u32 CompilandBuilder::begin_inline_site(u32 inlinee, std::string_view annotations, u16 kind) {
  Out body;
  body.put(u32{0}).put(u32{0}).put(inlinee);
  if (kind == S_INLINESITE2) body.put(u32{1});
  return record(kind, body.raw(annotations));
}

void CompilandBuilder::end_scope(u32 begin, u16 kind) {
  const u32 end = record(kind, Out());
  std::memcpy(symbols_.bytes().data() + begin + sizeof(RecordHeader) + sizeof(u32), &end, sizeof end);
}

void CompilandBuilder::subsection(u32 kind, const Out& body) {
  Out padded = body;
  padded.align();
  c13_.put(kind).put(padded.size()).raw(padded.bytes());
}

void CompilandBuilder::lines(u32 offset, u32 size, const std::vector<Block>& blocks, bool has_columns, u16 section) {
  Out body;
  body.put(offset).put(section).put(has_columns ? kLinesHaveColumns : u16{0}).put(size);
  for (const Block& block : blocks) {
    const u32 count = static_cast<u32>(block.rows.size());
    body.put(block.file * 8).put(count).put(static_cast<u32>(12 + count * (has_columns ? 12 : 8)));
    for (const Row& row : block.rows) body.put(row.offset).put(row.line | 0x80000000);
    for (u32 i = 0; has_columns && i < count; ++i) body.put(u32{0x00090001});
  }
  subsection(DEBUG_S_LINES, body);
}

void CompilandBuilder::files(const std::vector<u32>& names) {
  Out body;
  for (const u32 name : names) body.put(name).put(u8{0}).put(u8{0}).align();
  subsection(DEBUG_S_FILECHKSMS, body);
}

void CompilandBuilder::inlinees(const std::vector<InlineeLine>& lines, bool has_extra_files) {
  Out body;
  body.put(has_extra_files ? kInlineeLinesWithExtraFiles : u32{0});
  for (const InlineeLine& line : lines) {
    body.put(line.inlinee).put(line.file * 8).put(line.line);
    if (has_extra_files) body.put(u32{2}).put(u32{0}).put(u32{8});
  }
  subsection(DEBUG_S_INLINEELINES, body);
}

SectionHeader PdbBuilder::section(u32 rva, u32 size, u32 characteristics) {
  SectionHeader header{};
  header.rva = rva;
  header.virtual_size = size;
  header.characteristics = characteristics;
  return header;
}

u32 PdbBuilder::name(std::string_view text) {
  const u32 at = static_cast<u32>(names.size());
  names.append(text).push_back('\0');
  return at;
}

namespace {

// Allocates stream numbers one after the other.
struct Streams {
  std::vector<std::string> all = std::vector<std::string>(5);
  u16 add(std::string bytes) {
    all.push_back(std::move(bytes));
    return static_cast<u16>(all.size() - 1);
  }
};

std::string info_stream(u32 age, u16 names_stream) {
  Out out;
  out.put(kInfoVersionWithGuid).put(u32{0x5eed}).put(age);
  out.put(u32{0x11223344}).put(u16{0x5566}).put(u16{0x7788}).raw("\x99\xaa\xbb\xcc\xdd\xee\xff\x01");
  out.put(u32{8}).text("/names").put(u8{0});    // the names of named streams
  out.put(u32{1}).put(u32{4});                  // size and capacity
  out.put(u32{1}).put(u32{0b100}).put(u32{0});  // which are present; none are deleted
  return out.put(u32{0}).put(u32{names_stream}).bytes();
}

std::string types_stream(const std::vector<Out>& records, bool has_index, u32 index_shift, Streams& streams) {
  Out bytes;
  Out index;
  for (usize i = 0; i < records.size(); ++i) {
    if (i % 4 == 0) index.put(static_cast<u32>(0x1000 + i)).put(bytes.size() + index_shift);
    Out body = records[i];
    while ((body.size() + 2) % 4 != 0) body.put(u8{0xf1});
    bytes.put(static_cast<u16>(body.size())).raw(body.bytes());
  }
  TypesHeader header{};
  header.header_size = sizeof header;
  header.first = 0x1000;
  header.last = static_cast<u32>(0x1000 + records.size());
  header.records_size = bytes.size();
  header.hash_stream = static_cast<u16>(kNoStream);
  if (has_index) {
    header.index_offsets_size = index.size();
    header.hash_stream = streams.add(index.bytes());
  }
  return Out().put(header).raw(bytes.bytes()).bytes();
}

std::string contributions(const PdbBuilder& pdb) {
  Out out;
  out.put(pdb.has_wide_pieces ? kContributions2 : kContributions1);
  for (const PdbBuilder::Piece& piece : pdb.pieces) {
    Contribution one{};
    one.section = piece.section;
    one.offset = piece.offset;
    one.size = piece.size;
    one.module = piece.compiland;
    out.put(one);
    if (pdb.has_wide_pieces) out.put(u32{0});
  }
  return out.bytes();
}

std::string compiland_list(const PdbBuilder& pdb, Streams& streams) {
  Out out;
  for (const CompilandBuilder& one : pdb.compilands) {
    ModuleHeader header{};
    header.symbols_size = static_cast<u32>(one.symbols().size());
    header.c13_size = static_cast<u32>(one.c13().size());
    header.stream = streams.add(one.symbols() + one.c13());
    out.put(header).text(one.name()).text(one.name()).align();
  }
  return out.bytes();
}

}  // namespace

std::string PdbBuilder::build(MsfLayout layout) const {
  Streams streams;
  Out names_stream;
  names_stream.put(kNamesSignature).put(u32{1}).put(static_cast<u32>(names.size())).raw(names);
  streams.all[kInfoStream] = info_stream(info_age, streams.add(names_stream.bytes()));
  streams.all[kTypeStream] = types_stream(types, has_index, index_shift, streams);
  streams.all[kIdStream] = types_stream(ids, has_index, index_shift, streams);

  Out records;
  Out by_address;
  for (const Public& one : publics) {
    by_address.put(records.size());
    Out body;
    body.put(one.flags).put(one.offset).put(one.section).text(one.name);
    while (body.size() % 4 != 0) body.put(u8{0});
    records.put(static_cast<u16>(body.size() + 2)).put(u16{S_PUB32}).raw(body.bytes());
  }
  PublicsHeader publics_header{};
  publics_header.address_map_size = by_address.size();

  std::vector<u16> debug_streams(11, static_cast<u16>(kNoStream));
  const auto debug_stream = [&](DebugHeader place, std::string bytes) {
    if (!bytes.empty()) debug_streams[static_cast<u32>(place)] = streams.add(std::move(bytes));
  };
  debug_stream(DebugHeader::sections, table(sections));
  debug_stream(DebugHeader::original_sections, table(original_sections));
  debug_stream(DebugHeader::omap_from_source, table(omap_from_source));
  debug_stream(DebugHeader::omap_to_source, table(omap_to_source));

  const std::string list = compiland_list(*this, streams);
  const std::string all_pieces = contributions(*this);
  DbiHeader header{};
  header.signature = ~u32{0};
  header.age = dbi_age;
  header.publics_stream = static_cast<u16>(kNoStream);
  if (has_address_map) header.publics_stream = streams.add(Out().put(publics_header).raw(by_address.bytes()).bytes());
  header.records_stream = streams.add(records.bytes());
  header.modules_size = static_cast<u32>(list.size());
  header.contributions_size = static_cast<u32>(all_pieces.size());
  header.debug_headers_size = static_cast<u32>(debug_streams.size() * sizeof(u16));
  streams.all[kDbiStream] = Out().put(header).raw(list).raw(all_pieces).raw(table(debug_streams)).bytes();
  return build_msf(streams.all, layout);
}

}  // namespace wperf::symbols::pdb
