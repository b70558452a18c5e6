// SPDX-License-Identifier: BSD-3-Clause
#include "code/symbols/store/symbol_path.h"

#include <gtest/gtest.h>

#include <utility>

namespace wperf::symbols {
namespace {

constexpr char kPublic[] = "https://msdl.microsoft.com/download/symbols";

std::string show(const SymbolPath& path) {
  std::string out;
  for (const SymbolPlace& place : path.places) {
    if (!out.empty()) out += " | ";
    if (const auto* folder = std::get_if<SymbolFolder>(&place)) out += "folder " + folder->path;
    if (const auto* server = std::get_if<SymbolServer>(&place)) out += "server " + server->url + " > " + server->cache;
  }
  return out;
}

TEST(SymbolPath, Grammar) {
  const std::string msdl = kPublic;
  const std::pair<std::string, std::string> rows[] = {
      {"", ""},
      {" ; ;", ""},
      {"c:\\symbols", "folder c:\\symbols"},
      {"c:\\;d:\\a\\;/srv/;/;\\\\host\\share\\",
       "folder c:\\ | folder d:\\a | folder /srv | folder / | folder \\\\host\\share"},
      {"/var/symbols; /home/me/my symbols ", "folder /var/symbols | folder /home/me/my symbols"},
      {"\"/a;b\";\"c:\\my symbols\"", "folder /a;b | folder c:\\my symbols"},
      {"srv*", "server " + msdl + " > "},
      {"SRV*c:\\cache*" + msdl, "server " + msdl + " > c:\\cache"},
      {"srv*https://host/path/", "server https://host/path > "},
      {"srv**HTTP://host", "server HTTP://host > "},
      {"srv*c:\\one*c:\\two*https://host", "folder c:\\two | server https://host > c:\\one"},
      {"srv*c:\\one*https://a*https://b", "server https://a > c:\\one | server https://b > c:\\one"},
      {"srv*\\\\host\\share", "folder \\\\host\\share"},
      {"srv*c:\\near*\\\\host\\share", "folder c:\\near | folder \\\\host\\share"},
      {"srv*c:\\near*", "folder c:\\near | server " + msdl + " > "},
      {"srv*\"c:\\my cache\"*https://host", "server https://host > c:\\my cache"},
      {"symsrv*symsrv.dll*/cache*https://host", "server https://host > /cache"},
      {"cache*c:\\x;srv*https://a;srv*c:\\y*https://b;https://c",
       "folder c:\\x | server https://a > c:\\x | server https://b > c:\\y | server https://c > c:\\x"},
      {"srv*https://a;cache*/x", "server https://a >  | folder /x"},
      {"cache*;srv*https://a", "server https://a > "},
      {"srv;cache;symsrv", "folder srv | folder cache | folder symsrv"},
  };
  for (const auto& [text, expected] : rows) {
    const SymbolPath path = parse_symbol_path(text);
    EXPECT_EQ(show(path), expected) << text;
    EXPECT_TRUE(path.complaints.empty()) << text;
  }
}

TEST(SymbolPath, WhatIsNotUnderstoodIsReportedAndTheRestKept) {
  for (const char* element :
       {"foo*bar", "cache*a*b", "cache*https://host", "symsrv*", "ftp://host/x", "srv*c:\\a*ftp://host"}) {
    const SymbolPath path = parse_symbol_path(std::string(element) + ";/last");
    ASSERT_EQ(path.complaints.size(), 1u) << element;
    EXPECT_EQ(path.complaints[0], std::string("the symbol path has an unknown element: ") + element);
    ASSERT_FALSE(path.places.empty());
    EXPECT_EQ(path.places.back(), SymbolPlace(SymbolFolder{"/last"}));
  }
}

}  // namespace
}  // namespace wperf::symbols
