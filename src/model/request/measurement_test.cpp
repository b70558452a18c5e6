// SPDX-License-Identifier: BSD-3-Clause
#include "model/request/measurement.h"

#include <gtest/gtest.h>

namespace wperf::request {
namespace {

Measurement record(const char* pe_file) {
  Measurement request;
  request.command = Command::record;
  request.pe_file = pe_file;
  return request;
}

TEST(SampleTarget, FollowsFromThePeFile) {
  struct Case {
    const char *pe_file, *image_name, *pdb_file;
  };
  constexpr Case kCases[] = {
      {"googolplex.exe", "googolplex.exe", "googolplex.pdb"},
      {"C:\\tools\\python_d.exe", "python_d.exe", "C:\\tools\\python_d.pdb"},
      {"/srv/x.y/prog", "prog", "/srv/x.y/prog.pdb"},
      {"a.b.exe", "a.b.exe", "a.b.pdb"},
      {"prog", "prog", "prog.pdb"},
  };
  for (const Case& c : kCases) {
    const SampleTarget target = sample_target(record(c.pe_file));
    EXPECT_EQ(target.pe_file, c.pe_file);
    EXPECT_EQ(target.image_name, c.image_name);
    EXPECT_EQ(target.pdb_file, c.pdb_file);
  }
}

TEST(SampleTarget, WhatIsSaidGoesFirst) {
  Measurement request = record("p.exe");
  request.image_name = "other.exe";
  request.pdb_file = "symbols/p2.pdb";
  const SampleTarget target = sample_target(request);
  EXPECT_EQ(target.image_name, "other.exe");
  EXPECT_EQ(target.pdb_file, "symbols/p2.pdb");
}

TEST(DeducedText, LinesOfTheContract) {
  Measurement request = record("x/googolplex.exe");
  EXPECT_EQ(deduced_text(request),
            "deduced image name 'x/googolplex.exe'\n"
            "deduced image PDB file 'x/googolplex.pdb'\n"
            "pe_file 'x/googolplex.exe'\n"
            "\n");
  request.program = Program{"x/googolplex.exe", "x/googolplex.exe", false};
  EXPECT_EQ(deduced_text(request).find("args"), std::string::npos);
  request.program = Program{"x/googolplex.exe", "x/googolplex.exe 10 -v", true};
  request.image_name = "g.exe";
  EXPECT_EQ(deduced_text(request),
            "deduced image PDB file 'x/googolplex.pdb'\n"
            "pe_file 'x/googolplex.exe', args 'x/googolplex.exe 10 -v'\n"
            "\n");
  request.pdb_file = "g.pdb";
  EXPECT_EQ(deduced_text(request), "pe_file 'x/googolplex.exe', args 'x/googolplex.exe 10 -v'\n\n");
  EXPECT_EQ(deduced_text(Measurement{}), "");
}

}  // namespace
}  // namespace wperf::request
