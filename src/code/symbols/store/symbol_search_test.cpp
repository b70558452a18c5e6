// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/store/symbol_search.h"

#include <gtest/gtest.h>

#include <map>

namespace wperf::symbols {
namespace {

code::PdbId make_id(u32 data1, u32 age) {
  code::PdbId id;
  id.guid.data1 = data1;
  id.guid.data2 = 0x2017;
  id.guid.data3 = 0x4967;
  const u8 rest[] = {0xbe, 0x7a, 0xa4, 0xa2, 0xc2, 0x04, 0x30, 0xfa};
  std::copy(std::begin(rest), std::end(rest), id.guid.data4);
  id.age = age;
  return id;
}

const code::PdbId kWanted = make_id(0x3844dbb9, 2);
const code::PdbId kOther = make_id(0x11111111, 1);
constexpr char kKey[] = "app.pdb/3844DBB920174967BE7AA4A2C20430FA2/";

// Files by location, which stand for disks and servers.
struct World {
  std::map<std::string, FileId> files;
  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> failures;  // for all locations with this beginning
  std::vector<Candidate> candidates = {};

  void run(SymbolSearch& search) {
    while (const std::optional<Candidate> candidate = search.next()) {
      candidates.push_back(*candidate);
      ASSERT_LT(candidates.size(), 1000u);
      answer(search, *candidate);
    }
  }
  void answer(SymbolSearch& search, const Candidate& candidate) {
    for (const auto& [prefix, why] : failures) {
      if (candidate.location.rfind(prefix, 0) == 0) return search.failed(why);
    }
    const bool is_text = candidate.kind == CandidateKind::pointer || candidate.kind == CandidateKind::layout;
    if (is_text && texts.count(candidate.location) != 0) return search.text(texts.at(candidate.location));
    if (!is_text && files.count(candidate.location) != 0) return (void)search.opened(files.at(candidate.location));
    search.absent();
  }
  std::vector<std::string> locations(bool remote) const {
    std::vector<std::string> out;
    for (const Candidate& candidate : candidates) {
      if (candidate.remote == remote) out.push_back(candidate.location);
    }
    return out;
  }
};

WantedFile wanted() {
  return {.name = "C:\\build\\app.pdb",
          .id = kWanted,
          .explicit_path = {},
          .image_path = "/apps/app.dll",
          .path_in_image = "C:\\build\\app.pdb"};
}

SearchOptions places(const std::string& path) {
  return {.places = parse_symbol_path(path).places, .default_cache = {}, .network = true};
}

TEST(StoreKey, OfPdbsAndImages) {
  EXPECT_EQ(id_text(kWanted), "3844DBB920174967BE7AA4A2C20430FA2");
  EXPECT_EQ(id_text(make_id(1, 0x1c)), "0000000120174967BE7AA4A2C20430FA1c");
  EXPECT_EQ(store_key("app.pdb", kWanted), std::string(kKey) + "app.pdb");
  EXPECT_EQ(store_key("d:\\a b\\ntdll.pdb", kWanted), "ntdll.pdb/3844DBB920174967BE7AA4A2C20430FA2/ntdll.pdb");
  EXPECT_EQ(store_key("ntdll.dll", ImageId{0x5a6b7c8, 0x1f2000}), "ntdll.dll/05A6B7C81f2000/ntdll.dll");
}

TEST(SymbolSearch, OrderOfPlaces) {
  WantedFile file = wanted();
  file.explicit_path = "/given.pdb";
  file.image_path = "/apps/renamed.dll";
  SymbolSearch search(file, places("/one;/two"));
  World world;
  world.run(search);
  const std::string key = kKey;
  const std::vector<std::string> expected = {"/given.pdb",
                                             "/apps/app.pdb",
                                             "/apps/renamed.pdb",
                                             "C:\\build\\app.pdb",
                                             "/one/app.pdb",
                                             "/one/dll/app.pdb",
                                             "/one/symbols/dll/app.pdb",
                                             "/one/index2.txt",
                                             "/one/" + key + "app.pdb",
                                             "/one/" + key + "app.pd_",
                                             "/one/" + key + "file.ptr",
                                             "/one/app.pdb/3844dbb920174967be7aa4a2c20430fa2/app.pdb"};
  const auto seen = world.locations(false);
  ASSERT_GE(seen.size(), expected.size());
  EXPECT_EQ(std::vector<std::string>(seen.begin(), seen.begin() + static_cast<std::ptrdiff_t>(expected.size())),
            expected);
  EXPECT_EQ(search.attempts().size(), seen.size());
  EXPECT_FALSE(search.found());
  EXPECT_EQ(search.explanation(),
            "no PDB found: looked at /given.pdb, next to the image, at C:\\build\\app.pdb (the path in the image), in "
            "/one, in /two");
}

TEST(SymbolSearch, EndsWithTheFirstThatFits) {
  for (const std::string& where : {std::string("/apps/app.pdb"), std::string("C:\\build\\app.pdb"),
                                   "/one/" + std::string(kKey) + "app.pdb", "/two/" + std::string(kKey) + "app.pd_"}) {
    SymbolSearch search(wanted(), places("/one;/two"));
    World world;
    world.files[where] = kWanted;
    world.run(search);
    EXPECT_TRUE(search.found());
    EXPECT_EQ(search.found_at(), where);
    EXPECT_EQ(search.explanation(), "found at " + where);
    EXPECT_EQ(world.candidates.back().location, where);
    EXPECT_EQ(world.candidates.back().kind, where.back() == '_' ? CandidateKind::compressed : CandidateKind::file);
  }
}

TEST(SymbolSearch, AnotherBuildIsPassedOverAndNamed) {
  SymbolSearch search(wanted(), places("/one"));
  World world;
  world.files["/apps/app.pdb"] = kOther;
  world.failures["/one/app.pdb"] = "it is no PDB";
  world.run(search);
  EXPECT_FALSE(search.found());
  EXPECT_NE(search.explanation().find("; /apps/app.pdb is from another build (1111111120174967BE7AA4A2C20430FA1)"),
            std::string::npos);
  EXPECT_NE(search.explanation().find("; /one/app.pdb: it is no PDB"), std::string::npos);
}

TEST(SymbolSearch, ThreeTiers) {
  SymbolSearch search(wanted(), places("/store;c:\\store"));
  World world;
  world.texts["/store/index2.txt"] = "";
  world.texts["c:\\store\\index2.txt"] = "";
  const std::string target = "c:\\store\\ap\\app.pdb\\3844DBB920174967BE7AA4A2C20430FA2\\app.pdb";
  world.files[target] = kWanted;
  world.run(search);
  EXPECT_EQ(search.found_at(), target);
  const auto seen = world.locations(false);
  EXPECT_NE(std::find(seen.begin(), seen.end(), "/store/ap/" + std::string(kKey) + "app.pdb"), seen.end());
  EXPECT_EQ(std::find(seen.begin(), seen.end(), "/store/" + std::string(kKey) + "app.pdb"), seen.end());
}

TEST(SymbolSearch, StoresOfOtherSpelling) {
  WantedFile file = wanted();
  file.name = "App.pdb";
  file.id = make_id(0xabcdef01, 0x1c);
  for (const char* spelled :
       {"App.pdb/ABCDEF0120174967BE7AA4A2C20430FA1c/App.pdb", "App.pdb/ABCDEF0120174967BE7AA4A2C20430FA1C/App.pdb",
        "app.pdb/abcdef0120174967be7aa4a2c20430fa1c/app.pdb"}) {
    SymbolSearch search(file, places("/one"));
    World world;
    world.files[std::string("/one/") + spelled] = file.id;
    world.run(search);
    EXPECT_TRUE(search.found()) << spelled;
  }
}

TEST(SymbolSearch, ServerWithCache) {
  SearchOptions options = places("srv*/cache*https://host/symbols");
  const std::string cached = "/cache/" + std::string(kKey) + "app.pdb";
  const std::string remote = "https://host/symbols/" + std::string(kKey) + "app.pdb";
  {
    SymbolSearch search(wanted(), options);
    World world;
    world.files[remote] = kWanted;
    world.run(search);
    EXPECT_EQ(search.found_at(), remote);
    EXPECT_EQ(world.candidates.back().save_as, cached);
    EXPECT_EQ(world.locations(true), (std::vector<std::string>{"https://host/symbols/index2.txt", remote}));
  }
  {
    SymbolSearch search(wanted(), options);
    World world;
    world.files[cached] = kWanted;
    world.run(search);
    EXPECT_EQ(search.found_at(), cached);
    EXPECT_TRUE(world.locations(true).empty());  // the network was not needed
  }
  {
    SymbolSearch search(wanted(), options);
    World world;
    world.texts["/cache/index2.txt"] = "";
    world.files["https://host/symbols/" + std::string(kKey) + "app.pd_"] = kWanted;
    world.run(search);
    EXPECT_EQ(world.candidates.back().kind, CandidateKind::compressed);
    EXPECT_EQ(world.candidates.back().save_as, "/cache/ap/" + std::string(kKey) + "app.pdb");
  }
}

TEST(SymbolSearch, ServersThatFailOrAreNotAsked) {
  SearchOptions options = places("srv*https://dead/x;srv*https://alive/y");
  options.default_cache = "/home/me/.cache/symbols";
  {
    SymbolSearch search(wanted(), options);
    World world;
    world.failures["https://dead/"] = "no answer within 5 seconds";
    world.run(search);
    EXPECT_EQ(world.locations(true).size(), 1u + 4u);  // only one candidate on the dead server
    EXPECT_NE(search.explanation().find(
                  ", on https://dead/x, on https://alive/y; https://dead/x: no answer within 5 seconds"),
              std::string::npos)
        << search.explanation();
  }
  {
    options.network = false;
    SymbolSearch search(wanted(), options);
    World world;
    world.run(search);
    EXPECT_TRUE(world.locations(true).empty());
    const auto seen = world.locations(false);
    EXPECT_NE(std::find(seen.begin(), seen.end(), "/home/me/.cache/symbols/" + std::string(kKey) + "app.pdb"),
              seen.end());
    EXPECT_NE(search.explanation().find("; https://dead/x was not asked; https://alive/y was not asked"),
              std::string::npos);
  }
}

TEST(SymbolSearch, NothingIsLookedAtTwice) {
  SymbolSearch search(wanted(), places("/one;srv*/one*https://host;/one;srv*/one*https://host"));
  World world;
  world.run(search);
  std::vector<std::string> all = world.locations(false);
  const auto remote = world.locations(true);
  all.insert(all.end(), remote.begin(), remote.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(SymbolSearch, Pointers) {
  const std::string pointer = "/one/" + std::string(kKey) + "file.ptr";
  {
    SymbolSearch search(wanted(), places("/one"));
    World world;
    world.texts[pointer] = "PATH:\\\\builds\\42\\app.pdb\r\n";
    world.files["\\\\builds\\42\\app.pdb"] = kWanted;
    world.run(search);
    EXPECT_EQ(search.found_at(), "\\\\builds\\42\\app.pdb");
  }
  {
    SymbolSearch search(wanted(), places("/one"));
    World world;
    world.texts[pointer] = "MSG: withdrawn";
    world.run(search);
    EXPECT_NE(search.explanation().find("the store says:  withdrawn"), std::string::npos);
  }
  {  // a server must not cause local files to be opened
    SymbolSearch search(wanted(), places("https://host"));
    World world;
    world.texts["https://host/" + std::string(kKey) + "file.ptr"] = "PATH:/etc/passwd";
    world.run(search);
    const auto seen = world.locations(false);
    EXPECT_EQ(std::find(seen.begin(), seen.end(), "/etc/passwd"), seen.end());
    EXPECT_NE(search.explanation().find("which is not followed"), std::string::npos);
  }
}

TEST(SymbolSearch, NamesFromHostileImages) {
  for (const char* name : {"", "..", "a:b.pdb", "x\n.pdb", "con|.pdb", "a.pdb ", "\\\\evil\\share\\"}) {
    WantedFile file = wanted();
    file.name = file.path_in_image = name;
    SymbolSearch search(file, places("/one;srv*/cache*https://host"));
    World world;
    world.run(search);
    for (const Candidate& candidate : world.candidates)
      EXPECT_EQ(candidate.location.rfind("/apps/", 0), 0u) << candidate.location;
    EXPECT_FALSE(search.explanation().empty());
  }
  WantedFile file = wanted();
  file.name = file.path_in_image = "\\\\evil\\share\\app.pdb";
  SymbolSearch search(file, places("https://host"));
  World world;
  world.run(search);
  EXPECT_EQ(world.locations(false), (std::vector<std::string>{"/apps/app.pdb", "\\\\evil\\share\\app.pdb"}));
  // The caller checks whether it may open them.
  for (const Candidate& candidate : world.candidates) EXPECT_EQ(candidate.named, !candidate.remote);
  file.name = file.path_in_image = "https://evil/app.pdb";
  SymbolSearch led(file, places(""));
  World third;
  third.run(led);
  EXPECT_EQ(third.locations(true), std::vector<std::string>());
  EXPECT_EQ(third.locations(false), (std::vector<std::string>{"/apps/app.pdb"}));
  file.name = "a b#%.pdb";
  SymbolSearch spaced(file, places("https://host"));
  World other;
  other.run(spaced);
  EXPECT_EQ(other.locations(true).at(1),
            "https://host/a%20b%23%25.pdb/3844DBB920174967BE7AA4A2C20430FA2/a%20b%23%25.pdb");
}

TEST(SymbolSearch, Images) {
  const ImageId id{0x5a6b7c8d, 0x1f2000};
  SymbolSearch search({.name = "ntdll.dll", .id = id, .explicit_path = {}, .image_path = {}, .path_in_image = {}},
                      places("/one"));
  World world;
  world.files["/one/ntdll.dll/5A6B7C8D1f2000/ntdll.dll"] = id;
  world.files["/one/ntdll.dll"] = ImageId{1, 2};
  world.run(search);
  EXPECT_EQ(search.found_at(), "/one/ntdll.dll/5A6B7C8D1f2000/ntdll.dll");
  EXPECT_EQ(search.attempts().front().outcome, "from another build (000000012)");
}

}  // namespace
}  // namespace wperf::symbols
