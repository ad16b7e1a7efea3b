# bash completion for ckdb
_ckdb() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} cword=$COMP_CWORD i quote= kept= breaks code
  local words=("${COMP_WORDS[@]}")
  # What follows 'exec --' is another command line.
  for ((i = 1; i < COMP_CWORD; i++)); do
    [[ ${COMP_WORDS[i]} == -- ]] || continue
    if [[ " ${COMP_WORDS[*]:1:i-1} " == *[[:space:]]exec[[:space:]]* ]]; then
      if declare -F _command_offset >/dev/null; then
        IFS=$' \t\n' _command_offset $((i + 1))
      else
        compopt -o default
      fi
      return
    fi
  done
  if declare -F _get_comp_words_by_ref >/dev/null; then
    IFS=$' \t\n' _get_comp_words_by_ref -n '=:@' cur words cword
  fi
  for ((i = 1; i < cword; i++)); do
    case ${words[i]} in
      \"*\" | \'*\') words[i]=${words[i]:1:${#words[i]}-2} ;;
      *\\*) words[i]=${words[i]//\\/} ;;
    esac
  done
  case $cur in
    \"* | \'*) quote=${cur:0:1} cur=${cur:1} ;;
    *) cur=${cur//\\/} ;;
  esac
  COMPREPLY=($(ckdb __complete -- "${words[@]:1:cword-1}" "$cur" 2>/dev/null))
  code=$?
  if [[ $code -eq 1 ]]; then
    compopt -o default
    return
  fi
  compopt -o nosort 2>/dev/null
  if [[ ${#COMPREPLY[@]} -eq 1 ]]; then
    # More follows: bash closes the quote after a single word.
    if [[ $code -eq 3 && -n $quote ]]; then COMPREPLY+=("${COMPREPLY[0]} "); fi
    if [[ $code -eq 3 || ${COMPREPLY[0]} == *[=@/:\(] ]]; then compopt -o nospace; fi
  fi
  if [[ -z $quote ]]; then
    breaks=${COMP_WORDBREAKS//[^=:@]/}
    if [[ -n $breaks && $cur == *[$breaks]* ]]; then kept=${cur%"${cur##*[$breaks]}"}; fi
    for i in "${!COMPREPLY[@]}"; do
      COMPREPLY[i]=${COMPREPLY[i]#"$kept"}
      if [[ ${COMPREPLY[i]} == *[[:space:]\'\"\;\&\|\(\)]* ]]; then
        printf -v COMPREPLY[i] %q "${COMPREPLY[i]}"
      fi
    done
  fi
}
complete -F _ckdb ckdb
