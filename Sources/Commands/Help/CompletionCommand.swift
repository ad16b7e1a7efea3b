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

/// The shells that words can be completed in.
enum Shell: String, CaseIterable, Sendable {
  case bash
  case zsh
  case fish

  /// The script that makes the shell ask this program.
  var script: String {
    switch self {
    case .bash:
      """
      # bash completion for ckdb
      _ckdb() {
        local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]}
        COMPREPLY=($(ckdb __complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
        if [[ $? -eq 1 ]]; then
          compopt -o default
        elif [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[[:space:]]* ]]; then
          COMPREPLY=("$(printf %q "${COMPREPLY[0]}")")
        fi
      }
      complete -F _ckdb ckdb

      """
    case .zsh:
      """
      #compdef ckdb
      # zsh completion for ckdb
      _ckdb() {
        local -a candidates
        candidates=("${(@f)$(ckdb __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
        if [[ $? -eq 1 ]]; then
          _files
        elif [[ -n ${candidates[1]} ]]; then
          compadd -a candidates
        fi
      }
      _ckdb "$@"

      """
    case .fish:
      """
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

      """
    }
  }
}
