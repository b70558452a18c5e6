// SPDX-License-Identifier: BSD-3-Clause
// The samples of recent looks (refresh intervals of `top`) and since the start, by function, thread and core. Stores
// each name once. Pure.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analysis/waits/live_waits.h"
#include "model/answers/count_profile.h"
#include "model/stacks/id_table.h"
#include "model/stacks/stack_rows.h"

namespace wperf::top {

enum class Grouping : u8 { function, thread, core, module, wait, counter };
inline constexpr u32 kGroupings = 6;
// The looks to count: the newest look, the ten newest, or all.
enum class Extent : u8 { newest, ten, all };
inline constexpr u32 kExtents = 3;
inline constexpr usize kLooksOfTen = 10;

struct TableFunction {
  std::string name, shown, module;  // shown: with a mark if it is in the kernel
  bool is_kernel = false, is_known = false;
  u32 module_number = 0;
};
struct TableThread {
  std::string name, numbers;  // "7/8": thread 8 of process 7
};
struct TableEvent {
  std::string name;
  bool is_clock = false;
  u64 period = 0;  // the weight of its samples in the chosen looks
};

// Limits the rows to one thread, core or module.
struct Within {
  u32 thread = stacks::kNothing, core = stacks::kNothing, module = stacks::kNothing;
  bool is_all() const { return thread == stacks::kNothing && core == stacks::kNothing && module == stacks::kNothing; }
};

struct TableQuery {
  Grouping grouping = Grouping::function;
  Extent extent = Extent::newest;
  u32 event = 0;
  Within within = {};
  std::string filter = {};  // must occur in one of the row's names; case is ignored
  bool by_name = false;
};

struct TableRow {
  u32 key = 0;                    // function, thread, core, module, wait or counter
  u64 samples = 0, period = 0;    // for waits: the number of waits that began, and nanoseconds
  std::string_view name, detail;  // as shown; owned by the table, valid until something is added to the table
};

struct TableAnswer {
  std::vector<TableRow> rows;   // ordered by size, or by name
  u64 samples = 0, period = 0;  // of the event, before filtering
  u64 shown_period = 0;
  double seconds = 0;
  usize looks = 0;
  u64 lost = 0, throttled = 0;
  u64 unseen_ns = 0;
  stacks::PythonSamples python = {};
  std::vector<TableEvent> events;
  // The counts, followed by the samples in the same form; indexed by the rows' keys, if counters were requested.
  std::vector<answers::CountRow> counters;
  usize counted = 0;  // number of counts in `counters`
  // Samples without a function name: their weight, the module with the most of them, and the reason.
  u64 nameless_period = 0;
  std::string nameless_module, nameless_reason;
};

// Data of a look in addition to the samples.
struct ExtraRecords {
  std::vector<waits::FunctionWaits> waits = {};
  std::vector<answers::CountRow> counters = {};
};

class LiveTable {
 public:
  void add(const stacks::StackProfile& profile, double seconds, u64 unseen_ns, const stacks::StackFilter& filter,
           const ExtraRecords& beside = {});
  // Removes all data.
  void clear();
  TableAnswer rows(const TableQuery& query) const;
  // The number of looks since the beginning, or since clear().
  usize looks() const { return all_.looks; }
  const TableFunction& function(u32 key) const { return functions_[key]; }
  const std::vector<TableEvent>& events() const { return events_; }

 private:
  struct Place {
    u32 function = 0, thread = 0, core = 0, event = 0;
  };
  struct Hits {
    u64 samples = 0, period = 0;
  };
  struct PlaceHits {
    u32 place = 0;  // number of the place
    Hits hits;
  };
  struct Counts {
    std::vector<PlaceHits> hits;          // of one look; each place occurs once
    std::unordered_map<u32, Hits> waits;  // by number
    std::vector<answers::CountRow> counters;
    double seconds = 0;
    usize looks = 0;
    u64 lost = 0, throttled = 0, unseen_ns = 0;
    stacks::PythonSamples python = {};
  };
  static void add_beside(Counts& sum, const Counts& one);  // adds everything except hits
  u32 place_number(const Place& place);
  Place place(u32 number) const;
  template <class Visit>
  void for_each_place(Extent extent, Visit visit) const;
  u32 function_number(const stacks::StackProfile& profile, u32 function);
  u32 thread_number(const stacks::StackProfile& profile, const stacks::StackTask& task);
  u32 wait_number(const waits::FunctionWaits& one);
  u32 module_number(const stacks::StackModule& module);
  u32 core_number(u32 core);
  void take_samples(const TableQuery& query, TableAnswer& answer, std::vector<Hits>& by_key) const;
  void take_waits(const Counts& counts, TableAnswer& answer, std::vector<Hits>& by_key) const;
  void take_counters(const Counts& counts, const TableQuery& query, TableAnswer& answer) const;
  bool is_within(const Place& place, const Within& within) const;
  u32 key_of(const Place& place, Grouping grouping) const;
  std::string_view name_of(Grouping grouping, u32 key) const;
  std::string_view detail_of(Grouping grouping, u32 key) const;

  std::deque<Counts> newest_;
  Counts all_;                  // without hits
  std::vector<Hits> all_hits_;  // by number of the place
  // The numbers of places, and of functions, keyed by a hash of the name and the other properties that distinguish
  // functions. Numbers are only added, so copies of the table can share them.
  std::shared_ptr<stacks::IdTable> places_ = std::make_shared<stacks::IdTable>();
  std::shared_ptr<stacks::IdTable> function_numbers_ = std::make_shared<stacks::IdTable>();
  std::vector<TableEvent> events_;
  // Deques, because the addresses of their elements do not change.
  std::deque<TableFunction> functions_;
  std::deque<TableThread> threads_;
  std::deque<std::string> cores_;
  std::deque<std::pair<std::string, std::string>> modules_;  // name, and why its functions have no names
  std::map<std::tuple<u32, u32, std::string>, u32> thread_numbers_;
  std::map<std::string, u32> module_numbers_;
  std::map<u32, u32> core_numbers_;
  std::deque<std::pair<std::string, std::string_view>> waits_;  // the place of the wait, and its reason
  std::map<std::pair<std::string, waits::WaitClass>, u32> wait_numbers_;
};

}  // namespace wperf::top
