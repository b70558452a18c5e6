// SPDX-License-Identifier: BSD-3-Clause
// The structures of a PDB file: MSF superblock, info, DBI, symbols, lines, types. Sources: the LLVM project's "The PDB
// File Format" and the cvinfo.h that Microsoft published. Every member is naturally aligned, so the compilers add no
// padding; the asserts check it.
#pragma once
#include "base/ints.h"
#include "ground/bytes/bytes.h"

namespace wperf::symbols::pdb {

constexpr u32 kNoStream = 0xffff;  // in 16-bit stream numbers: no stream

// -- MSF ------------------------------------------------------------------------------------------------------------
struct SuperBlock {
  char magic[32];
  u32 block_size;
  u32 free_map_block;
  u32 block_count;
  u32 directory_size;
  u32 reserved;
  u32 directory_map_block;  // the first block of a list that is as long as the directory requires
};
static_assert(sizeof(SuperBlock) == 56);
inline constexpr char kMsfMagic[32] = {'M', 'i', 'c',  'r',  'o',    's', 'o', 'f',  't',  ' ', 'C',
                                       '/', 'C', '+',  '+',  ' ',    'M', 'S', 'F',  ' ',  '7', '.',
                                       '0', '0', '\r', '\n', '\x1a', 'D', 'S', '\0', '\0', '\0'};
constexpr u32 kDeletedStream = 0xffffffff;

// -- Streams with fixed numbers -------------------------------------------------------------------------------------
constexpr u32 kInfoStream = 1;
constexpr u32 kTypeStream = 2;
constexpr u32 kDbiStream = 3;
constexpr u32 kIdStream = 4;

struct InfoHeader {
  u32 version;
  u32 signature;
  u32 age;
  u32 guid_data1;
  u16 guid_data2, guid_data3;
  u8 guid_data4[8];
};
static_assert(sizeof(InfoHeader) == 28);
constexpr u32 kInfoVersionWithGuid = 20000404;

// -- DBI ------------------------------------------------------------------------------------------------------------
struct DbiHeader {
  u32 signature;  // ~0
  u32 version;
  u32 age;
  u16 globals_stream;
  u16 build;
  u16 publics_stream;
  u16 builder;
  u16 records_stream;
  u16 builder_revision;
  u32 modules_size;
  u32 contributions_size;
  u32 section_map_size;
  u32 file_info_size;
  u32 type_servers_size;
  u32 mfc_type_server;
  u32 debug_headers_size;
  u32 edit_and_continue_size;
  u16 flags;
  u16 machine;
  u32 reserved;
};
static_assert(sizeof(DbiHeader) == 64);

struct Contribution {
  u16 section;
  u16 padding;
  u32 offset;
  u32 size;
  u32 characteristics;
  u16 module;
  u16 padding2;
  u32 data_crc;
  u32 relocation_crc;
};
static_assert(sizeof(Contribution) == 28);
struct Contribution2 {
  Contribution first;
  u32 coff_section;
};
static_assert(sizeof(Contribution2) == 32);
constexpr u32 kContributions1 = 0xeffe0000 + 19970605;
constexpr u32 kContributions2 = 0xeffe0000 + 20140516;

struct ModuleHeader {  // followed by module name, object name, padding to 4
  u32 opened;
  Contribution contribution;
  u16 flags;
  u16 stream;
  u32 symbols_size;
  u32 c11_size;
  u32 c13_size;
  u16 file_count;
  u16 padding;
  u32 file_names;
  u32 source_name;
  u32 pdb_name;
};
static_assert(sizeof(ModuleHeader) == 64);

// Positions in the debug headers, a table of stream numbers.
enum class DebugHeader : u32 { omap_to_source = 3, omap_from_source = 4, sections = 5, original_sections = 10 };

struct SectionHeader {
  char name[8];
  u32 virtual_size;
  u32 rva;
  u32 raw_size;
  u32 raw_offset;
  u32 relocations;
  u32 lines;
  u16 relocation_count;
  u16 line_count;
  u32 characteristics;
};
static_assert(sizeof(SectionHeader) == 40);
constexpr u32 kSectionExecutable = 0x20000000;

struct OmapEntry {
  u32 from;
  u32 to;  // 0: the code does not exist in the other address space
};

// -- Symbols --------------------------------------------------------------------------------------------------------
struct RecordHeader {
  u16 size;  // size of the data after this field
  u16 kind;
};

enum SymbolKind : u16 {
  S_END = 0x0006,
  S_THUNK32 = 0x1102,
  S_PUB32 = 0x110e,
  S_LPROC32 = 0x110f,
  S_GPROC32 = 0x1110,
  S_COMPILE2 = 0x1116,
  S_SEPCODE = 0x1132,
  S_COMPILE3 = 0x113c,
  S_LPROC32_ID = 0x1146,
  S_GPROC32_ID = 0x1147,
  S_INLINESITE = 0x114d,
  S_INLINESITE_END = 0x114e,
  S_PROC_ID_END = 0x114f,
  S_LPROC32_DPC = 0x1155,
  S_LPROC32_DPC_ID = 0x1156,
  S_INLINESITE2 = 0x115d,
};

struct ProcedureSymbol {  // followed by the name
  u32 parent;
  u32 end;  // offset of the record that ends the scope, in the module's stream
  u32 next;
  u32 size;
  u32 debug_start;
  u32 debug_end;
  u32 type;
  u32 offset;
  u16 section;
  // u8 flags, name
};
constexpr u64 kProcedureNameAt = 35;

struct ThunkSymbol {
  u32 parent;
  u32 end;
  u32 next;
  u32 offset;
  u16 section;
  u16 size;
  // u8 ordinal, name
};
constexpr u64 kThunkNameAt = 21;
static_assert(sizeof(ThunkSymbol) == 20);

struct SeparatedCodeSymbol {
  u32 parent;
  u32 end;
  u32 size;
  u32 flags;
  u32 offset;
  u32 parent_offset;
  u16 section;
  u16 parent_section;
};
static_assert(sizeof(SeparatedCodeSymbol) == 28);

struct InlineSiteSymbol {  // followed by the annotations; in S_INLINESITE2 a u32 comes before them
  u32 parent;
  u32 end;
  u32 inlinee;
};

struct PublicSymbol {
  u32 flags;
  u32 offset;
  u16 section;
  // name
};
constexpr u64 kPublicNameAt = 10;
constexpr u32 kPublicIsCode = 0x3;  // "code" or "function"

struct PublicsHeader {
  u32 hash_size;
  u32 address_map_size;
  u32 thunk_count;
  u32 thunk_size;
  u16 thunk_table_section;
  u16 padding;
  u32 thunk_table_offset;
  u32 section_count;
};
static_assert(sizeof(PublicsHeader) == 28);

enum class Annotation : u32 {
  end = 0,
  code_offset = 1,
  change_code_offset_base = 2,
  change_code_offset = 3,
  change_code_length = 4,
  change_file = 5,
  change_line_offset = 6,
  change_line_end_delta = 7,
  change_range_kind = 8,
  change_column_start = 9,
  change_column_end_delta = 10,
  change_code_offset_and_line_offset = 11,
  change_code_length_and_code_offset = 12,
  change_column_end = 13,
};

// -- Lines (C13) ----------------------------------------------------------------------------------------------------
constexpr u32 kModuleSignature = 4;

struct SubsectionHeader {
  u32 kind;
  u32 size;
};
constexpr u32 kSubsectionIgnored = 0x80000000;
enum SubsectionKind : u32 {
  DEBUG_S_LINES = 0xf2,
  DEBUG_S_FILECHKSMS = 0xf4,
  DEBUG_S_INLINEELINES = 0xf6,
  DEBUG_S_CROSSSCOPEIMPORTS = 0xf7,
  DEBUG_S_CROSSSCOPEEXPORTS = 0xf8,
};

struct LinesHeader {
  u32 offset;
  u16 section;
  u16 flags;
  u32 code_size;
};
constexpr u16 kLinesHaveColumns = 1;

struct LineBlockHeader {
  u32 file;  // offset in the file checksums
  u32 count;
  u32 size;  // including this header
};

struct LineRow {
  u32 offset;
  u32 flags;
  u32 line() const { return flags & 0xffffff; }
};
// Compilers use these for code that belongs to no source line.
constexpr u32 kAlwaysStepInto = 0xfeefee;
constexpr u32 kNeverStepInto = 0xf00f00;

struct ChecksumEntry {
  u32 name;  // offset in /names
  u8 checksum_size;
  u8 checksum_kind;
};

struct InlineeLine {
  u32 inlinee;
  u32 file;
  u32 line;
};
static_assert(sizeof(InlineeLine) == 12);
constexpr u32 kInlineeLinesWithExtraFiles = 1;

struct NamesHeader {  // followed by the texts
  u32 signature;
  u32 version;
  u32 size;
};
constexpr u32 kNamesSignature = 0xeffeeffe;

// Code that was inlined from another compiland at link time. Only that compiland knows the id of the function.
constexpr u32 kIdIsImported = 0x80000000;
inline u32 import_list_of(u32 id) {
  return (id & 0x7ff00000) >> 20;
}
inline u32 place_in_import_list(u32 id) {
  return id & 0xfffff;
}

struct ImportListHeader {  // followed by `count` ids
  u32 compiland;           // offset of its name in /names
  u32 count;
};

struct ExportedId {
  u32 local;
  u32 global;
};

// -- Types and ids --------------------------------------------------------------------------------------------------
struct TypesHeader {
  u32 version;
  u32 header_size;
  u32 first;
  u32 last;  // one past the end
  u32 records_size;
  u16 hash_stream;
  u16 extra_hash_stream;
  u32 hash_key_size;
  u32 hash_bucket_count;
  u32 hash_values_offset, hash_values_size;
  u32 index_offsets_offset, index_offsets_size;
  u32 hash_adjusters_offset, hash_adjusters_size;
};
static_assert(sizeof(TypesHeader) == 56);

struct TypeIndexOffset {
  u32 index;
  u32 offset;
};

enum TypeKind : u16 {
  LF_CLASS = 0x1504,
  LF_STRUCTURE = 0x1505,
  LF_UNION = 0x1506,
  LF_ENUM = 0x1507,
  LF_INTERFACE = 0x1519,
  LF_FUNC_ID = 0x1601,
  LF_MFUNC_ID = 0x1602,
  LF_STRING_ID = 0x1605,
};

// Reads symbol and type records one after the other: a size, a kind, a body.
struct Record {
  u16 kind = 0;
  u64 next = 0;  // position of the next record
  bytes::View body;
};

// Returns false if there is no complete record at `at`.
inline bool read_record(bytes::View bytes, u64 at, Record& record) {
  RecordHeader header;
  if (!bytes.load(at, header) || header.size < sizeof header.kind) return false;
  const u64 size = header.size - sizeof header.kind;
  if (!bytes.holds(at + sizeof header, size)) return false;
  record.kind = header.kind;
  record.next = at + sizeof header + size;
  record.body = bytes.slice(at + sizeof header, size);
  return true;
}

}  // namespace wperf::symbols::pdb
