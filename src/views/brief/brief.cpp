// SPDX-License-Identifier: BSD-3-Clause
#include "views/brief/brief.h"

#include <fmt/format.h>

#include <algorithm>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "ground/text/shell_words.h"
#include "views/report/document_version.h"

namespace wperf::brief {
namespace {

// Limited because names of templates may have thousands of bytes.
constexpr usize kLongestCell = 120, kLongestSentence = 400;

std::string cut(std::string_view text, usize most) {
  if (text.size() <= most) return std::string(text);
  usize end = most - 3;
  while (end > 0 && (static_cast<u8>(text[end]) & 0xC0) == 0x80) --end;  // a cut must not divide a character
  return std::string(text.substr(0, end)) + "...";
}

// Would HTML read a `<` before this character as a tag?
bool begins_tag(char next) {
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
         std::string_view("/!?").find(next) != std::string_view::npos;
}

// Escapes names so that none of their characters becomes markup; most of the text can still be copied.
std::string plain(std::string_view text, usize most) {
  const std::string shown = cut(text, most);
  std::string out;
  for (usize i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const bool is_control = static_cast<u8>(c) < 0x20 || c == 0x7f;
    const bool is_markup = std::string_view("\\*[]|").find(c) != std::string_view::npos ||
                           (c == '<' && i + 1 < shown.size() && begins_tag(shown[i + 1]));
    if (is_markup) out += '\\';
    out += is_control ? ' ' : c;
  }
  return out;
}

std::string sentence(std::string_view text) {
  return plain(text, kLongestSentence);
}

// A command must be shown exactly as it is typed, so its characters are kept.
std::string code(std::string_view text) {
  std::string line;
  bool has_backtick = false;
  for (const char c : text) {
    line += static_cast<u8>(c) < 0x20 ? '?' : c;
    has_backtick |= c == '`';
  }
  return has_backtick ? "`` " + line + " ``" : "`" + line + "`";
}

// The parts of a brief that may be shortened.
struct Shown {
  usize rows, reasons, losses, verdicts;
};

Shown all_of(const Brief& brief) {
  return {brief.table.rows.size(), brief.ruled_out.size(), brief.lost.size(), brief.verdict.size()};
}

// Shortens the least important part first; at least one row remains.
bool shorten(Shown& shown) {
  for (const auto& [part, least] : {std::pair{&shown.rows, usize{3}},
                                    {&shown.reasons, usize{1}},
                                    {&shown.losses, usize{1}},
                                    {&shown.rows, usize{1}},
                                    {&shown.verdicts, usize{1}},
                                    {&shown.reasons, usize{0}},
                                    {&shown.losses, usize{0}},
                                    {&shown.rows, usize{0}}}) {
    if (*part <= least) continue;
    --*part;
    return true;
  }
  return false;
}

void append_list(std::string& out, std::string_view title, const std::vector<std::string>& items, usize shown,
                 std::string_view none) {
  if (items.empty() && none.empty()) return;
  if (items.empty()) {
    out += fmt::format("\n{}: {}\n", title, none);
    return;
  }
  if (shown == 0) return;
  out += fmt::format("\n{}:\n", title);
  for (const std::string& item : std::span(items).first(shown)) out += "- " + sentence(item) + '\n';
}

// "2 of 5 rows" and the like, joined.
std::string left_out(const Brief& brief, const Shown& shown) {
  std::string text;
  const auto add = [&](usize some, usize all, std::string_view what) {
    if (some == all) return;
    text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", some, text::with_commas(all), what);
  };
  add(shown.rows, brief.rows_in_all, "rows");
  add(shown.losses, brief.lost.size(), "losses");
  add(shown.reasons, brief.ruled_out.size(), "reasons");
  add(shown.verdicts, brief.verdict.size(), "sentences of the verdict");
  return text;
}

std::string spell_markdown(const Brief& brief, const Shown& shown) {
  std::string out;
  for (const std::string& one : std::span(brief.verdict).first(shown.verdicts))
    out += (out.empty() ? "**" + sentence(one) + "**" : "\n" + sentence(one)) + '\n';
  if (shown.rows != 0) {
    report::Table table = brief.table;
    table.rows.resize(shown.rows);
    for (auto& row : table.rows) {
      for (std::string& cell : row) cell = plain(cell, kLongestCell);
    }
    out += '\n' + sentence(brief.heading) + "\n\n";
    report::append_markdown(out, table);
  }
  append_list(out, "Lost or in doubt", brief.lost, shown.losses, "nothing that is known");
  append_list(out, "Ruled out", brief.ruled_out, shown.reasons, "");
  if (!brief.next.empty()) out += "\nNext: " + code(brief.next) + '\n';
  if (const std::string less = left_out(brief, shown); !less.empty())
    out += fmt::format("\nShown: {}. Everything: {}\n", less, code(brief.all));
  return out;
}

void write_list(text::JsonWriter& json, std::string_view key, const std::vector<std::string>& items, usize shown) {
  json.begin_array(key);
  for (const std::string& item : std::span(items).first(shown)) json.string(cut(item, kLongestSentence));
  json.end_array();
}

std::string spell_json(const Brief& brief, const Shown& shown) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", report::kDocumentVersion);
  json.begin_object("brief");
  write_list(json, "verdict", brief.verdict, shown.verdicts);
  json.string("heading", cut(brief.heading, kLongestSentence));
  json.begin_array("columns");
  for (const report::Column& column : brief.table.columns) json.string(column.title);
  json.end_array();
  json.begin_array("rows");
  for (const auto& row : std::span(brief.table.rows).first(shown.rows)) {
    json.begin_array();
    for (const std::string& cell : row) json.string(cut(cell, kLongestCell));
    json.end_array();
  }
  json.end_array();
  json.integer("rows_in_all", brief.rows_in_all);
  write_list(json, "lost", brief.lost, shown.losses);
  write_list(json, "ruled_out", brief.ruled_out, shown.reasons);
  json.string("next", brief.next);
  json.string("not_shown", left_out(brief, shown));
  json.string("everything", brief.all);
  json.end_object();
  json.end_object();
  return out;
}

template <class Spell>
std::string fitted(const Brief& brief, usize bytes, const Spell& spell) {
  Shown shown = all_of(brief);
  std::string out = spell(brief, shown);
  while (out.size() > bytes && shorten(shown)) out = spell(brief, shown);
  return out;
}

}  // namespace

std::string markdown(const Brief& brief, usize bytes) {
  const std::string out = fitted(brief, bytes, spell_markdown);
  if (out.size() <= bytes) return out;
  return cut(out, bytes - 1) + '\n';  // only if a single command is longer than allowed
}

std::string json(const Brief& brief, usize bytes) {
  return fitted(brief, bytes, spell_json);
}

std::string percent_text(double part, double whole) {
  return whole == 0 ? "0 %" : text::fixed(100 * part / whole, 1) + " %";
}

}  // namespace wperf::brief
