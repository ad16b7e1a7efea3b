// Topics on the use of ckdb.

extension HelpTopic {
  static let use: [HelpTopic] = [
    HelpTopic(
      "fixtures", "fixture files",
      seeAlso: ["fixture load", "exec", "assert"],
      text: """
        A fixture is a JSON object. All its keys but databases may be left out: container, \
        schema (a schema file), clock, seed, defaults ({TYPE: {FIELD: value}}) and databases:
        {"private": {"zones": {"_defaultZone": {"records": [
          {"recordName": "b1", "recordType": "Book", "fields": {"pages": 255}}]}}}}
        private:NAME is the private database of another account; users {NAME: {"email": ..., \
        "given": ...}}, devices {NAME: {"kind": "mac", "account": ...}} and shares [{"zone": \
        "Lists:ann", "root": "shop", "participants": {"bob": {"permission": "write", \
        "accepted": true}}}] are other keys. A record may have a parent. An XML property list has \
        the same structure; JSON Lines, csv, tsv and a JSON array contain records only, of the \
        type in the file's name or in recordType. All files of a directory are one fixture; \
        subdirectories are ignored, since they contain assets.
        Values are those of 'ckdb help formats' json, or {"value": ..., "type": "TIMESTAMP"}. \
        TIMESTAMP fields also accept now, now-3d, now+1h30m (ms, s, m, h, d, w). An asset is \
        {"file": "path"}, relative to the fixture's file, {"text": "..."}, {"base64": "..."} or \
        {"random": 2048}. A reference is {"recordName": "b1", "action": "DELETE_SELF"}; \
        "dangling": true allows a missing target.
        For 'ckdb assert' an expected value may be {"any": true}, {"approximately": 3.14, \
        "within": 0.01}, {"matches": "regular expression"} or {"sha256": "..."}.
        """),
    HelpTopic(
      "scripting", "use in scripts and CI",
      seeAlso: ["formats", "exit-codes", "exec", "run"],
      text: """
        Results go to standard output and nothing else does; --quiet suppresses status messages. \
        Name a format (--json, -f names): in a pipe the default is tsv. Check the exit code: 1 is \
        no, 3 is a partial failure, 76 a conflict. With a JSON format, the last line of standard \
        error is the error as an object.

        Many commands run fastest in one process:
          ckdb -c "record save Note --name a; record save Note --name b"
          ckdb run seed.txt
          generate | ckdb

        --clock and --seed (CKDB_CLOCK, CKDB_SEED) make the same store from the same commands. -f \
        names -0 separates names by NUL, for xargs -0. Without a terminal ckdb never asks: \
        commands that delete a lot need --yes. 'ckdb exec' gives each test its own store.
        """),
    HelpTopic(
      "prompt", "the interactive prompt",
      seeAlso: ["config", "use", "help"],
      text: """
        A bare 'ckdb' on a terminal reads commands from a prompt, with the store kept open. Tab \
        completes commands, options, zones, types, fields, record names and files, and predicates \
        by their grammar. A command continues on the next line while a quote, { or [ is open, and \
        after a backslash. Lines that begin with a space are not kept in the history.

          COMMAND | PROGRAM         pipe results to a shell command
          !COMMAND                  run a shell command
          .next                     print the next page of the last query
          .watch [S] COMMAND        repeat a command until ^C
          .tables                   list the record types with record counts
          .format F, .output FILE   set the format; write results to a file
          .pager on|off             page long output ($PAGER)
          .timer on|off             print the time of each command
          .edit, .history, .read    edit the last command; list the history; run a file
          begin, commit, rollback   run several commands as one transaction

        In a transaction the prompt shows *, other processes read the state before it, and their \
        writes wait. ^D, SIGTERM and 60 seconds without a key roll it back. ^C cancels the line or \
        the command, ^D or quit leaves. 'ckdb config set prompt TEXT' changes the prompt's text.
        """),
    HelpTopic(
      "differences", "differences from CloudKit",
      seeAlso: ["rules", "limits", "predicates"],
      text: """
        ckdb follows the rules that 'ckdb help rules' lists, with their sources. It differs as \
        follows:

        All predicates run, with a warning where CloudKit would refuse; --strict refuses, too. \
        Declared indexes only decide what is allowed: the physical indexes that ckdb creates make \
        queries fast. A query finds a record as soon as it is saved. Distances are exact, on a \
        sphere. Without --sort the order is undefined, but stable from page to page. Records \
        without a value come first in an ascending order.

        Accounts are local names without passwords. Change tags and cursors look different; they \
        are opaque in CloudKit, too. Change tokens expire only through store compact, a repair, a \
        restored snapshot, or a deleted container. Deletions by DELETE_SELF are immediate, also in \
        the default zone. A container can be deleted. Encrypted fields are marked, not encrypted. \
        A date without a time zone is UTC.
        """),
  ]
}
