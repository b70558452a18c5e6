// SPDX-License-Identifier: BSD-3-Clause
// Lists possible places of a module's PDB (or image): --pdb_file, the folder of the image, the path in the image, and
// the places in --symbol-path and _NT_SYMBOL_PATH. These are folders, two- and three-tier stores, servers with their
// caches, compressed .pd_ files, and file.ptr. A state machine without I/O: next() returns the next candidate, and the
// caller reports whether it exists. os/ and modules access disk and network.
//
//   SymbolSearch search(wanted, options);
//   while (auto candidate = search.next()) {
//     // candidate->remote: fetch candidate->location over HTTP (a 404 is absent(); no answer in time is failed()),
//     else open it.
//     // candidate->kind: file        map it, PdbFile::open, search.opened(pdb.id())
//     //             compressed  decompress_cabinet() of its bytes (cabinet.h), then the same
//     //             pointer     search.text(its content); a small text file
//     //             layout      search.text({}) when it exists
//     // When opened() returns true and candidate->save_as is not empty, write the (unpacked) bytes to a file next to
//     // that path and rename it, so that several processes can do this at the same time.
//   }
//   search.found() ? search.found_at() : search.explanation()
//
// The answer to a `layout` candidate is valid for the whole run and all modules. The same applies to failed() for a
// server.
#pragma once
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "code/address.h"
#include "code/symbols/store/symbol_path.h"

namespace wperf::symbols {

struct ImageId {
  u32 time_stamp = 0, image_size = 0;
  friend bool operator==(const ImageId&, const ImageId&) = default;
};
using FileId = std::variant<code::PdbId, ImageId>;

// "3844DBB920174967BE7AA4A2C20430FA2": GUID and age; "5A6B7C8D1f2000": time stamp and size of an image.
std::string id_text(const FileId& id);
// "ntdll.pdb/8A2B…1/ntdll.pdb": the path within a store.
std::string store_key(std::string_view file_name, const FileId& id);

struct WantedFile {
  std::string name;  // as in the image, with or without a path; only the last part counts
  FileId id;
  std::string explicit_path;       // --pdb_file; may be empty
  bool explicit_is_named = false;  // explicit_path comes from a recording, not from the user
  std::string image_path;          // the path of the image; empty if not known
  std::string path_in_image;       // path of the PDB, as the linker wrote it
};

struct SearchOptions {
  std::vector<SymbolPlace> places;  // from --symbol-path, then from _NT_SYMBOL_PATH
  std::string default_cache;        // for servers without their own cache; if empty, their files are only kept in
                                    // memory
  bool network = true;              // false: only the servers' caches are used, not the servers
};

enum class CandidateKind : u8 { file, compressed, pointer, layout };

struct Candidate {
  CandidateKind kind = CandidateKind::file;
  std::string location;  // a path or a URL
  bool remote = false;
  bool named = false;   // the name comes from the recording or the image, not from the user
  std::string save_as;  // for a remote file: the path of its cached copy
};

struct Attempt {
  std::string location;
  std::string outcome;
};

class SymbolSearch {
 public:
  SymbolSearch(WantedFile wanted, SearchOptions options);

  // Returns the next candidate; nullopt once the file is found or no candidates are left. The caller must answer each
  // candidate with one of the four functions below.
  std::optional<Candidate> next();
  void absent();
  // The candidate may exist but cannot be read: no permission, damage, no answer. A server that failed is not tried
  // again.
  void failed(std::string why);
  // The candidate was opened and has this id. Returns true if it is the wanted file; then the search is over.
  bool opened(const FileId& id);
  void text(std::string_view content);

  bool found() const { return found_; }
  const std::string& found_at() const { return current_.location; }
  const std::vector<Attempt>& attempts() const { return attempts_; }
  // One line: where the file was found, or the places that were searched and why each failed.
  std::string explanation() const;

 private:
  struct Planned : Candidate {
    std::string store;  // the store or server that contains the candidate
  };
  struct Layout {
    std::string location;
    bool three_tier;
  };

  void start_stage();
  void start_folder(const std::string& folder);
  void start_server(const SymbolServer& server);
  void look_at(CandidateKind kind, std::string location, std::string store = {}, bool remote = false);
  void look_at_named(std::string location);
  void search_store(const std::string& store, bool three_tier, bool remote);
  void follow_pointer(std::string_view content);
  void note(std::string outcome) { attempts_.push_back({current_.location, std::move(outcome)}); }

  WantedFile wanted_;
  SearchOptions options_;
  std::string file_name_;  // empty if the name in the image must not become part of a path
  size_t stage_ = 0;
  std::deque<Planned> queue_;
  Planned current_;
  std::string cache_;  // cache of the server in the queue
  bool found_ = false;
  std::vector<Layout> layouts_;
  std::vector<Attempt> attempts_;
  std::vector<std::string> searched_;  // "beside the image", "in /syms"
  std::vector<std::string> errors_;
};

}  // namespace wperf::symbols
