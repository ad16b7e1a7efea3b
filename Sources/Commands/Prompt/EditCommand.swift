internal import Basics
internal import CommandKit

/// `.edit`
enum EditCommand {
  static var command: Command<Context> {
    Command(
      discussion: """
        Opens the last command in $VISUAL, $EDITOR or what 'config set editor' names, and runs \
        what is saved. Unchanged text is not run.
        """
    ) { _, context in
      let state = try PromptRows.state(context)
      let text = try Editor(context).edit(state.lastCommand, named: "command")
      guard let text, text != state.lastCommand else {
        return context.report("unchanged, not run")
      }
      state.lastCommand = text
      LineEditor.remember(text)
      state.history?.append(text)
      var entry = PromptEntry()
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        for command in entry.take(String(line)) {
          PromptRunner(context.session, state).run(command)
        }
        if !entry.isOpen { entry = PromptEntry() }
      }
    }
  }
}
