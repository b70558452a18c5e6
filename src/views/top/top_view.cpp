// SPDX-License-Identifier: BSD-3-Clause
#include "views/top/top_view.h"

#include <algorithm>
#include <utility>

#include "ground/text/unicode.h"

namespace wperf::top {
namespace {

void erase_last_character(std::string& text) {
  while (!text.empty()) {
    const bool continues = text::continues_character(text.back());
    text.pop_back();
    if (!continues) return;
  }
}

template <typename Enum>
Enum next_of(Enum value, u32 count) {
  return static_cast<Enum>((static_cast<u32>(value) + 1) % count);
}

void move_cursor(usize& cursor, KeyKind kind, usize count, usize page) {
  const usize last = std::max<usize>(count, 1) - 1;
  const usize step = kind == KeyKind::page_up || kind == KeyKind::page_down ? std::max<usize>(page, 2) - 1 : 1;
  cursor = std::min(cursor, last);
  switch (kind) {
    case KeyKind::up:
    case KeyKind::page_up:
      cursor -= std::min(cursor, step);
      break;
    case KeyKind::down:
    case KeyKind::page_down:
      cursor = std::min(cursor + step, last);
      break;
    case KeyKind::home:
      cursor = 0;
      break;
    case KeyKind::end:
      cursor = last;
      break;
    default:
      break;
  }
}

usize rows_of(const CodeView& view) {
  return view.instructions ? view.code.instructions.size() : view.code.lines.size();
}

// The index in `now` of the row that is at `cursor` in `old`; `cursor` if that row is gone.
template <typename Row, typename Same>
usize found_again(const std::vector<Row>& old, usize cursor, const std::vector<Row>& now, Same same) {
  if (cursor == 0 || cursor >= old.size()) return cursor;
  const auto found = std::find_if(now.begin(), now.end(), [&](const Row& one) { return same(one, old[cursor]); });
  return found == now.end() ? cursor : static_cast<usize>(found - now.begin());
}

}  // namespace

void TopView::to_top() {
  cursor = 0;
  chosen.reset();
  is_there = true;
}

void TopView::follow(const TableAnswer& rows) {
  if (!chosen.has_value()) return;
  const auto found =
      std::find_if(rows.rows.begin(), rows.rows.end(), [&](const TableRow& row) { return row.key == *chosen; });
  is_there = found != rows.rows.end();
  if (is_there) cursor = static_cast<usize>(found - rows.rows.begin());
}

void TopView::move(KeyKind kind, const TableAnswer& rows, usize page) {
  if (code.has_value()) return move_cursor(code->cursor, kind, rows_of(*code), page);
  if (kind == KeyKind::home) return to_top();
  move_cursor(cursor, kind, rows.rows.size(), page);
  if (cursor < rows.rows.size()) chosen = rows.rows[cursor].key;
  is_there = true;
}

void TopView::take_code(stacks::FunctionCode answer) {
  const bool has_lines = std::any_of(answer.lines.begin(), answer.lines.end(),
                                     [](const stacks::CodeLine& line) { return !line.file.empty(); });
  // Without lines, only instructions can be shown.
  if (code->code.instructions.empty() && code->code.lines.empty()) code->instructions = !has_lines;
  code->cursor = code->instructions
                     ? found_again(code->code.instructions, code->cursor, answer.instructions,
                                   [](const auto& a, const auto& b) { return a.address == b.address; })
                     : found_again(code->code.lines, code->cursor, answer.lines,
                                   [](const auto& a, const auto& b) { return a.line == b.line && a.file == b.file; });
  code->code = std::move(answer);
}

Action TopView::take_typed(const Key& key) {
  if (typing == Typing::overwrite) {
    const bool agrees = key.text == "y" || key.text == "Y";
    typing = agrees || key.kind == KeyKind::escape ? Typing::nothing : Typing::file;
    return agrees ? Action::save_over : Action::nothing;
  }
  const bool is_filter = typing == Typing::filter;
  switch (key.kind) {
    case KeyKind::character:
      typed += key.text;
      break;
    case KeyKind::backspace:
      erase_last_character(typed);
      break;
    case KeyKind::erase_all:
      typed.clear();
      break;
    case KeyKind::escape:
      typing = Typing::nothing;
      if (is_filter) query.filter.clear();
      return Action::nothing;
    case KeyKind::enter:
      typing = Typing::nothing;
      return !is_filter && !typed.empty() ? Action::save : Action::nothing;
    default:
      return Action::nothing;
  }
  if (is_filter) {
    query.filter = typed;
    to_top();
  }
  return Action::nothing;
}

// Shows the code of a function, or, for other rows, their contents.
Action TopView::zoom(const TableAnswer& rows) {
  if (code.has_value()) return Action::nothing;
  if (!is_there) {
    message = "the selected row is gone; select another one, or press `t` for a longer time";
    return Action::nothing;
  }
  if (cursor >= rows.rows.size()) return Action::nothing;
  const TableRow& row = rows.rows[cursor];
  if (query.grouping == Grouping::wait) {
    message = "to see which threads wait there and which thread ends the wait, use `wperf waits`";
    return Action::nothing;
  }
  if (query.grouping == Grouping::counter) {
    message = "to see in which functions it happens, sample it with `wperf top -e`";
    return Action::nothing;
  }
  if (query.grouping == Grouping::function) {
    chosen = row.key;
    code = CodeView{.function = row.key};
    return Action::load_code;
  }
  query.within = {};
  if (query.grouping == Grouping::thread) query.within.thread = row.key;
  if (query.grouping == Grouping::core) query.within.core = row.key;
  if (query.grouping == Grouping::module) query.within.module = row.key;
  within_name = row.name;
  if (!row.detail.empty()) within_name.append(" ").append(row.detail);
  query.grouping = Grouping::function;
  query.filter.clear();
  to_top();
  return Action::nothing;
}

// Goes back by one step.
void TopView::leave() {
  if (code.has_value()) {
    code.reset();
    return;
  }
  to_top();
  if (!query.filter.empty()) {
    query.filter.clear();
  } else {
    query.within = {};
    within_name.clear();
  }
}

Action TopView::take_letter(char letter, const TableAnswer& rows) {
  switch (letter) {
    case 'q':
      return Action::quit;
    case 'p':
    case ' ':
      paused = !paused;
      return Action::pause;
    case 'h':
    case '?':
      help = true;
      return Action::nothing;
    case '/':
      typing = Typing::filter;
      typed = query.filter;
      return Action::nothing;
    case 'w':
      typing = Typing::file;
      typed = kUsualFile;
      return Action::nothing;
    case 't':
      query.extent = next_of(query.extent, kExtents);
      return code.has_value() ? Action::load_code : Action::nothing;
    case 's':
      query.by_name = !query.by_name;
      return Action::nothing;
    case 'e':
      if (rows.events.size() > 1) query.event = (query.event + 1) % static_cast<u32>(rows.events.size());
      return code.has_value() ? Action::load_code : Action::nothing;
    case 'i':
      if (code.has_value()) {
        code->instructions = !code->instructions;
        code->cursor = 0;
      }
      return Action::nothing;
    case 'c':
      paused = false;
      to_top();
      return Action::clear;
    default:
      break;
  }
  static constexpr std::string_view kViews = "123456";
  const usize view = kViews.find(letter);
  if (view != std::string_view::npos || letter == 'v') {
    query.grouping = letter == 'v' ? next_of(query.grouping, kGroupings) : static_cast<Grouping>(view);
    code.reset();
    to_top();
    // Waits and counters cannot be limited to one row.
    if (query.grouping == Grouping::wait || query.grouping == Grouping::counter) query.within = {};
  }
  return Action::nothing;
}

Action TopView::take(const Key& key, const TableAnswer& rows, usize page) {
  message.clear();
  if (key.kind == KeyKind::interrupt) return Action::quit;
  if (key.kind == KeyKind::suspend) return Action::suspend;
  if (key.kind == KeyKind::redraw) return Action::redraw;
  if (typing != Typing::nothing) return take_typed(key);
  if (help) {
    help = false;
    return key.text == "q" ? Action::quit : Action::nothing;
  }
  switch (key.kind) {
    case KeyKind::enter:
    case KeyKind::right:
      return zoom(rows);
    case KeyKind::escape:
    case KeyKind::left:
    case KeyKind::backspace:
      leave();
      return Action::nothing;
    case KeyKind::tab:
      return take_letter('v', rows);
    case KeyKind::character:
      return key.text.size() == 1 ? take_letter(key.text.front(), rows) : Action::nothing;
    default:
      move(key.kind, rows, page);
      return Action::nothing;
  }
}

}  // namespace wperf::top
