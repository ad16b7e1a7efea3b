internal import Basics
internal import CommandKit

/// `ckdb completion bash|zsh|fish`
enum CompletionCommand {
  static let shell = Operand("SHELL", ValueKind<Shell>.choice("SHELL"), "bash, zsh or fish")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(shell)],
      discussion: "The script calls 'ckdb __complete' for the candidates at the cursor.",
      examples: [.init("Enable completion in this bash session", "source <(ckdb completion bash)")]
    ) { arguments, context in
      context.output.write(arguments.required(shell).script)
    }
  }
}

/// The shells that completion supports.
enum Shell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// The script that makes the shell ask this program for candidates.
  var script: String {
    switch self {
    case .bash: Self.bashScript
    case .zsh: Self.zshScript
    case .fish: Self.fishScript
    }
  }

  /// Rejoins the words that bash splits at `=`, `:` and `@`; bash replaces only the part after the
  /// last of these.
  private static let bashScript = #"""
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

    """#

  private static let zshScript = #"""
    #compdef ckdb
    # zsh completion for ckdb
    _ckdb() {
      local -a lines open whole opentexts wholetexts
      local line word i
      # What follows 'exec --' is another command line.
      i=${words[(i)--]}
      if (( i < CURRENT && ${words[(i)exec]} < i )); then
        words=("${(@)words[i+1,-1]}")
        (( CURRENT -= i ))
        _normal
        return
      fi
      words=("${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}")
      line=$(ckdb __complete --descriptions -- "${(@)words}" 2>/dev/null)
      i=$?
      lines=("${(@f)line}")
      if (( i == 1 )); then
        _files
        return
      fi
      for line in $lines; do
        word=${line%%$'\t'*}
        line=${line#*$'\t'}
        [[ $line == $word ]] || line="$word  -- $line"
        if (( i == 3 )) || [[ $word == *[=@/:\(] ]]; then
          open+=("$word") opentexts+=("$line")
        else
          whole+=("$word") wholetexts+=("$line")
        fi
      done
      (( $#whole )) && compadd -V ckdb -l -d wholetexts -a whole
      (( $#open )) && compadd -V ckdb-open -l -S '' -d opentexts -a open
    }
    _ckdb "$@"

    """#

  private static let fishScript = #"""
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

    """#
}
