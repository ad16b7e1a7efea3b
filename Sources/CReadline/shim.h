// readline's headers need stdio.h before them.
#pragma once
#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

// readline's settings are global variables, which Swift does not let code write to.

/// Ctrl-C gives up the line that is being edited, not the prompt.
static inline int ckdb_readline_cancel(void) {
  rl_replace_line("", 0);
  rl_crlf();
  rl_done = 1;
  return 0;
}

/// With a hook for idle time readline looks at rl_done ten times a second, and not only when the
/// next key comes.
static inline int ckdb_readline_idle(void) { return 0; }

/// Sets the program's name for ~/.inputrc, the characters that end words, and the completion.
static inline void ckdb_readline_start(rl_completion_func_t *completion) {
  rl_readline_name = "ckdb";
  rl_completer_word_break_characters = " \t\n;";
  rl_attempted_completion_function = completion;
  rl_event_hook = ckdb_readline_idle;
  rl_signal_event_hook = ckdb_readline_cancel;
}

/// The line that is being edited.
static inline const char *ckdb_readline_line(void) { return rl_line_buffer; }

/// Keeps readline from completing file names where the program has candidates.
static inline void ckdb_readline_no_files(int on) { rl_attempted_completion_over = on; }
