# fish completion for ckdb
function __ckdb_complete
  set -l words (commandline -opc) (commandline -ct | string replace -r '^["\']' '')
  set -l found (ckdb __complete --descriptions -- $words[2..-1] 2>/dev/null)
  set -l code $status
  test (count $found) -gt 0; and printf '%s\n' $found
  # More follows: fish closes the quote after a single word.
  test $code -eq 3 -a (count $found) -eq 1; and echo "$found "
  return $code
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
