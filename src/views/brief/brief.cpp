// SPDX-License-Identifier: BSD-3-Clause
#include "views/brief/brief.h"

#include <fmt/format.h>

#include <algorithm>

#include "ground/text/json_writer.h"
#include "ground/text/number_text.h"
#include "ground/text/unicode.h"
#include "views/report/document_version.h"

namespace wperf::brief {
namespace {

// Limited because names of templates can have thousands of bytes.
constexpr usize kLongestCell = 120, kLongestSentence = 400, kShortestSentence = 25;

// Would HTML read a `<` before this character as a tag?
bool begins_tag(char next) {
  return (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z') ||
         std::string_view("/!?").find(next) != std::string_view::npos;
}

// Replaces characters that a terminal would obey, because the console would replace them only after the bytes were
// counted. `control` replaces ASCII control characters.
std::string harmless(std::string_view text, char control) {
  std::string out;
  while (!text.empty()) {
    const bool is_control = static_cast<u8>(text[0]) < 0x20 || text[0] == 0x7f;
    const text::Character one = is_control ? text::Character{.bytes = 1} : text::first_character(text);
    const std::string spelled = text::printed_form(text.substr(0, one.bytes), one.kind);
    if (is_control)
      out += control;
    else
      out += spelled.empty() ? text.substr(0, one.bytes) : std::string_view(spelled);
    text.remove_prefix(one.bytes);
  }
  return out;
}

// Escapes names so that none of their characters becomes markup; most of the text can still be copied.
std::string plain(std::string_view text, usize most) {
  const std::string shown = harmless(cut(text, most), ' ');
  std::string out;
  for (usize i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const bool is_markup = std::string_view("\\*[]|").find(c) != std::string_view::npos ||
                           (c == '<' && i + 1 < shown.size() && begins_tag(shown[i + 1]));
    if (is_markup) out += '\\';
    out += c;
  }
  return out;
}

// A command must be shown exactly as it is typed, so its characters are kept.
std::string code(std::string_view text) {
  const std::string line = harmless(text, '?');
  return line.find('`') != std::string::npos ? "`` " + line + " ``" : "`" + line + "`";
}

// The parts of a brief that may be shortened.
struct Shown {
  usize rows, reasons, losses, verdicts;
  usize sentence = kLongestSentence;  // bytes of each sentence
  bool next = true, all = true;
};

Shown all_of(const Brief& brief) {
  return {brief.table.rows.size(), brief.ruled_out.size(), brief.lost.size(), brief.verdict.size()};
}

// Shortens the least important part first. The beginning of the first sentence always remains.
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
  if (shown.sentence <= kShortestSentence) return false;
  shown.sentence /= 2;
  return true;
}

void append_list(std::string& out, std::string_view title, const std::vector<std::string>& items, usize shown,
                 usize longest) {
  if (items.empty()) return;
  if (shown == 0) return;
  out += fmt::format("\n{}:\n", title);
  for (const std::string& item : std::span(items).first(shown)) out += "- " + plain(item, longest) + '\n';
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

// The commands that were too long to be shown.
std::string left_out_commands(const Brief& brief, const Shown& shown) {
  std::string text;
  if (!shown.next && !brief.next.empty()) text = "the next command";
  if (!shown.all && !brief.all.empty()) text += (text.empty() ? "" : ", ") + std::string("the command for everything");
  return text;
}

std::string spell_markdown(const Brief& brief, const Shown& shown) {
  std::string out;
  for (const std::string& one : std::span(brief.verdict).first(shown.verdicts)) {
    const std::string sentence = plain(one, shown.sentence);
    out += (out.empty() ? "**" + sentence + "**" : "\n" + sentence) + '\n';
  }
  if (shown.rows != 0) {
    report::Table table = brief.table;
    table.rows.resize(shown.rows);
    for (auto& row : table.rows) {
      for (std::string& cell : row) cell = plain(cell, kLongestCell);
    }
    out += '\n' + plain(brief.heading, shown.sentence) + "\n\n";
    report::append_markdown(out, table);
  }
  if (brief.lost.empty()) out += "\nLost or in doubt: nothing that is known\n";
  append_list(out, "Lost or in doubt", brief.lost, shown.losses, shown.sentence);
  append_list(out, "Ruled out", brief.ruled_out, shown.reasons, shown.sentence);
  if (shown.next && !brief.next.empty()) out += "\nNext: " + code(brief.next) + '\n';
  const std::string less = left_out(brief, shown), commands = left_out_commands(brief, shown);
  if (!less.empty()) out += fmt::format("\nShown: {}.{}\n", less, shown.all ? " Everything: " + code(brief.all) : "");
  if (!commands.empty()) out += fmt::format("\nToo long to be shown: {}\n", commands);
  return out;
}

void write_list(text::JsonWriter& json, std::string_view key, const std::vector<std::string>& items, usize shown,
                usize longest) {
  json.begin_array(key);
  for (const std::string& item : std::span(items).first(shown)) json.string(cut(item, longest));
  json.end_array();
}

std::string spell_json(const Brief& brief, const Shown& shown) {
  std::string out;
  text::JsonWriter json(out);
  json.begin_object();
  json.integer("version", report::kDocumentVersion);
  json.begin_object("brief");
  write_list(json, "verdict", brief.verdict, shown.verdicts, shown.sentence);
  json.string("heading", shown.rows == 0 ? "" : cut(brief.heading, shown.sentence));
  json.begin_array("columns");
  for (const report::Column& column : brief.table.columns) {
    if (shown.rows != 0) json.string(column.title);
  }
  json.end_array();
  json.begin_array("rows");
  for (const auto& row : std::span(brief.table.rows).first(shown.rows)) {
    json.begin_array();
    for (const std::string& cell : row) json.string(cut(cell, kLongestCell));
    json.end_array();
  }
  json.end_array();
  json.integer("rows_in_all", brief.rows_in_all);
  write_list(json, "lost", brief.lost, shown.losses, shown.sentence);
  write_list(json, "ruled_out", brief.ruled_out, shown.reasons, shown.sentence);
  json.string("next", shown.next ? brief.next : "");
  const std::string less = left_out(brief, shown), commands = left_out_commands(brief, shown);
  const std::string_view between = less.empty() || commands.empty() ? "" : "; ";
  json.string("not_shown", fmt::format("{}{}{}{}", less, between, commands.empty() ? "" : "too long: ", commands));
  json.string("everything", shown.all ? brief.all : "");
  json.end_object();
  json.end_object();
  return out;
}

// Leaves out commands that need more than half of the text, or leave no space for the beginning of a sentence. A
// command is never cut, because the result would be another command.
template <class Spell>
void choose_commands(const Brief& brief, usize bytes, const Spell& spell, Shown& shown) {
  constexpr usize kRoom = 100;
  Shown least{.rows = 0, .reasons = 0, .losses = 0, .verdicts = std::min<usize>(shown.verdicts, 1), .sentence = kRoom};
  const auto fits = [&] { return spell(brief, least).size() <= bytes; };
  least.next = brief.next.size() <= bytes / 2;
  least.all = brief.all.size() <= bytes / 2;
  if (least.all && !fits()) least.all = false;
  if (least.next && !fits()) least.next = false;
  shown.next = least.next;
  shown.all = least.all;
}

template <class Spell>
std::string fitted(const Brief& brief, usize bytes, const Spell& spell) {
  Shown shown = all_of(brief);
  choose_commands(brief, bytes, spell, shown);
  std::string out = spell(brief, shown);
  while (out.size() > bytes && shorten(shown)) out = spell(brief, shown);
  return out;
}

}  // namespace

std::string cut(std::string_view text, usize most) {
  if (text.size() <= most) return std::string(text);
  usize end = most - 3;
  while (end > 0 && text::continues_character(text[end])) --end;  // a cut must not divide a character
  return std::string(text.substr(0, end)) + "...";
}

void cut_name(Brief& brief, std::string_view name) {
  if (name.size() <= kLongestCell) return;
  const std::string shorter = cut(name, kLongestCell);
  for (std::string& sentence : brief.verdict) {
    for (usize at = sentence.find(name); at != std::string::npos; at = sentence.find(name, at + shorter.size()))
      sentence.replace(at, name.size(), shorter);
  }
}

std::string markdown(const Brief& brief, usize bytes) {
  const std::string out = fitted(brief, bytes, spell_markdown);
  if (out.size() <= bytes) return out;
  return cut(out, bytes - 1) + '\n';  // only if fewer bytes are allowed than a command line accepts
}

std::string json(const Brief& brief, usize bytes) {
  return fitted(brief, bytes, spell_json);
}

}  // namespace wperf::brief
