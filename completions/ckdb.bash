# bash completion for ckdb
_ckdb() {
  local IFS=$'\n' current=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(ckdb __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if [[ $? -eq 1 ]]; then
    compopt -o default
  elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[[:space:]]* ]]; then
    COMPREPLY=("$(printf %q "${COMPREPLY[0]}")")
  fi
}
complete -F _ckdb ckdb
