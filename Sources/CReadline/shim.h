// readline's headers need stdio.h before them.
#pragma once
#include <stdio.h>
#include <readline/readline.h>
#include <readline/history.h>

// readline's settings are global variables, which Swift does not let code write to.

/// Sets the program's name for ~/.inputrc, the characters that end words, and the completion, whose
/// candidates keep their order.
/// Signals are the program's affair, and its environment stays as it is: a COLUMNS of readline's
/// would outlive the size of the terminal.
static inline void ckdb_readline_start(rl_completion_func_t *completion) {
  rl_readline_name = "ckdb";
  rl_completer_word_break_characters = " \t\n;";
  rl_attempted_completion_function = completion;
  rl_catch_signals = 0;
  rl_catch_sigwinch = 0;
  rl_change_environment = 0;
  rl_sort_completion_matches = 0;
}

/// Gives up the line that is being edited, with a search or a macro that is open; the terminal
/// shows ^C behind it and goes on in the next line.
static inline void ckdb_readline_cancel(int signal) {
  rl_callback_sigcleanup();
  rl_free_line_state();
  rl_point = rl_end;
  rl_redisplay();
  rl_echo_signal_char(signal);
  rl_crlf();
  fflush(rl_outstream);
}

/// The line that is being edited.
static inline const char *ckdb_readline_line(void) { return rl_line_buffer; }

/// Keeps readline from completing file names where the program has candidates.
static inline void ckdb_readline_no_files(int on) { rl_attempted_completion_over = on; }

/// Keeps readline from adding a blank after the candidate.
static inline void ckdb_readline_no_blank(int on) { rl_completion_suppress_append = on; }

/// Leaves the line that is being edited on the screen; what is printed next comes below it.
static inline void ckdb_readline_leave_line(void) {
  rl_crlf();
  fflush(rl_outstream);
}
