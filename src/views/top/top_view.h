// SPDX-License-Identifier: BSD-3-Clause
// The user's choices of what is shown, and the changes that each key makes. Pure.
#pragma once
#include <optional>
#include <string>

#include "model/stacks/code_listing.h"
#include "views/top/keys.h"
#include "views/top/live_table.h"

namespace wperf::top {

// The known code of a function.
struct CodeView {
  u32 function = 0;  // of the table
  bool is_waiting = true;
  bool instructions = false;  // false: lines
  usize cursor = 0;
  stacks::FunctionCode code = {};
  std::string reason = {};  // why there is none; empty: there is
};

// overwrite: a key answers whether an existing file may be replaced.
enum class Typing : u8 { nothing, filter, file, overwrite };

enum class Action : u8 {
  nothing,
  quit,
  suspend,
  redraw,
  clear,      // forget the earlier samples
  pause,      // TopView::paused was changed
  load_code,  // loads TopView::code
  save,       // into the file TopView::typed, which does not exist yet
  save_over,  // into it, even if it exists
};

struct TopView {
  TableQuery query = {};
  Typing typing = Typing::nothing;
  std::string typed = {};
  bool paused = false;
  bool help = false;
  usize cursor = 0;                // among the rows
  std::optional<u32> chosen = {};  // the key of the row under it; nullopt: it stays at the top
  bool is_there = true;            // the chosen row is among the present rows
  std::optional<CodeView> code = {};
  std::string within_name = {};  // of query.within
  std::string message = {};      // until the next key

  // Takes the code of the function that is shown.
  void take_code(stacks::FunctionCode answer);
  // Moves the cursor to the chosen row among these rows.
  void follow(const TableAnswer& rows);
  // `rows`: those on the screen. `page`: how many of them fit.
  Action take(const Key& key, const TableAnswer& rows, usize page);

 private:
  Action take_typed(const Key& key);
  Action take_letter(char letter, const TableAnswer& rows);
  Action zoom(const TableAnswer& rows);
  void leave();
  void to_top();
  void move(KeyKind kind, const TableAnswer& rows, usize page);
};

inline constexpr char kUsualFile[] = "top.data";

}  // namespace wperf::top
