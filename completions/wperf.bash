# bash completion for wperf. Source it, or put it into bash-completion's folder as `wperf`.
# Made from src/cli/options.cpp; do not edit.
_wperf_names() {
  wperf list 2>/dev/null | awk -v of="$1" '/-e\)$/ {kind = "-e"} /-m\)$/ {kind = "-m"} kind == of && NF > 1 && $1 !~ /^(List|Alias|Metric|Group|=+)$/ && !/SPE filter/ {print $1}'
}
# What stands before the last comma stays.
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
      list|-l) command=${command:-list} ;;
      man) command=${command:-man} ;;
      test) command=${command:-test} ;;
      detect) command=${command:-detect} ;;
      doctor) command=${command:-doctor} ;;
      --version) command=${command:---version} ;;
      -h|--help) command=${command:--h} ;;
    esac
  done
  case $previous in
    -C|-E|--pe_file|--pdb_file|--output-perf-data|--records|--output|-o|--output-csv)
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return ;;
    --output-prefix|--cwd)
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
    --color)
      mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current")
      return ;;
    --device)
      mapfile -t COMPREPLY < <(compgen -W 'driver linux sim sim:' -- "$current")
      return ;;
    -c|--cpu|--timeout|sleep|-i|-n|-r|--dmc|--config|--image_name|--record_spawn_delay|-p|--cores|--freq|--symbol|-s|--sample-display-row|--timeline|--symbol-path|--max-stack|--comm|--pid|--tid|--module|--time|--percent-limit) return ;;
  esac
  local words
  case $command in
    stat) words='-e -m -c --cpu --timeout sleep -t -i -n -r -k --dmc -C -E --config --pe_file --record_spawn_delay -p --json -q -v --verbose --output -o --output-csv --output-prefix --cwd --no-pager --device --force-lock' ;;
    sample) words='-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --max-stack --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device --force-lock' ;;
    record) words='-e -c --cpu --timeout sleep -k -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --max-stack --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device --force-lock' ;;
    report) words='--symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color' ;;
    waits) words='--timeout sleep -p --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --symbol-path -g --call-graph --max-stack --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --color --device' ;;
    list) words='-C -E --json -q -v --verbose --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    man) words='--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    test) words='-e -m -C -E --config --json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    detect) words='--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    doctor) words='--json -q --output -o --output-prefix --cwd --no-pager --device' ;;
    --version) words='--json -q --output -o --output-prefix --cwd --no-pager --device --force-lock' ;;
    -h) words='--no-pager --all' ;;
    *) words='stat sample record report waits list -l man test detect doctor --version -h --help help -e -m -c --cpu --timeout sleep -t -i -n -r -k --dmc -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --max-stack --mem --records --sort --comm --pid --tid --module --time --percentage --percent-limit --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-csv --output-prefix --cwd --no-pager --color --device --force-lock --all' ;;
  esac
  if [[ $command == @(report|waits) && $current != -* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _wperf wperf wperf.exe
