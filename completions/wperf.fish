# fish completion for wperf. Put it into a folder of $fish_complete_path as `wperf.fish`.
# Made from src/app/cli/options.cpp; do not edit.
function __wperf_names
  set -l of $argv[1]
  wperf list 2>/dev/null | awk -v of="$of" '/-e\)$/ {kind = "-e"} /-m\)$/ {kind = "-m"} kind == of && NF > 1 && $1 !~ /^(List|Alias|Metric|Group|=+)$/ && !/SPE filter/ {print $1}'
end
# Text before the last comma stays.
function __wperf_list
  set -l kept (string match -r -- '.*,' (commandline -ct))
  printf '%s\n' "$kept"$argv
end
function __wperf_offer
  set -l current (commandline -ct)
  set -l before (commandline -opc)
  set -e before[1]
  set -l command ''
  for i in (seq (count $before))
    switch $before[$i]
      case --
        set -e before[1..$i]
        complete -C (string join ' ' -- (string escape -- $before) "$current")
        return
      case stat
        test -n "$command"; or set command stat
      case sample
        test -n "$command"; or set command sample
      case record
        test -n "$command"; or set command record
      case report
        test -n "$command"; or set command report
      case waits
        test -n "$command"; or set command waits
      case push
        test -n "$command"; or set command push
      case pgo
        test -n "$command"; or set command pgo
      case topdown
        test -n "$command"; or set command topdown
      case top
        test -n "$command"; or set command top
      case diff
        test -n "$command"; or set command diff
      case bench
        test -n "$command"; or set command bench
      case list -l
        test -n "$command"; or set command list
      case man
        test -n "$command"; or set command man
      case test
        test -n "$command"; or set command test
      case detect
        test -n "$command"; or set command detect
      case machine
        test -n "$command"; or set command machine
      case guide
        test -n "$command"; or set command guide
      case mcp
        test -n "$command"; or set command mcp
      case schema
        test -n "$command"; or set command schema
      case doctor
        test -n "$command"; or set command doctor
      case --version
        test -n "$command"; or set command --version
      case -h --help
        test -n "$command"; or set command -h
    end
  end
  switch "$before[-1]"
    case -C -E --pe_file --pdb_file --output-perf-data --records --html --svg --record --baseline --save-baseline --junit --markdown --output -o --output-csv --binary --token-file
      __fish_complete_path "$current"
      return
    case --symbol-path --output-prefix --cwd --spool --root
      __fish_complete_directories "$current" ''
      return
    case -e
      __wperf_list (__wperf_names -e)
      return
    case -m
      __wperf_list (__wperf_names -m)
      return
    case --by
      __wperf_list process thread module core caller
      return
    case --call-graph
      printf '%s\n' auto fp dwarf
      return
    case --sort
      __wperf_list comm pid tid core cputype module symbol line
      return
    case --percentage
      printf '%s\n' absolute relative
      return
    case --export
      printf '%s\n' pprof firefox speedscope folded chrome perfetto perfetto-perf callgrind otlp csv sql perf.data prometheus
      return
    case --format
      printf '%s\n' llvm extbinary llvm-unsymbolized bolt spt
      return
    case --to
      printf '%s\n' pyroscope pyroscope-ingest parca otlp clickhouse
      return
    case --color
      printf '%s\n' auto always never
      return
    case --device
      printf '%s\n' driver etw linux sim sim: windowsperf etw:fake windowsperf:fake
      return
    case -c --cpu --timeout sleep -i -n -r --dmc --config --image_name --record_spawn_delay -p --cores --freq --symbol -s --sample-display-row --timeline --max-stack --comm --pid --tid --module --time --span --parallelism --percent-limit --level --node --counters --min --warmup --per --fail-if --listen --push --every --url --label --tenant --spool-limit --affinity
      return
  end
  if contains -- "$command" report waits push pgo diff; and not string match -q -- '-*' "$current"
    __fish_complete_path "$current"
    return
  end
  switch "$command"
    case stat
      printf '%s\t%s\n' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -m 'Metrics or groups of metrics from `wperf list`, separated by commas' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -t 'Timeline: count repeatedly, pause between the counts, and write one CSV file per kind of counter' \
        -i 'Pause between two counts of a timeline' \
        -n 'Number of counts in a timeline (-t); -r repeats a program without one' \
        -r 'Run and count the program RUNS times, 1 to 1000, and show means and standard deviations' \
        -k 'Include events that happen in kernel mode' \
        --dmc 'Count on this channel of the DDR memory controller only' \
        -C 'Read metrics from FILE, one NAME:EVENTS per line; # starts a comment' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --pe_file 'Program to start or to sample' \
        --record_spawn_delay 'Let the started program run this long before measuring' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --export 'Write the recording in the format of another tool to the FILE of -o, or with -o - to stdout: pprof, firefox, speedscope, folded, chrome, perfetto, perfetto-perf, callgrind, otlp, csv, sql, perf.data' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-csv 'Write the CSV of a timeline to FILE' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --listen 'Count repeatedly, each time for --timeout (default 1 s), and serve the counts to Prometheus at http://ADDRESS:PORT/metrics until Ctrl-C' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case sample
      printf '%s\t%s\n' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -k 'Include events that happen in kernel mode' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --pe_file 'Program to start or to sample' \
        --pdb_file 'PDB file with symbols of the program or of one of its modules; the identity in the file decides which' \
        --image_name 'Running program to sample' \
        --record_spawn_delay 'Let the started program run this long before measuring' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --cores 'Sample several cores at once: numbers and ranges such as 0,4-7' \
        --all-cores 'Sample all cores at once' \
        --jitter 'Vary each interval by up to half in both directions, so that sampling does not run in step with a loop' \
        --freq 'Adapt the intervals so that each core gives about HZ samples per second of every event, 1 to 50000' \
        --print-wprp 'Do not sample; print a recording profile (.wprp) with which wpr.exe of Windows records the same' \
        --symbol 'Show only functions with this name' \
        -s 'Show only functions with this name' \
        --sample-display-row 'Number of functions to show for each event' \
        --sample-display-long 'Show decorated function names' \
        --annotate 'Show the source lines of the samples' \
        --disassemble 'Also show the instructions of the samples' \
        --by 'Add tables by process, thread, module, core or caller (who calls the hot functions), separated by commas' \
        --timeline 'Add to the JSON how many samples each function had in every interval of this length' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --export_perf_data 'Also write the samples to perf.data, in the current folder or in that of --output-prefix, for perf and tools that read its files' \
        --output-perf-data 'Same as --export_perf_data, but write to FILE' \
        -g 'Record call stacks' \
        --call-graph 'Record call stacks' \
        --python 'Record call stacks with the functions and lines of Python programs, in place of the interpreter\'s own frames' \
        --python=native 'Same as --python, but keep the interpreter\'s own frames, too' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --max-stack 'Record at most N callers per sample, 1 to 127 (default 127)' \
        --mem 'With SPE: show where loads and stores waited and for what, by data source, function, line, page and cache line; also branch mispredictions, TLB walks and false sharing' \
        --records 'With SPE: also write each record as a line of FILE, as JSON if its name ends in .json, otherwise as CSV; with - print the records instead of tables, as JSON with --json' \
        --sort 'Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --latency 'Weight each sample by the time that passed' \
        --percentage 'Base of percentages: `absolute` (default) means all samples, `relative` the samples that pass the filters' \
        --percent-limit 'Hide entries below PERCENT in call trees' \
        --children 'Add a column with the inclusive cost of each function: its own and that of the functions it called' \
        --tree 'Show the call tree, from the outermost caller down' \
        --callers 'Show who called the hot functions' \
        --callees 'Show what the hot functions called' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --html-all 'With --html: store the exact time of each sample instead of the 20 ms interval it was in' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --push 'Send a profile of each period to a server, as `wperf push` does, until Ctrl-C, the end of the program or of --timeout' \
        --every 'With --push: length of a period (default 60 s)' \
        --to 'Kind of server: pyroscope (default), pyroscope-ingest (its older /ingest), parca, otlp or clickhouse (a database; its name is the path of the URL)' \
        --label 'Label by which the server finds the profile, such as build=1234 or host=$(hostname)' \
        --token-file 'File with the server\'s token or with USER:PASSWORD' \
        --plain-token 'Allow sending the token over http:// to another machine, where anyone on the network path can read it' \
        --tenant 'Tenant, on a multi-tenant server (header X-Scope-OrgID)' \
        --spool 'Keep profiles in this folder if they cannot be sent, and send them with the next one' \
        --spool-limit 'Maximum size of the spool folder, with K, M or G' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case record
      printf '%s\t%s\n' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -k 'Include events that happen in kernel mode' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --pe_file 'Program to start or to sample' \
        --pdb_file 'PDB file with symbols of the program or of one of its modules; the identity in the file decides which' \
        --image_name 'Running program to sample' \
        --record_spawn_delay 'Let the started program run this long before measuring' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --cores 'Sample several cores at once: numbers and ranges such as 0,4-7' \
        --all-cores 'Sample all cores at once' \
        --jitter 'Vary each interval by up to half in both directions, so that sampling does not run in step with a loop' \
        --freq 'Adapt the intervals so that each core gives about HZ samples per second of every event, 1 to 50000' \
        --pgo 'Record for `wperf pgo`, which makes a profile for compilers: choose a high rate, and the event that best shows on this machine how often code runs' \
        --print-wprp 'Do not sample; print a recording profile (.wprp) with which wpr.exe of Windows records the same' \
        --symbol 'Show only functions with this name' \
        -s 'Show only functions with this name' \
        --sample-display-row 'Number of functions to show for each event' \
        --sample-display-long 'Show decorated function names' \
        --annotate 'Show the source lines of the samples' \
        --disassemble 'Also show the instructions of the samples' \
        --by 'Add tables by process, thread, module, core or caller (who calls the hot functions), separated by commas' \
        --timeline 'Add to the JSON how many samples each function had in every interval of this length' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --export_perf_data 'Also write the samples to perf.data, in the current folder or in that of --output-prefix, for perf and tools that read its files' \
        --output-perf-data 'Same as --export_perf_data, but write to FILE' \
        -g 'Record call stacks' \
        --call-graph 'Record call stacks' \
        --python 'Record call stacks with the functions and lines of Python programs, in place of the interpreter\'s own frames' \
        --python=native 'Same as --python, but keep the interpreter\'s own frames, too' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --max-stack 'Record at most N callers per sample, 1 to 127 (default 127)' \
        --mem 'With SPE: show where loads and stores waited and for what, by data source, function, line, page and cache line; also branch mispredictions, TLB walks and false sharing' \
        --records 'With SPE: also write each record as a line of FILE, as JSON if its name ends in .json, otherwise as CSV; with - print the records instead of tables, as JSON with --json' \
        --sort 'Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --branches 'Show which code branched where: how often, how often the prediction was wrong, and how many cycles passed' \
        --latency 'Weight each sample by the time that passed' \
        --percentage 'Base of percentages: `absolute` (default) means all samples, `relative` the samples that pass the filters' \
        --percent-limit 'Hide entries below PERCENT in call trees' \
        --children 'Add a column with the inclusive cost of each function: its own and that of the functions it called' \
        --tree 'Show the call tree, from the outermost caller down' \
        --callers 'Show who called the hot functions' \
        --callees 'Show what the hot functions called' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --html-all 'With --html: store the exact time of each sample instead of the 20 ms interval it was in' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --push 'Send a profile of each period to a server, as `wperf push` does, until Ctrl-C, the end of the program or of --timeout' \
        --every 'With --push: length of a period (default 60 s)' \
        --to 'Kind of server: pyroscope (default), pyroscope-ingest (its older /ingest), parca, otlp or clickhouse (a database; its name is the path of the URL)' \
        --label 'Label by which the server finds the profile, such as build=1234 or host=$(hostname)' \
        --token-file 'File with the server\'s token or with USER:PASSWORD' \
        --plain-token 'Allow sending the token over http:// to another machine, where anyone on the network path can read it' \
        --tenant 'Tenant, on a multi-tenant server (header X-Scope-OrgID)' \
        --spool 'Keep profiles in this folder if they cannot be sent, and send them with the next one' \
        --spool-limit 'Maximum size of the spool folder, with K, M or G' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case report
      printf '%s\t%s\n' \
        --symbol 'Show only functions with this name' \
        -s 'Show only functions with this name' \
        --sample-display-row 'Number of functions to show for each event' \
        --sample-display-long 'Show decorated function names' \
        --annotate 'Show the source lines of the samples' \
        --disassemble 'Also show the instructions of the samples' \
        --by 'Add tables by process, thread, module, core or caller (who calls the hot functions), separated by commas' \
        --timeline 'Add to the JSON how many samples each function had in every interval of this length' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --mem 'With SPE: show where loads and stores waited and for what, by data source, function, line, page and cache line; also branch mispredictions, TLB walks and false sharing' \
        --records 'With SPE: also write each record as a line of FILE, as JSON if its name ends in .json, otherwise as CSV; with - print the records instead of tables, as JSON with --json' \
        --sort 'Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --idle 'Include samples of idle cores' \
        --providers 'For a Windows trace: list its events by provider and kind, with their number, bytes, first and last time' \
        --spans 'For a Windows trace: list the spans that programs marked with start and stop events, by provider and name: how often, how long, and how long their threads ran in them' \
        --span 'For a Windows trace: use only samples that a thread took between the start event and the stop event of this span' \
        --branches 'Show which code branched where: how often, how often the prediction was wrong, and how many cycles passed' \
        --latency 'Weight each sample by the time that passed' \
        --parallelism 'Use only samples taken while N threads of the program ran, or N to M; 1 means that no other thread ran' \
        --percentage 'Base of percentages: `absolute` (default) means all samples, `relative` the samples that pass the filters' \
        --percent-limit 'Hide entries below PERCENT in call trees' \
        --children 'Add a column with the inclusive cost of each function: its own and that of the functions it called' \
        --tree 'Show the call tree, from the outermost caller down' \
        --callers 'Show who called the hot functions' \
        --callees 'Show what the hot functions called' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --export 'Write the recording in the format of another tool to the FILE of -o, or with -o - to stdout: pprof, firefox, speedscope, folded, chrome, perfetto, perfetto-perf, callgrind, otlp, csv, sql, perf.data' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --html-all 'With --html: store the exact time of each sample instead of the 20 ms interval it was in' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --label 'Label by which the server finds the profile, such as build=1234 or host=$(hostname)' \
        --token-file 'File with the server\'s token or with USER:PASSWORD' \
        --plain-token 'Allow sending the token over http:// to another machine, where anyone on the network path can read it' \
        --tenant 'Tenant, on a multi-tenant server (header X-Scope-OrgID)' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never'
    case waits
      printf '%s\t%s\n' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --symbol 'Show only functions with this name' \
        -s 'Show only functions with this name' \
        --sample-display-row 'Number of functions to show for each event' \
        --sample-display-long 'Show decorated function names' \
        --annotate 'Show the source lines of the samples' \
        --disassemble 'Also show the instructions of the samples' \
        --by 'Add tables by process, thread, module, core or caller (who calls the hot functions), separated by commas' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        -g 'Record call stacks' \
        --call-graph 'Record call stacks' \
        --python 'Record call stacks with the functions and lines of Python programs, in place of the interpreter\'s own frames' \
        --python=native 'Same as --python, but keep the interpreter\'s own frames, too' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --max-stack 'Record at most N callers per sample, 1 to 127 (default 127)' \
        --records 'With SPE: also write each record as a line of FILE, as JSON if its name ends in .json, otherwise as CSV; with - print the records instead of tables, as JSON with --json' \
        --sort 'Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --percentage 'Base of percentages: `absolute` (default) means all samples, `relative` the samples that pass the filters' \
        --percent-limit 'Hide entries below PERCENT in call trees' \
        --children 'Add a column with the inclusive cost of each function: its own and that of the functions it called' \
        --tree 'Show the call tree, from the outermost caller down' \
        --callers 'Show who called the hot functions' \
        --callees 'Show what the hot functions called' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --html-all 'With --html: store the exact time of each sample instead of the 20 ms interval it was in' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --critical-path 'Show the critical path: the chain of threads that determined when the recording, or the range of --time, ended' \
        --min 'List only waits of at least this length: a number with one of the units us, ms, s (default ms)' \
        --on-off 'Show where threads ran, were ready and waited, in nanoseconds: as one tree, or with --folded as one list of stacks' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine'
    case push
      printf '%s\t%s\n' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        -q 'Print no text' \
        --url 'Address of the server, http:// or https://, without the path of its API' \
        --to 'Kind of server: pyroscope (default), pyroscope-ingest (its older /ingest), parca, otlp or clickhouse (a database; its name is the path of the URL)' \
        --label 'Label by which the server finds the profile, such as build=1234 or host=$(hostname)' \
        --token-file 'File with the server\'s token or with USER:PASSWORD' \
        --plain-token 'Allow sending the token over http:// to another machine, where anyone on the network path can read it' \
        --tenant 'Tenant, on a multi-tenant server (header X-Scope-OrgID)' \
        --spool 'Keep profiles in this folder if they cannot be sent, and send them with the next one' \
        --spool-limit 'Maximum size of the spool folder, with K, M or G'
    case pgo
      printf '%s\t%s\n' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --format 'Format of the profile: llvm (for clang and rustc), extbinary (the same in binary form), llvm-unsymbolized (for llvm-profgen), bolt, or spt (for MSVC)' \
        --binary 'Program or library that the profile is for: its file, which must be of the recorded build, or its name'
    case topdown
      printf '%s\t%s\n' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -k 'Include events that happen in kernel mode' \
        --pe_file 'Program to start or to sample' \
        --record_spawn_delay 'Let the started program run this long before measuring' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --level 'Deepest level of the tree to show; 1 is the first' \
        --node 'Node of the tree to look into, such as backend_mem_bound' \
        --counts-only 'Skip the last run, which samples the functions' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case top
      printf '%s\t%s\n' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -k 'Include events that happen in kernel mode' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --pe_file 'Program to start or to sample' \
        --pdb_file 'PDB file with symbols of the program or of one of its modules; the identity in the file decides which' \
        --record_spawn_delay 'Let the started program run this long before measuring' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --cores 'Sample several cores at once: numbers and ranges such as 0,4-7' \
        --all-cores 'Sample all cores at once' \
        --jitter 'Vary each interval by up to half in both directions, so that sampling does not run in step with a loop' \
        --freq 'Adapt the intervals so that each core gives about HZ samples per second of every event, 1 to 50000' \
        --sample-display-row 'Number of functions to show for each event' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --python 'Record call stacks with the functions and lines of Python programs, in place of the interpreter\'s own frames' \
        --python=native 'Same as --python, but keep the interpreter\'s own frames, too' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --once 'Sample once, for the length of --every, and print the result; with --json as one document' \
        --waits 'Also record context switches, and show in which functions threads wait, how long and what for' \
        --counters 'Also count these events and show their rates' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --every 'With --push: length of a period (default 60 s)' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case diff
      printf '%s\t%s\n' \
        --symbol 'Show only functions with this name' \
        -s 'Show only functions with this name' \
        --sample-display-row 'Number of functions to show for each event' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --sort 'Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --per 'Unit of comparison: `run` (default) compares costs per run, `share` as shares of all samples, `second` per second; or the name of an event that was also counted or sampled, such as inst_retired' \
        --fail-if 'Exit with 5 if a cost grew significantly by more than the limit: \'elapsed>5%\', \'cpu-time>5%\', \'inst_retired>0.5%\', \'function:parse>5%\', \'inclusive:parse>5%\' (including the functions it calls; needs call stacks), \'module:libz.so.1>10%\', \'line:main.c:12>3%\' (with --sort symbol,line)' \
        --junit 'Write the conditions of --fail-if as JUnit tests, which CI systems show; - means stdout' \
        --markdown 'Write the comparison as Markdown; - means stdout' \
        --github 'Also print failed conditions as annotations that GitHub shows next to the code; on stderr if stdout is a document' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --token-file 'File with the server\'s token or with USER:PASSWORD' \
        --plain-token 'Allow sending the token over http:// to another machine, where anyone on the network path can read it' \
        --tenant 'Tenant, on a multi-tenant server (header X-Scope-OrgID)' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never'
    case bench
      printf '%s\t%s\n' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -n 'Number of counts in a timeline (-t); -r repeats a program without one' \
        -k 'Include events that happen in kernel mode' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --jitter 'Vary each interval by up to half in both directions, so that sampling does not run in step with a loop' \
        --freq 'Adapt the intervals so that each core gives about HZ samples per second of every event, 1 to 50000' \
        --sample-display-row 'Number of functions to show for each event' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        -g 'Record call stacks' \
        --call-graph 'Record call stacks' \
        --max-stack 'Record at most N callers per sample, 1 to 127 (default 127)' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --record 'Record each run to NAME-before-1.data, NAME-after-1.data and so on, and show which functions changed' \
        --warmup 'Number of warm-up runs of both programs before counting, 0 to 1000 (default 0), so that their files are in memory' \
        --baseline 'Compare one program with the baseline that --save-baseline wrote to FILE' \
        --save-baseline 'Write the cost of each run to FILE, for --baseline' \
        --show-output 'Show the output of the programs' \
        --per 'Unit of comparison: `run` (default) compares costs per run, `share` as shares of all samples, `second` per second; or the name of an event that was also counted or sampled, such as inst_retired' \
        --fail-if 'Exit with 5 if a cost grew significantly by more than the limit: \'elapsed>5%\', \'cpu-time>5%\', \'inst_retired>0.5%\', \'function:parse>5%\', \'inclusive:parse>5%\' (including the functions it calls; needs call stacks), \'module:libz.so.1>10%\', \'line:main.c:12>3%\' (with --sort symbol,line)' \
        --junit 'Write the conditions of --fail-if as JUnit tests, which CI systems show; - means stdout' \
        --markdown 'Write the comparison as Markdown; - means stdout' \
        --github 'Also print failed conditions as annotations that GitHub shows next to the code; on stderr if stdout is a document' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case list -l
      printf '%s\t%s\n' \
        -C 'Read metrics from FILE, one NAME:EVENTS per line; # starts a comment' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case man
      printf '%s\t%s\n' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case test
      printf '%s\t%s\n' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -m 'Metrics or groups of metrics from `wperf list`, separated by commas' \
        -C 'Read metrics from FILE, one NAME:EVENTS per line; # starts a comment' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case detect
      printf '%s\t%s\n' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case machine
      printf '%s\n' start run ps kill stop
      printf '%s\t%s\n' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --affinity 'Cores on which the threads of the program may run, as a hexadecimal mask: 2 is core 1, as for `start /affinity` of Windows' \
        -d 'Do not wait for the program'
    case guide
      printf '%s\t%s\n'
    case mcp
      printf '%s\t%s\n' \
        --root 'Folder with the recordings that may be read; new ones are also put there' \
        --allow-record 'The assistant may start programs and measure them'
    case schema
      printf '%s\n' brief stat timeline sample spe report top waits topdown diff pgo branches records sample-line spans providers event-line list man test detect doctor selftest programs version
      printf '%s\t%s\n' \
        -q 'Print no text' \
        --no-pager 'Do not page text that is longer than the terminal'
    case doctor
      printf '%s\t%s\n' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --selftest 'Test each device of this machine with a program whose counts, shares and call stacks are known, for a few seconds each, and print the results as a block for a bug report' \
        --fix 'Clean up: stop trace sessions left behind by a wperf that was killed'
    case --version
      printf '%s\t%s\n' \
        --json 'Print the result as one JSON document and nothing else' \
        -q 'Print no text' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it'
    case -h --help
      printf '%s\t%s\n' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --all 'Show every command and option, as the manual page does'
    case ''
      printf '%s\t%s\n' \
        stat 'Count events on cores, either system-wide or while a program that wperf starts runs' \
        sample 'Sample a running program to find where in its code events happen' \
        record 'Start a program and sample it to find where in its code events happen' \
        report 'Report on a recording: a perf.data file made by wperf or perf, or a Windows trace (.etl, .etl.zip, .diagsession)' \
        waits 'Show why threads did not run: how long they ran, were ready and waited, in which functions, and which threads they waited for' \
        push 'Send a recording to a server: Pyroscope, Parca, an OpenTelemetry collector or ClickHouse' \
        pgo 'Turn recordings into a sample profile for a compiler (clang, MSVC) or for BOLT, and judge it: how many samples it has, which were dropped, and whether they are enough' \
        topdown 'Show what held a program back: how its cores\' pipeline slots were used, level by level, and which functions lost the most' \
        top 'Show live which functions of a program or of the whole machine are hot' \
        diff 'Compare two builds of a program by their recordings or by counts from `stat --json`: what grew, what shrank, by how much, and whether the change is significant' \
        bench 'Run two programs alternately, count events for both, and compare them as diff does' \
        list 'List the events, metrics and groups of metrics that -e and -m take' \
        -l 'List the events, metrics and groups of metrics that -e and -m take' \
        man 'Explain an event, a metric or a group of metrics, of this machine\'s CPU or of the named one' \
        test 'Show what the machine can count, the settings of wperf, and the schedule that the given events would get' \
        detect 'List the devices of the kernel driver' \
        machine 'Keep a simulated Windows on Arm machine on, run programs on it, and measure it from other terminals' \
        guide 'Print how to find a performance problem with wperf, on one page, for people and for assistants' \
        mcp 'Answer an assistant\'s questions about recordings over stdin and stdout, with the Model Context Protocol' \
        schema 'Print the JSON Schema of a document that --json prints; without NAME list them' \
        doctor 'Check everything a measurement needs and say how to get what is missing' \
        --version 'Show the versions of wperf and of its driver' \
        -h 'Show an overview of wperf' \
        --help 'Show an overview of wperf' \
        help 'Show an overview of wperf' \
        -e 'Events, separated by commas: names from `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces' \
        -m 'Metrics or groups of metrics from `wperf list`, separated by commas' \
        -c 'Cores to count on: numbers and ranges such as 0,4-7' \
        --cpu 'Cores to count on: numbers and ranges such as 0,4-7' \
        --timeout 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        sleep 'Length of one count or of the sampling: a number with up to two decimals and one of the units ms, s, m, h, d (default s)' \
        -t 'Timeline: count repeatedly, pause between the counts, and write one CSV file per kind of counter' \
        -i 'Pause between two counts of a timeline' \
        -n 'Number of counts in a timeline (-t); -r repeats a program without one' \
        -r 'Run and count the program RUNS times, 1 to 1000, and show means and standard deviations' \
        -k 'Include events that happen in kernel mode' \
        --dmc 'Count on this channel of the DDR memory controller only' \
        -C 'Read metrics from FILE, one NAME:EVENTS per line; # starts a comment' \
        -E 'Define more events: NAME:HEX,NAME:HEX, or a file with such lines' \
        --config 'Change a setting for this run' \
        --pe_file 'Program to start or to sample' \
        --pdb_file 'PDB file with symbols of the program or of one of its modules; the identity in the file decides which' \
        --image_name 'Running program to sample' \
        --record_spawn_delay 'Let the started program run this long before measuring' \
        -p 'Measure the running process with this number, including the threads and programs it starts' \
        --cores 'Sample several cores at once: numbers and ranges such as 0,4-7' \
        --all-cores 'Sample all cores at once' \
        --jitter 'Vary each interval by up to half in both directions, so that sampling does not run in step with a loop' \
        --freq 'Adapt the intervals so that each core gives about HZ samples per second of every event, 1 to 50000' \
        --pgo 'Record for `wperf pgo`, which makes a profile for compilers: choose a high rate, and the event that best shows on this machine how often code runs' \
        --print-wprp 'Do not sample; print a recording profile (.wprp) with which wpr.exe of Windows records the same' \
        --symbol 'Show only functions with this name' \
        -s 'Show only functions with this name' \
        --sample-display-row 'Number of functions to show for each event' \
        --sample-display-long 'Show decorated function names' \
        --annotate 'Show the source lines of the samples' \
        --disassemble 'Also show the instructions of the samples' \
        --by 'Add tables by process, thread, module, core or caller (who calls the hot functions), separated by commas' \
        --timeline 'Add to the JSON how many samples each function had in every interval of this length' \
        --symbol-path 'Where to look for symbols, in the format of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons' \
        --export_perf_data 'Also write the samples to perf.data, in the current folder or in that of --output-prefix, for perf and tools that read its files' \
        --output-perf-data 'Same as --export_perf_data, but write to FILE' \
        -g 'Record call stacks' \
        --call-graph 'Record call stacks' \
        --python 'Record call stacks with the functions and lines of Python programs, in place of the interpreter\'s own frames' \
        --python=native 'Same as --python, but keep the interpreter\'s own frames, too' \
        --python=functions 'Same as --python: each Python function is one frame' \
        --python=lines 'Same as --python, but each line of a Python function is one frame: parse:12 is line 12 of parse' \
        --max-stack 'Record at most N callers per sample, 1 to 127 (default 127)' \
        --mem 'With SPE: show where loads and stores waited and for what, by data source, function, line, page and cache line; also branch mispredictions, TLB walks and false sharing' \
        --records 'With SPE: also write each record as a line of FILE, as JSON if its name ends in .json, otherwise as CSV; with - print the records instead of tables, as JSON with --json' \
        --sort 'Columns of the table, separated by commas: comm, pid, tid, core, cputype (kind of core), module, symbol, line' \
        --comm 'Show only threads with these names, separated by commas, or one name that has commas' \
        --pid 'Show only these processes' \
        --tid 'Show only these threads' \
        --module 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]' \
        --time 'Read only samples in this range of time, in seconds of the recording: 1.5-3, 1.5- or -3' \
        --idle 'Include samples of idle cores' \
        --providers 'For a Windows trace: list its events by provider and kind, with their number, bytes, first and last time' \
        --spans 'For a Windows trace: list the spans that programs marked with start and stop events, by provider and name: how often, how long, and how long their threads ran in them' \
        --span 'For a Windows trace: use only samples that a thread took between the start event and the stop event of this span' \
        --branches 'Show which code branched where: how often, how often the prediction was wrong, and how many cycles passed' \
        --latency 'Weight each sample by the time that passed' \
        --parallelism 'Use only samples taken while N threads of the program ran, or N to M; 1 means that no other thread ran' \
        --percentage 'Base of percentages: `absolute` (default) means all samples, `relative` the samples that pass the filters' \
        --percent-limit 'Hide entries below PERCENT in call trees' \
        --children 'Add a column with the inclusive cost of each function: its own and that of the functions it called' \
        --tree 'Show the call tree, from the outermost caller down' \
        --callers 'Show who called the hot functions' \
        --callees 'Show what the hot functions called' \
        --folded 'Print only the stacks, one per line with its number of samples, as flame graph tools read them; with diff, two numbers: before and after' \
        --export 'Write the recording in the format of another tool to the FILE of -o, or with -o - to stdout: pprof, firefox, speedscope, folded, chrome, perfetto, perfetto-perf, callgrind, otlp, csv, sql, perf.data' \
        --inline 'Show functions that the compiler inlined as callees of the functions they were inlined into' \
        --html 'Write the recording as one HTML file that opens in any browser without a network: flame graph, timeline, tables, and with --annotate or --disassemble the code of hot functions' \
        --html-all 'With --html: store the exact time of each sample instead of the 20 ms interval it was in' \
        --svg 'Write a flame graph as an SVG picture; with diff, orange means grew and blue means shrank' \
        --critical-path 'Show the critical path: the chain of threads that determined when the recording, or the range of --time, ended' \
        --level 'Deepest level of the tree to show; 1 is the first' \
        --node 'Node of the tree to look into, such as backend_mem_bound' \
        --counts-only 'Skip the last run, which samples the functions' \
        --once 'Sample once, for the length of --every, and print the result; with --json as one document' \
        --waits 'Also record context switches, and show in which functions threads wait, how long and what for' \
        --counters 'Also count these events and show their rates' \
        --min 'List only waits of at least this length: a number with one of the units us, ms, s (default ms)' \
        --on-off 'Show where threads ran, were ready and waited, in nanoseconds: as one tree, or with --folded as one list of stacks' \
        --record 'Record each run to NAME-before-1.data, NAME-after-1.data and so on, and show which functions changed' \
        --warmup 'Number of warm-up runs of both programs before counting, 0 to 1000 (default 0), so that their files are in memory' \
        --baseline 'Compare one program with the baseline that --save-baseline wrote to FILE' \
        --save-baseline 'Write the cost of each run to FILE, for --baseline' \
        --show-output 'Show the output of the programs' \
        --per 'Unit of comparison: `run` (default) compares costs per run, `share` as shares of all samples, `second` per second; or the name of an event that was also counted or sampled, such as inst_retired' \
        --fail-if 'Exit with 5 if a cost grew significantly by more than the limit: \'elapsed>5%\', \'cpu-time>5%\', \'inst_retired>0.5%\', \'function:parse>5%\', \'inclusive:parse>5%\' (including the functions it calls; needs call stacks), \'module:libz.so.1>10%\', \'line:main.c:12>3%\' (with --sort symbol,line)' \
        --junit 'Write the conditions of --fail-if as JUnit tests, which CI systems show; - means stdout' \
        --markdown 'Write the comparison as Markdown; - means stdout' \
        --github 'Also print failed conditions as annotations that GitHub shows next to the code; on stderr if stdout is a document' \
        --debuginfod 'Ask the servers of DEBUGINFOD_URLS for files and debug information that this machine does not have' \
        --json 'Print the result as one JSON document and nothing else' \
        --brief 'Print a summary as Markdown, for programs and assistants that read little: a verdict, at most ten rows with their intervals, what was lost, what is ruled out, and the next command' \
        -q 'Print no text' \
        -v 'Show more details, in text and in JSON' \
        --verbose 'Show more details, in text and in JSON' \
        --output 'Write the JSON to FILE; -o - means --json' \
        -o 'Write the JSON to FILE; -o - means --json' \
        --output-csv 'Write the CSV of a timeline to FILE' \
        --output-prefix 'Folder for the files of --output and --output-csv' \
        --cwd 'Folder for the files of --output and --output-csv' \
        --listen 'Count repeatedly, each time for --timeout (default 1 s), and serve the counts to Prometheus at http://ADDRESS:PORT/metrics until Ctrl-C' \
        --push 'Send a profile of each period to a server, as `wperf push` does, until Ctrl-C, the end of the program or of --timeout' \
        --every 'With --push: length of a period (default 60 s)' \
        --format 'Format of the profile: llvm (for clang and rustc), extbinary (the same in binary form), llvm-unsymbolized (for llvm-profgen), bolt, or spt (for MSVC)' \
        --binary 'Program or library that the profile is for: its file, which must be of the recorded build, or its name' \
        --url 'Address of the server, http:// or https://, without the path of its API' \
        --to 'Kind of server: pyroscope (default), pyroscope-ingest (its older /ingest), parca, otlp or clickhouse (a database; its name is the path of the URL)' \
        --label 'Label by which the server finds the profile, such as build=1234 or host=$(hostname)' \
        --token-file 'File with the server\'s token or with USER:PASSWORD' \
        --plain-token 'Allow sending the token over http:// to another machine, where anyone on the network path can read it' \
        --tenant 'Tenant, on a multi-tenant server (header X-Scope-OrgID)' \
        --spool 'Keep profiles in this folder if they cannot be sent, and send them with the next one' \
        --spool-limit 'Maximum size of the spool folder, with K, M or G' \
        --no-pager 'Do not page text that is longer than the terminal' \
        --color 'Colour hot rows: auto (default) on a terminal unless NO_COLOR is set; always, for example for another pager; or never' \
        --device 'Device that measures: driver, windowsperf (Arm\'s driver), etw (tracing by Windows), linux, or sim[:KEY=VALUE,...] for the simulated machine' \
        --force-lock 'Take the driver from another wperf that holds it' \
        --selftest 'Test each device of this machine with a program whose counts, shares and call stacks are known, for a few seconds each, and print the results as a block for a bug report' \
        --fix 'Clean up: stop trace sessions left behind by a wperf that was killed' \
        --affinity 'Cores on which the threads of the program may run, as a hexadecimal mask: 2 is core 1, as for `start /affinity` of Windows' \
        -d 'Do not wait for the program' \
        --root 'Folder with the recordings that may be read; new ones are also put there' \
        --allow-record 'The assistant may start programs and measure them' \
        --all 'Show every command and option, as the manual page does'
  end
end
complete -c wperf -f -a '(__wperf_offer)'
