# bash completion for wperf. Source it, or put it into bash-completion's folder as `wperf`.
# Made from src/app/cli/options.cpp; do not edit.
_wperf_names() {
  local of=$1
  wperf list 2>/dev/null | awk -v of="$of" '/-e\)$/ {kind = "-e"} /-m\)$/ {kind = "-m"} kind == of && NF > 1 && $1 !~ /^(List|Alias|Metric|Group|=+)$/ && !/SPE filter/ {print $1}'
}
# The words before the last comma remain.
_wperf_list() {
  mapfile -t COMPREPLY < <(compgen -P "${2%"${2##*,}"}" -W "$1" -- "${2##*,}")
  compopt -o nospace
}
_wperf() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} word command='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    if [[ $word == -- ]]; then
      compopt -o default
      return
    fi
    case $word in
      stat) command=${command:-stat} ;;
      sample) command=${command:-sample} ;;
      record) command=${command:-record} ;;
      report) command=${command:-report} ;;
      waits) command=${command:-waits} ;;
      push) command=${command:-push} ;;
      pgo) command=${command:-pgo} ;;
      topdown) command=${command:-topdown} ;;
      top) command=${command:-top} ;;
      diff) command=${command:-diff} ;;
      bench) command=${command:-bench} ;;
      list|-l) command=${command:-list} ;;
      man) command=${command:-man} ;;
      test) command=${command:-test} ;;
      detect) command=${command:-detect} ;;
      machine) command=${command:-machine} ;;
      guide) command=${command:-guide} ;;
      mcp) command=${command:-mcp} ;;
      schema) command=${command:-schema} ;;
      doctor) command=${command:-doctor} ;;
      --version) command=${command:---version} ;;
      -h|--help) command=${command:--h} ;;
    esac
  done
  case $previous in
    -C|-E|--pe_file|--pdb_file|--output-perf-data|--records|--html|--svg|--record|--baseline|--save-baseline|--junit|--markdown|--output|-o|--output-csv|--binary|--token-file)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return ;;
    --symbol-path|--output-prefix|--cwd|--spool|--root)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return ;;
    -e)
      _wperf_list "$(_wperf_names -e)" "$current"
      return ;;
    -m)
      _wperf_list "$(_wperf_names -m)" "$current"
      return ;;
    --by)
      _wperf_list 'process thread module core caller' "$current"
      return ;;
    --call-graph)
      mapfile -t COMPREPLY < <(compgen -W 'auto fp dwarf' -- "$current")
      return ;;
    --sort)
      _wperf_list 'comm pid tid core cputype module symbol line' "$current"
      return ;;
    --percentage)
      mapfile -t COMPREPLY < <(compgen -W 'absolute relative' -- "$current")
      return ;;
    --export)
      mapfile -t COMPREPLY < <(compgen -W 'pprof firefox speedscope folded chrome perfetto perfetto-perf callgrind otlp csv sql perf.data prometheus' -- "$current")
      return ;;
    --format)
      mapfile -t COMPREPLY < <(compgen -W 'llvm extbinary llvm-unsymbolized bolt spt' -- "$current")
      return ;;
    --to)
      mapfile -t COMPREPLY < <(compgen -W 'pyroscope pyroscope-ingest parca otlp clickhouse' -- "$current")
      return ;;
    --color)
      mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current")
      return ;;
    --device)
      mapfile -t COMPREPLY < <(compgen -W 'driver etw linux sim sim: windowsperf etw:fake windowsperf:fake' -- "$current")
      return ;;
    -c|--cpu|--timeout|sleep|-i|-n|-r|--dmc|--config|--image_name|--record_spawn_delay|-p|--cores|--freq|--symbol|-s|--sample-display-row|--timeline|--max-stack|--comm|--pid|--tid|--module|--time|--span|--parallelism|--percent-limit|--level|--node|--counters|--min|--warmup|--per|--fail-if|--listen|--push|--every|--url|--label|--tenant|--spool-limit|--affinity) return ;;
  esac
  local words
  case $command in
    stat) words='-e -m -c --cpu --timeout sleep -t -i -n -r -k --dmc -C -E --config --pe_file --record_spawn_delay -p --export --html --json --brief -q -v --verbose --output -o --output-csv --output-prefix --cwd --listen --no-pager --device --force-lock' ;;
    sample) words='-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --print-wprp --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --python --python=native --python=functions --python=lines --max-stack --mem --records --sort --comm --pid --tid --module --time --latency --percentage --percent-limit --children --tree --callers --callees --folded --inline --html --html-all --svg --debuginfod --json --brief -q -v --verbose --output -o --output-prefix --cwd --push --every --to --label --token-file --plain-token --tenant --spool --spool-limit --no-pager --color --device --force-lock' ;;
    record) words='-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --pgo --print-wprp --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --python --python=native --python=functions --python=lines --max-stack --mem --records --sort --comm --pid --tid --module --time --branches --latency --percentage --percent-limit --children --tree --callers --callees --folded --inline --html --html-all --svg --debuginfod --json --brief -q -v --verbose --output -o --output-prefix --cwd --push --every --to --label --token-file --plain-token --tenant --spool --spool-limit --no-pager --color --device --force-lock' ;;
    report) words='--symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --python=functions --python=lines --mem --records --sort --comm --pid --tid --module --time --idle --providers --spans --span --branches --latency --parallelism --percentage --percent-limit --children --tree --callers --callees --folded --export --inline --html --html-all --svg --debuginfod --json --brief -q -v --verbose --output -o --output-prefix --cwd --label --token-file --plain-token --tenant --no-pager --color' ;;
    waits) words='--timeout sleep -p --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --symbol-path -g --call-graph --python --python=native --python=functions --python=lines --max-stack --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --html --html-all --svg --critical-path --min --on-off --debuginfod --json --brief -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device' ;;
    push) words='--symbol-path --comm --pid --tid --module --time --inline --debuginfod -q --url --to --label --token-file --plain-token --tenant --spool --spool-limit' ;;
    pgo) words='--symbol-path --debuginfod --json -q --output -o --output-prefix --cwd --format --binary' ;;
    topdown) words='-c --cpu --timeout sleep -k --pe_file --record_spawn_delay -p --symbol-path --html --level --node --counts-only --debuginfod --json --brief -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    top) words='-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --record_spawn_delay -p --cores --all-cores --jitter --freq --sample-display-row --symbol-path --python --python=native --python=functions --python=lines --once --waits --counters --debuginfod --json -q --output -o --output-prefix --cwd --every --color --device --force-lock' ;;
    diff) words='--symbol -s --sample-display-row --symbol-path --python=functions --python=lines --sort --comm --pid --tid --module --time --folded --inline --html --svg --per --fail-if --junit --markdown --github --debuginfod --json --brief -q -v --verbose --output -o --output-prefix --cwd --token-file --plain-token --tenant --no-pager --color' ;;
    bench) words='-e -c --cpu --timeout sleep -n -k -E --config --jitter --freq --sample-display-row --symbol-path -g --call-graph --max-stack --folded --html --svg --record --warmup --baseline --save-baseline --show-output --per --fail-if --junit --markdown --github --debuginfod --json --brief -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device --force-lock' ;;
    list) words='-C -E --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    man) words='--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    test) words='-e -m -C -E --config --json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    detect) words='--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    machine) words='start run ps kill stop -c --cpu --json -q --output -o --output-prefix --cwd --device --affinity -d' ;;
    guide) words='' ;;
    mcp) words='--root --allow-record' ;;
    schema) words='brief stat timeline sample spe report top waits topdown diff pgo branches records sample-line spans providers event-line list man test detect doctor selftest programs version -q --no-pager' ;;
    doctor) words='--json --brief -q --output -o --output-prefix --cwd --no-pager --device --selftest --fix' ;;
    --version) words='--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    -h) words='--no-pager --all' ;;
    *) words='stat sample record report waits push pgo topdown top diff bench list -l man test detect machine guide mcp schema doctor --version -h --help help -e -m -c --cpu --timeout sleep -t -i -n -r -k --dmc -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --pgo --print-wprp --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --python --python=native --python=functions --python=lines --max-stack --mem --records --sort --comm --pid --tid --module --time --idle --providers --spans --span --branches --latency --parallelism --percentage --percent-limit --children --tree --callers --callees --folded --export --inline --html --html-all --svg --critical-path --level --node --counts-only --once --waits --counters --min --on-off --record --warmup --baseline --save-baseline --show-output --per --fail-if --junit --markdown --github --debuginfod --json --brief -q -v --verbose --output -o --output-csv --output-prefix --cwd --listen --push --every --format --binary --url --to --label --token-file --plain-token --tenant --spool --spool-limit --no-pager --color --device --force-lock --selftest --fix --affinity -d --root --allow-record --all' ;;
  esac
  if [[ $command == @(report|waits|push|pgo|diff) && $current != -* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _wperf wperf wperf.exe
