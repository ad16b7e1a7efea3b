#if Server
  /// The page of all keys and all actions.
  enum KeysPage {
    /// The keys of the pages, and what they do.
    private static let keys: [(key: String, what: String)] = [
      ("/", "go to the predicate"), ("n", "next page"), ("c", "new record"), ("i", "import"),
      ("j", "next record"), ("k", "previous record"), ("x", "select the record"),
      ("Enter", "open the record"), ("e", "edit the record"), ("u", "undo the last action"),
      ("r", "show what has changed"), ("p", "pause a live page"),
      ("g r", "records"), ("g s", "schema"), ("g l", "live"),
      ("g c", "containers"), ("Esc", "leave a field"),
      ("?", "this page"),
    ]

    static func html(_ visitor: Visitor) -> HTML {
      let rows = keys.map { key, what -> HTML in
        "<tr><td><kbd>\(key)</kbd></td><td>\(what)</td></tr>"
      }
      let actions = Action.all.map { action -> HTML in
        """
        <tr><td class="mono" data-testid="action-name">\(action.name)</td>\
        <td>\(action.summary)</td><td data-testid="action-verb">\
        \(if: !action.verb.isEmpty, "<code>ckdb \(action.verb)</code>")</td></tr>
        """
      }
      return Frame("Keys and actions", base: visitor.base).page(
        """
        <div class="title"><h1>Keys</h1></div>
        <div class="tablebox narrow"><table><thead><tr><th scope="col">key</th>\
        <th scope="col">what it does</th></tr></thead><tbody>\(rows)</tbody></table></div>
        <h2>Actions</h2>
        <p class="quiet">After each action the page shows the command that does the same.</p>
        <div class="tablebox narrow" tabindex="0" role="region" aria-label="Actions"><table>\
        <thead><tr><th scope="col">action</th><th scope="col">what it does</th>\
        <th scope="col">command</th></tr></thead><tbody>\(actions)</tbody></table></div>
        """)
    }
  }
#endif
