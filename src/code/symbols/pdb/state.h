// SPDX-License-Identifier: BSD-3-Clause
// The parts of a PdbFile that were read so far. Each part is read on first use and kept, because an address needs only
// one compiland.
#pragma once
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/symbols/pdb/address_map.h"
#include "code/symbols/pdb/contents.h"
#include "code/symbols/pdb/inline_sites.h"
#include "code/symbols/pdb/lines.h"
#include "code/symbols/pdb/msf.h"
#include "code/symbols/pdb/pdb_file.h"
#include "code/symbols/pdb/type_names.h"

namespace wperf::symbols {

struct PdbFile::State {
  struct LoadedCompiland {
    bool has_symbols = false;
    bool has_lines = false;
    bytes::View symbols;
    std::vector<pdb::Procedure> procedures;
    pdb::LineTables lines;
    // The declared lines of inlined functions, keyed by name; 0 if several functions have the name.
    std::optional<std::unordered_map<std::string_view, u32>> declared_lines;
    std::unordered_map<pdb::SourceRva, u32> first_lines;  // first lines of code, keyed by the beginning of the
                                                          // procedure; 0 if not known
  };
  // An address with its compiland and procedure, if known.
  struct Place {
    pdb::SourceRva rva = 0;
    LoadedCompiland* compiland = nullptr;  // its procedures have been read
    u32 compiland_number = 0;
    const pdb::Procedure* procedure = nullptr;
  };

  explicit State(pdb::MsfFile file) : msf(std::move(file)) {}

  bytes::View stream(u32 index) { return msf.stream(index, damage); }
  // Reads the contents of the PDB: compilands, sections, contributions.
  void load_contents();
  void load_names();
  void load_type_names();
  void load_publics();
  void load_functions();
  LoadedCompiland& load_symbols(u32 number);
  pdb::LineTables& load_lines(u32 number);
  std::optional<Place> find(code::Rva rva);
  std::optional<u32> compiland_around(code::Rva rva, pdb::SourceRva source);
  const Function* public_at(code::Rva rva);
  struct FoldedPlace {
    std::ptrdiff_t place = 0;
    std::ptrdiff_t count = 0;
  };
  // The function's index among the procedures of its compiland that begin at `begin`.
  FoldedPlace place_among_folded(const Function& function, pdb::SourceRva begin);
  // The function of an inline site, as its number in the id stream; 0 if unknown.
  u32 global_id(u32 compiland, u32 inlinee);
  u32 resolve_import(u32 compiland, u32 inlinee);
  // Sets the declared line of a procedure. If it is not known, sets the first line of the procedure's code.
  void find_declaration(u32 number, const pdb::Procedure& procedure, Frame& frame);
  u32 declared_line(u32 number, std::string_view function);
  u32 first_line(u32 number, pdb::SourceRva begin);
  void append_lines(u32 number, const pdb::LineRange& range, std::vector<Line>& out);

  pdb::MsfFile msf;
  u64 file_size = 0;
  Damage damage;
  code::PdbId id;
  std::optional<pdb::Dbi> dbi;

  bool has_contents = false;
  std::vector<pdb::Compiland> compilands;
  std::vector<LoadedCompiland> loaded;  // one for each compiland
  pdb::AddressMap addresses;
  pdb::Contributions contributions;

  bool has_names = false;
  bytes::View names;
  bool has_type_names = false;
  pdb::TypeNames type_names;
  std::unordered_map<std::string, u32> compilands_by_name;  // in lower case; filled for the first import
  std::unordered_map<u64, u32> resolved_imports;            // keyed by compiland and id
  bool has_publics = false;
  pdb::Publics publics;
  bool has_functions = false;
  std::vector<Function> functions;

  std::vector<pdb::InlineSite> sites;  // for the address that is being looked up
  std::vector<pdb::SourceRow> rows;    // for the range that is being read
};

}  // namespace wperf::symbols
