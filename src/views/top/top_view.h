// SPDX-License-Identifier: BSD-3-Clause
// The user's choice of the view, and the effect of each key. Pure.
#pragma once
#include <optional>
#include <string>

#include "model/stacks/code_listing.h"
#include "views/top/keys.h"
#include "views/top/live_table.h"

namespace wperf::top {

// The code of a function, as far as it is loaded.
struct CodeView {
  u32 function = 0;  // number in the table
  bool is_waiting = true;
  bool instructions = false;  // false: shows lines
  usize cursor = 0;
  stacks::FunctionCode code = {};
  std::string reason = {};  // why there is no code; otherwise empty
};

// overwrite: the next key answers whether to replace an existing file.
enum class Typing : u8 { nothing, filter, file, overwrite };

enum class Action : u8 {
  nothing,
  quit,
  suspend,
  redraw,
  clear,      // forgets the earlier samples
  pause,      // TopView::paused has changed
  load_code,  // loads TopView::code
  save,       // saves to the file TopView::typed if it does not exist yet
  save_over,  // saves to this file even if it exists
};

struct TopView {
  TableQuery query = {};
  Typing typing = Typing::nothing;
  std::string typed = {};
  bool paused = false;
  bool help = false;
  usize cursor = 0;                // index of a row
  std::optional<u32> chosen = {};  // key of the row at the cursor; nullopt: the cursor stays at the top
  bool is_there = true;            // the chosen row is among the current rows
  std::optional<CodeView> code = {};
  std::string within_name = {};  // name of query.within
  std::string message = {};      // shown until the next key

  // Takes the code of the function that is shown.
  void take_code(stacks::FunctionCode answer);
  // Moves the cursor to the chosen row, if it is among these rows.
  void follow(const TableAnswer& rows);
  // `rows`: the rows on the screen. `page`: how many rows fit.
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
