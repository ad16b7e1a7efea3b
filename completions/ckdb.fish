# fish completion for ckdb
function __ckdb_complete
  set -l words (commandline -opc) (commandline -ct)
  ckdb __complete -- $words[2..-1] 2>/dev/null
end
function __ckdb_wants_files
  __ckdb_complete >/dev/null
  test $status -eq 1
end
complete -c ckdb -f -a '(__ckdb_complete)'
complete -c ckdb -n __ckdb_wants_files -F
