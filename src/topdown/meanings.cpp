// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <iterator>

#include "topdown/method.h"

namespace wperf::topdown {
namespace {

struct Meaning {
  std::string_view name, text;
};
// Alphabetical.
constexpr Meaning kMeanings[] = {
    {"Atomics_Effectiveness", "Compare-and-swaps that fail are done again: fewer threads at one word, or less often."},
    {"Branch_Effectiveness", "Branches were guessed wrong: make them predictable, or compute both ways and select."},
    {"CME_IQ_Effectiveness",
     "Queues of the matrix unit are full: too many of its operations wait for the ones before."},
    {"CME_Ilock_From_CME",
     "Which results of the matrix unit the core waits for: flags, predicates or general registers."},
    {"CME_Ilock_To_CME", "Which values the matrix unit waits for: flags, predicates or general registers."},
    {"CME_L1D_Cache_Effectiveness", "The matrix unit's data misses its first cache: work on smaller tiles."},
    {"CME_L3D_Cache_Effectiveness",
     "The matrix unit's data comes from the shared cache or beyond it: work on smaller tiles."},
    {"CME_LL_Cache_Effectiveness",
     "The matrix unit's data comes from memory: use what was loaded more often, or ask for it earlier."},
    {"CME_Operation_Mix", "What the matrix unit's operations are."},
    {"CME_Port_Utilization", "How busy each of the matrix unit's ports is: one that is always busy is the limit."},
    {"CME_System_Memory_Effectiveness", "Where misses of the matrix unit end: what comes from memory takes longest."},
    {"DTLB_Effectiveness", "Data lies on too many pages: keep it closer together, or use large pages."},
    {"IQ_Effectiveness", "Which queue of waiting operations was full: the units behind it are the limit."},
    {"ITLB_Effectiveness", "Code lies on too many pages: order functions by use, or use large pages for code."},
    {"L1D_Cache_Effectiveness", "Data comes from the second-level cache: work on smaller blocks of it."},
    {"L1I_Cache_Effectiveness", "Code does not fit the first-level cache: less inlining, hot functions side by side."},
    {"L2D_Cache_Effectiveness",
     "Data comes from beyond the second-level cache, or from another core's: work on smaller blocks, and let each "
     "thread write lines of its own."},
    {"L2I_Cache_Effectiveness",
     "Code comes from beyond the second-level cache: less of it, hot functions side by side."},
    {"L2_Cache_Effectiveness", "Data or code comes from beyond the second-level cache: work on smaller blocks."},
    {"LL_Cache_Effectiveness", "Data comes from memory: touch less of it, in order, or ask for it earlier."},
    {"MCQ_Effectiveness", "The queue that holds operations until they are done was full: something old in it is late."},
    {"Operation_Mix", "What the operations are: loads and stores, branches, integers, floating point and vectors."},
    {"Port_Utilization", "How busy each group of units is: one near 100 % is the limit."},
    {"Prefetcher_Effectiveness",
     "How much of the data was fetched before it was asked for: access in order is foreseen, jumps are not."},
    {"Rename_Effectiveness",
     "Which kind of register ran out: shorter chains, or fewer results of that kind under way."},
    {"backend_bound", "Decoded work waited: for data, for room to store, or for units that were busy."},
    {"backend_busy_bound",
     "Execution units were busy, or their queues full: long operations such as divisions, or chains in which each "
     "waits for the one before."},
    {"backend_busy_ls_bound", "The units for loads and stores were busy: fewer or wider accesses."},
    {"backend_busy_vpu_arb_bound",
     "Vector operations waited for their turn, because the unit is shared with another core: let one of the two do "
     "less vector work."},
    {"backend_cache_l1d_bound",
     "Loads missed the first-level cache and found their data in the second: work on smaller blocks."},
    {"backend_cache_l2d_bound",
     "Loads waited for data from beyond the second-level cache: touch less of it, in order, or ask for it earlier. "
     "Threads that write to one line do this, too."},
    {"backend_cme_backpressure_bound",
     "The matrix unit took no more because it was behind: give it fewer or larger operations."},
    {"backend_cme_busy_arb_bound",
     "This core waited until the matrix unit, which others use, too, was its own: keep matrix work together, and on "
     "few threads."},
    {"backend_cme_cpu_bound", "Work for the matrix unit was held up in the core, before it got there."},
    {"backend_core_bound", "Work waited for the core itself and not for memory: for units, queues or registers."},
    {"backend_core_cme_bound", "Work for the matrix unit (SME) waited: for the unit, or on its way there."},
    {"backend_core_other_bound",
     "The core itself held work up, and neither registers, busy units nor the matrix unit were why."},
    {"backend_core_rename_bound", "No register was free to rename to: too many results are under way."},
    {"backend_mem_bound", "Work waited for memory: for loads, for stores, or for the addresses of pages."},
    {"backend_mem_cache_bound", "Loads missed caches."},
    {"backend_mem_cme_barrier_bound",
     "Loads and stores waited for a barrier between the core's and the matrix unit's: fewer changes into and out of "
     "streaming mode."},
    {"backend_mem_cme_bound", "Loads and stores of the core and of the matrix unit waited for each other."},
    {"backend_mem_cme_hazard_cpu_bound",
     "The matrix unit's loads and stores waited for the core's to the same places: leave time between them, or use "
     "other memory."},
    {"backend_mem_cme_lsrt_full_bound",
     "The table that tracks loads and stores of the matrix unit was full: fewer, wider accesses."},
    {"backend_mem_cpu_hazard_cme_bound",
     "The core's loads and stores waited for the matrix unit's to the same places: leave time between them, or use "
     "other memory."},
    {"backend_mem_store_bound", "Stores waited for room: they are too many, or to lines that others hold."},
    {"backend_mem_tlb_bound",
     "Addresses of data were looked up in page tables: keep data on fewer pages, or use large ones."},
    {"backend_stall_interlock_bound",
     "An instruction waited for the result of one before it: put independent work between the two."},
    {"backend_stall_interlock_from_cme_bound",
     "The core waited for results of the matrix unit: let it do something else meanwhile."},
    {"backend_stall_interlock_ls_bound",
     "An instruction waited for what a load brings: load earlier, and use the value later."},
    {"backend_stall_interlock_ptr_chase_bound",
     "An address waited for the load that gives it: lists and trees are walked one step at a time; arrays of indices "
     "are not."},
    {"backend_stall_interlock_to_cme_bound", "The matrix unit waited for values of the core: compute them earlier."},
    {"backend_stall_interlock_vpu_bound",
     "An instruction waited for a result of the vector unit: several independent sums instead of one."},
    {"backend_stalled_cycles", "In these cycles nothing was issued because the backend had no room."},
    {"bad_speculation",
     "Work was thrown away because a branch was guessed wrong: make it predictable, or select without a branch."},
    {"cme_backend_bound", "The matrix unit had work but could not go on: for its units, or for data."},
    {"cme_backend_core_bound", "The matrix unit's own units or queues held it up, and not memory."},
    {"cme_backend_mem_bound", "The matrix unit waited for memory: for loads or for stores."},
    {"cme_backend_mem_cache_bound", "The matrix unit's loads missed caches: work on smaller tiles."},
    {"cme_backend_mem_store_bound",
     "The matrix unit's stores waited for room: keep sums in its array for longer, and store them once."},
    {"cme_backend_prefetch_bound",
     "The matrix unit waited for data that was asked for ahead but is not there yet: ask for it earlier."},
    {"cme_frontend_bound", "The matrix unit could do more than it was given."},
    {"cme_frontend_cpu_bound",
     "The core that uses the matrix unit gave it too little: less other work between matrix operations."},
    {"cme_frontend_other_bound",
     "The matrix unit worked for another core meanwhile: keep matrix work on fewer threads."},
    {"cme_retiring", "The matrix unit did useful work: fewer or wider operations are what is left to gain."},
    {"frontend_bound", "The core could do more than it was given: fetching and decoding were too slow."},
    {"frontend_cache_l1i_bound", "Code came from the second-level cache: it does not fit the first."},
    {"frontend_cache_l2i_bound",
     "Code came from beyond the second-level cache: there is too much of it, or it is used but once."},
    {"frontend_core_bound", "Fetching was held up in the core itself and not by memory."},
    {"frontend_core_flow_bound",
     "The flow of instructions was interrupted: taken branches close together, or barriers."},
    {"frontend_core_flush_bound", "The pipe was refilled after a wrong guess."},
    {"frontend_core_flush_machine_clear_bound",
     "The pipe was emptied for another reason than a wrong branch: accesses in the wrong order, barriers for "
     "instructions, exceptions."},
    {"frontend_core_flush_resteer_bound",
     "The pipe was refilled from elsewhere after a branch that was guessed wrong: make it predictable, or select "
     "without a branch."},
    {"frontend_mem_bound", "Fetching waited for memory: for code, or for the addresses of its pages."},
    {"frontend_mem_cache_bound", "Code missed caches: less of it, or hot functions side by side."},
    {"frontend_mem_tlb_bound",
     "Addresses of code were looked up in page tables: order functions by use, or use large pages."},
    {"frontend_stalled_cycles", "In these cycles nothing was issued because the frontend had nothing to give."},
    {"retiring", "Slots did useful work: fewer or wider instructions are what is left to gain."},
};

}  // namespace

std::string_view meaning_of(std::string_view name) {
  const auto* const found =
      std::lower_bound(std::begin(kMeanings), std::end(kMeanings), name,
                       [](const Meaning& row, std::string_view wanted) { return row.name < wanted; });
  return found != std::end(kMeanings) && found->name == name ? found->text : std::string_view{};
}

}  // namespace wperf::topdown
