# fish completion for ckdb
function __ckdb_complete
  set -l words (commandline -opc) (commandline -ct | string replace -r '^["\']' '')
  ckdb __complete --descriptions -- $words[2..-1] 2>/dev/null
end
function __ckdb_wants_files
  __ckdb_complete >/dev/null
  test $status -eq 1
end
# What follows 'exec --' is another command line.
function __ckdb_is_inner
  set -l words (commandline -opc)
  set -l place (contains -i -- -- $words)
  and contains -- exec $words[1..$place]
end
function __ckdb_inner
  set -l words (commandline -opc)
  set -l place (contains -i -- -- $words)
  set -l inner (string escape -- $words[(math $place + 1)..-1]) (commandline -ct)
  complete -C (string join ' ' -- $inner)
end
complete -c ckdb -f
complete -c ckdb -n 'not __ckdb_is_inner' -k -a '(__ckdb_complete)'
complete -c ckdb -n 'not __ckdb_is_inner; and __ckdb_wants_files' -F
complete -c ckdb -n __ckdb_is_inner -a '(__ckdb_inner)'
