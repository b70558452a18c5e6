// SPDX-License-Identifier: BSD-3-Clause
// First line: a symbol path. Second line: the PDB name in an image. Each further letter is an answer to the search for
// that PDB. The search ends, never tries a location twice, and every location that it calls remote is a URL.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "code/symbols/store/symbol_search.h"

namespace {

using namespace wperf::symbols;

void answer(SymbolSearch& search, const Candidate& candidate, char letter) {
  const bool is_text = candidate.kind == CandidateKind::pointer || candidate.kind == CandidateKind::layout;
  if (letter == 'f') {
    search.failed("damaged");
  } else if (letter == 't' && is_text) {
    search.text("PATH:/elsewhere/x.pdb");
  } else if (letter == 'o' && !is_text) {
    if (search.opened(wperf::code::PdbId{})) std::abort();
  } else {
    search.absent();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const wperf::u8* data, wperf::usize size) {
  std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto take_line = [&input] {
    const std::string_view line = input.substr(0, input.find('\n'));
    input.remove_prefix(std::min(input.size(), line.size() + 1));
    return line;
  };
  const SymbolPath path = parse_symbol_path(take_line());
  for (const std::string& complaint : path.complaints) {
    if (complaint.empty()) std::abort();
  }
  const std::string name(take_line());
  wperf::code::PdbId id;
  id.age = 0x1c;
  SymbolSearch search({.name = name, .id = id, .explicit_path = {}, .image_path = "/i/m.exe", .path_in_image = name},
                      {.places = path.places, .default_cache = "/c", .network = true});
  std::set<std::string> seen;
  while (const std::optional<Candidate> candidate = search.next()) {
    if (!seen.insert(candidate->location).second) std::abort();
    if (candidate->remote != is_url(candidate->location)) std::abort();
    if (!candidate->save_as.empty() && !candidate->remote) std::abort();
    answer(search, *candidate, input.empty() ? 'a' : input.front());
    input.remove_prefix(input.empty() ? 0 : 1);
  }
  if (search.found() || search.explanation().empty() || search.attempts().size() != seen.size()) std::abort();
  return 0;
}
