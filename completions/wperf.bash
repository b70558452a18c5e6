# bash completion for wperf. Source it, or put it into bash-completion's folder as `wperf`.
# Made from src/cli/options.cpp; do not edit.
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
    --device)
      mapfile -t COMPREPLY < <(compgen -W 'driver linux sim sim:' -- "$current")
      return ;;
    -e|-m|-c|--cpu|--config|--image_name|--cores|--symbol|-s|--by|--symbol-path|--call-graph|--sort|--comm|--pid|--tid|--module|--time|--percentage|-n|--dmc|--record_spawn_delay|-p|--freq|--sample-display-row|--timeline|--timeout|sleep|-i) return ;;
  esac
  local words
  case $command in
    stat) words='-e -m -c --cpu --timeout sleep -t -i -n -k --dmc -C -E --config --pe_file --record_spawn_delay -p --json -q -v --verbose --output -o --output-csv --output-prefix --cwd --device --force-lock' ;;
    sample) words='-e -c --cpu --timeout sleep -k -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --mem --records --sort --comm --pid --tid --module --time --percentage --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --device --force-lock' ;;
    record) words='-e -c --cpu --timeout sleep -k -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --mem --records --sort --comm --pid --tid --module --time --percentage --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd --device --force-lock' ;;
    report) words='--symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --symbol-path --mem --records --sort --comm --pid --tid --module --time --percentage --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-prefix --cwd' ;;
    list) words='-C -E --json -q -v --verbose --output -o --output-prefix --cwd --device --force-lock' ;;
    man) words='--json -q --output -o --output-prefix --cwd --device --force-lock' ;;
    test) words='-e -m -C -E --config --json -q --output -o --output-prefix --cwd --device --force-lock' ;;
    detect) words='--json -q --output -o --output-prefix --cwd --device --force-lock' ;;
    doctor) words='--json -q --output -o --output-prefix --cwd --device' ;;
    --version) words='--json -q --output -o --output-prefix --cwd --device --force-lock' ;;
    -h) words='' ;;
    *) words='stat sample record report list -l man test detect doctor --version -h --help -e -m -c --cpu --timeout sleep -t -i -n -k --dmc -C -E --config --pe_file --pdb_file --image_name --record_spawn_delay -p --cores --all-cores --jitter --freq --symbol -s --sample-display-row --sample-display-long --annotate --disassemble --by --timeline --symbol-path --export_perf_data --output-perf-data -g --call-graph --mem --records --sort --comm --pid --tid --module --time --percentage --children --tree --callers --callees --folded --inline --debuginfod --json -q -v --verbose --output -o --output-csv --output-prefix --cwd --device --force-lock' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _wperf wperf wperf.exe
