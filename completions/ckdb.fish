# fish completion for ckdb
function __ckdb_complete
  set -l words (commandline -opc) (commandline -ct)
  ckdb __complete -- $words[2..-1] 2>/dev/null
end
complete -c ckdb -a '(__ckdb_complete)'
