// SPDX-License-Identifier: BSD-3-Clause
// Terminal input for `wperf top`, and hostile names. No key breaks the view, and names reach the terminal only as text.
#include <cstdlib>
#include <string>
#include <string_view>

#include "views/top/picture.h"

namespace {

using namespace wperf;

stacks::StackProfile profile_named(std::string_view name) {
  stacks::StackProfile profile;
  profile.events.push_back({.name = std::string(name)});
  profile.names.emplace_back(name);
  profile.tasks.push_back({1, 2, 0});
  profile.modules.resize(1);
  profile.modules[0].name = name;
  profile.modules[0].reason = name;
  profile.functions.push_back({.name = std::string(name), .module = 0});
  profile.places.push_back({.function = 0});
  profile.nodes.push_back({.place = 0});
  profile.samples.push_back({.count = 1, .period = 1});
  return profile;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const u8* data, usize size) {
  if (size < 2) return 0;
  const usize columns = data[0], lines = data[1];
  const std::string_view text(reinterpret_cast<const char*>(data) + 2, size - 2);
  top::LiveTable table;
  const std::string name(text.substr(0, text.size() / 2));
  answers::CountRow counter;
  counter.name = name;
  const top::ExtraRecords beside{.waits = {{.function = name, .module = name, .begun = 1, .waited = 1}},
                                 .counters = {counter}};
  table.add(profile_named(name), 1, 0, {}, beside);
  top::TopView view;
  top::KeyReader reader;
  const top::PictureFacts facts{.of = std::string(text),
                                .note = std::string(text),
                                .no_waits = size % 2 == 0 ? std::string(text) : std::string()};
  for (usize at = 0; at < text.size(); at += 3) {
    std::vector<top::Key> keys = reader.take(text.substr(at, 3));
    if (keys.empty()) keys = reader.pause();
    for (const top::Key& key : keys) view.take(key, table.rows(view.query), top::page_of(lines));
    if (view.code.has_value()) view.code->function = 0;
  }
  const top::Picture picture = make_picture(view, table, table.rows(view.query), facts, {columns, lines});
  for (const top::Line& line : picture.lines) {
    if (line.columns() > columns) std::abort();
    for (const char c : line.text()) {
      if (static_cast<u8>(c) < 0x20 || c == '\x7f') std::abort();
    }
  }
  return 0;
}
