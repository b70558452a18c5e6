# PowerShell completion for wperf. Dot-source it from your $PROFILE.
# Made from src/cli/options.cpp; do not edit.
Register-ArgumentCompleter -Native -CommandName wperf, wperf.exe -ScriptBlock {
  param($word, $line, $cursor)
  $help = [System.Collections.Generic.Dictionary[string,string]]::new([StringComparer]::Ordinal)
  $optionsOf = [System.Collections.Generic.Dictionary[string,object]]::new([StringComparer]::Ordinal)
  $valuesOf = [System.Collections.Generic.Dictionary[string,object]]::new([StringComparer]::Ordinal)
  $help['stat'] = 'Count events on cores, while the machine does its work or while a program started for it runs'
  $help['sample'] = 'Sample a program that already runs: where in it the events happen'
  $help['record'] = 'Start a program and sample it: where in it the events happen'
  $help['report'] = 'Show what a recording holds: a perf.data file, made here or elsewhere'
  $help['waits'] = 'Show why threads did not run: how long they ran, were ready and waited, where, and for whom'
  $help['list'] = 'List the events, metrics and groups of metrics that -e and -m take'
  $help['-l'] = 'List the events, metrics and groups of metrics that -e and -m take'
  $help['man'] = 'Explain an event, a metric or a group of metrics, of the CPU of this machine or of the one named'
  $help['test'] = 'Show what the machine can count, how wperf is set, and the schedule that given events would get'
  $help['detect'] = 'List the devices of the kernel driver'
  $help['doctor'] = 'Check everything a measurement needs and name the way out of what is missing'
  $help['--version'] = 'Show the versions of wperf and of its driver'
  $help['-h'] = 'Show what wperf can do; behind a command that command alone, with its examples and options'
  $help['--help'] = 'Show what wperf can do; behind a command that command alone, with its examples and options'
  $help['-e'] = 'Events, separated by commas: names of `wperf list`, raw numbers such as r1b or 0x1b, and groups in braces, which are always counted at the same time'
  $help['-m'] = 'Metrics or groups of metrics of `wperf list`, separated by commas'
  $help['-c'] = 'Cores to count on: numbers and ranges such as 0,4-7'
  $help['--cpu'] = 'Cores to count on: numbers and ranges such as 0,4-7'
  $help['--timeout'] = 'How long one count or the sampling takes: a number with up to two decimals and a unit out of ms, s, m, h, d (default s)'
  $help['sleep'] = 'How long one count or the sampling takes: a number with up to two decimals and a unit out of ms, s, m, h, d (default s)'
  $help['-t'] = 'Timeline: count again and again, pause between the counts, and write one CSV file per kind of counter'
  $help['-i'] = 'Pause between two counts of a timeline'
  $help['-n'] = 'How many counts a timeline takes'
  $help['-r'] = 'Count the program to start RUNS times, 1 to 1000, and show means and standard deviations'
  $help['-k'] = 'Include what happens in kernel mode'
  $help['--dmc'] = 'Count on one channel of the DDR memory controller only'
  $help['-C'] = 'Read metrics from FILE: lines of NAME:EVENTS, # starts a comment'
  $help['-E'] = 'Name more events: NAME:HEX,NAME:HEX, or a file with such lines'
  $help['--config'] = 'Change a setting for this run'
  $help['--pe_file'] = 'The program to start or to sample'
  $help['--pdb_file'] = 'Symbols of the program or of one of its modules; the identity inside tells whose'
  $help['--image_name'] = 'The running program to sample'
  $help['--record_spawn_delay'] = 'Let a started program run this long before measuring'
  $help['-p'] = 'Measure the running process of this number, with the threads and programs it starts'
  $help['--cores'] = 'Sample several cores at once: numbers and ranges such as 0,4-7'
  $help['--all-cores'] = 'Sample all cores at once'
  $help['--jitter'] = 'Vary each interval by up to half either way, so that sampling does not fall into step with a loop'
  $help['--freq'] = 'Adapt the intervals until each core gives about HZ samples a second of every event, 1 to 50000'
  $help['--symbol'] = 'Show only functions of this name'
  $help['-s'] = 'Show only functions of this name'
  $help['--sample-display-row'] = 'Functions to show for each event'
  $help['--sample-display-long'] = 'Show decorated names of functions'
  $help['--annotate'] = 'Show the source lines of the samples'
  $help['--disassemble'] = 'Show the instructions of the samples too'
  $help['--by'] = 'Add tables: process, thread, module, core and caller (who calls the hot functions), separated by commas'
  $help['--timeline'] = 'Also tell in the JSON how many samples each function had in every stretch of this length'
  $help['--symbol-path'] = 'Where symbols may be, in the form of _NT_SYMBOL_PATH: folders and srv*CACHE*URL, separated by semicolons'
  $help['--export_perf_data'] = 'Also write the samples to perf.data in the current folder, or that of --output-prefix, for perf and its friends'
  $help['--output-perf-data'] = 'The same, to FILE'
  $help['-g'] = 'Record with each sample who called'
  $help['--call-graph'] = 'Record who called'
  $help['--max-stack'] = 'Record at most N callers with each sample, 1 to 127 (default 127); of copies of the stack all'
  $help['--mem'] = 'With SPE: where loads and stores waited and for what, by data source, function, line, page and cache line; branch mispredicts, TLB walks, false sharing'
  $help['--records'] = 'With SPE: also write every record on a line of FILE, as JSON if its name ends in .json, else as CSV; with - print them instead of tables, as JSON with --json'
  $help['--sort'] = 'Columns of the table; samples that agree in them are one row: comm, pid, tid, core, cputype (kind of core), module, symbol, line, separated by commas'
  $help['--comm'] = 'Show only threads of these names, separated by commas'
  $help['--pid'] = 'Show only these processes'
  $help['--tid'] = 'Show only these threads'
  $help['--module'] = 'Show only these modules: libc.so.6, /usr/bin/python3, [kernel]'
  $help['--time'] = 'Read only samples of this time, in seconds after the first one: 1.5-3, 1.5- or -3'
  $help['--percentage'] = 'What is 100 %: absolute, all samples, which is the default, or relative, those that the filters leave'
  $help['--percent-limit'] = 'Call trees leave out what has less'
  $help['--children'] = 'Count for each function also what it called, in a column of its own'
  $help['--tree'] = 'Show who called whom, from the outermost caller down'
  $help['--callers'] = 'Show who called the hot functions'
  $help['--callees'] = 'Show what the hot functions called'
  $help['--folded'] = 'Print stacks and nothing else, one a line with the number of its samples, as tools for flame graphs take them'
  $help['--inline'] = 'Show functions that the compiler put into others as callees of these'
  $help['--debuginfod'] = 'Ask the servers of DEBUGINFOD_URLS for files and debug information that are not on this machine'
  $help['--json'] = 'Print the result as one JSON document and nothing else'
  $help['-q'] = 'Print no text'
  $help['-v'] = 'Tell more, in text and in JSON'
  $help['--verbose'] = 'Tell more, in text and in JSON'
  $help['--output'] = 'Write the JSON to FILE'
  $help['-o'] = 'Write the JSON to FILE'
  $help['--output-csv'] = 'Write the CSV of a timeline to FILE'
  $help['--output-prefix'] = 'Where the files of --output and --output-csv go'
  $help['--cwd'] = 'Where the files of --output and --output-csv go'
  $help['--no-pager'] = 'Do not show text that is longer than the terminal in pages'
  $help['--color'] = 'Colour hot rows: auto, on a terminal without NO_COLOR, which is the default; always, for a pager that wperf does not start; or never'
  $help['--device'] = 'What measures: driver, linux, or sim[:KEY=VALUE,...] for the simulated machine'
  $help['--force-lock'] = 'Take the driver from another wperf that holds it'
  $help['--all'] = 'Every command and option, as on the manual page'
  $optionsOf['stat'] = '-e -m -c --cpu --timeout sleep -t -i -n -r -k --dmc -C -E --config --pe_file --record_spawn_delay -p --json -q -v --verbose --output -o --output-csv --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['sample'] = '-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --max-stack --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device --force-lock' -split ' '
  $optionsOf['record'] = '-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --max-stack --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device --force-lock' -split ' '
  $optionsOf['report'] = '--symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color' -split ' '
  $optionsOf['waits'] = '--timeout sleep -p --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --symbol-path -g --call-graph --max-stack --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device' -split ' '
  $optionsOf['list'] = '-C -E --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['-l'] = '-C -E --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['man'] = '--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['test'] = '-e -m -C -E --config --json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['detect'] = '--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['doctor'] = '--json -q --output -o --output-prefix --cwd --no-pager --device' -split ' '
  $optionsOf['--version'] = '--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' -split ' '
  $optionsOf['-h'] = '--no-pager --all' -split ' '
  $optionsOf['--help'] = '--no-pager --all' -split ' '
  $valuesOf['--by'] = 'process thread module core caller' -split ' '
  $valuesOf['--call-graph'] = 'auto fp dwarf' -split ' '
  $valuesOf['--sort'] = 'comm pid tid core cputype module symbol line' -split ' '
  $valuesOf['--percentage'] = 'absolute relative' -split ' '
  $valuesOf['--color'] = 'auto always never' -split ' '
  $valuesOf['--device'] = 'driver linux sim sim:' -split ' '
  $valued = '-c --cpu --timeout sleep -i -n -r --dmc -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --freq --symbol -s --sample-display-row --timeline --symbol-path --output-perf-data --max-stack --records --comm --pid --tid --module --time --percent-limit --output -o --output-csv --output-prefix --cwd' -split ' '
  $everything = 'stat sample record report waits list -l man test detect doctor --version -h --help help -e -m -c --cpu --timeout sleep -t -i -n -r -k --dmc -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --max-stack --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-csv --output-prefix --cwd --no-pager --color --device --force-lock --all' -split ' '
  $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } |
      Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($before -ccontains '--') { return }
  $previous = if ($before.Count) { $before[-1] } else { '' }
  if ($valued -ccontains $previous) { return }
  $command = $before | Where-Object { $optionsOf.ContainsKey($_) } | Select-Object -First 1
  if (@('report', 'waits') -ccontains $command -and -not $word.StartsWith('-') -and -not $valuesOf.ContainsKey($previous)) { return }
  $kept = ''
  if ($previous -ceq '-e' -or $previous -ceq '-m') {
    $all = wperf list --json 2>$null | ConvertFrom-Json
    $offered = if ($previous -ceq '-e') { $all.Predefined_Events | Where-Object Event_Type -ne '[SPE filter]' |
      ForEach-Object Alias_Name } else { @($all.Predefined_Metrics.Metric) + @($all.Predefined_Groups_of_Metrics.Group) }
  } elseif ($valuesOf.ContainsKey($previous)) { $offered = $valuesOf[$previous] }
  elseif ($command) { $offered = $optionsOf[$command] } else { $offered = $everything }
  if ($word -match '^(.*,)([^,]*)$') { $kept = $Matches[1]; $word = $Matches[2] }
  $offered | Where-Object { $_.StartsWith($word, [StringComparison]::Ordinal) } | ForEach-Object {
    $tip = if ($help.ContainsKey($_)) { $help[$_] } else { $_ }
    [System.Management.Automation.CompletionResult]::new($kept + $_, $_, 'ParameterValue', $tip)
  }
}
