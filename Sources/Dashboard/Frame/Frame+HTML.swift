#if Server
  extension Frame {
    /// A complete page with the given main part.
    func page(_ main: HTML) -> HTML {
      """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title) · ckdb</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="\(base)/dashboard.css">
      <script src="\(base)/dashboard.js" defer></script>
      </head>
      <body\(if: isProduction, " class=\"production\"")\
      \(placePath.map { " data-place=\"\($0)\"" as HTML })\(if: isLive, " data-live=\"\"")>
      <a class="skip" href="#main">Skip to the content</a>
      <header><a class="name" href="\(base)/">ckdb</a>\(form)\(lock)</header>
      <nav aria-label="Sections">\(navigation)<a href="\(base)/">Containers</a></nav>
      <main id="main" tabindex="-1">
      \(done)\(main)
      </main>
      <footer>\(command.map { "<code data-testid=\"command\">\($0)</code>" as HTML })
      \(if: command != nil, Self.copy)<span class="keys">\(knownKeys)\
      <a href="\(base)/keys"><kbd>?</kbd> all keys</a></span></footer>
      </body>
      </html>

      """
    }

    /// Says that the records of the page have changed, and shows them; only with JavaScript.
    private static let changed: HTML = """
      <span role="status"><button type="button" class="chip good" id="changed" \
      data-testid="changed" hidden>changed: reload</button></span>
      """

    /// Copies the command before it; only with JavaScript.
    private static let copy: HTML = """
      <button class="quiet with-script-only" type="button" data-copy="">Copy</button>
      """

    /// What the action did that led to the page, and how to undo it.
    private var done: HTML? {
      guard let visitor, let (number, done) = visitor.done else { return nil }
      let undo: HTML = """
        <form method="post" class="inline" action="\(base)/do/undo">\(visitor.formToken)\
        \(HTML.hidden("number", String(number)))\
        <button data-testid="undo">Undo <kbd aria-hidden="true">u</kbd></button></form>
        """
      return """
        <div class="done" role="status" data-testid="done"><span><b>\(done.message)</b>\
        \(done.notes.map { "<br>\($0)" as HTML })</span>\
        \(if: done.undo?.isPossible(in: visitor.store) == true, undo)\
        \(done.command.map { "<pre data-testid=\"did\">\($0)</pre>" as HTML })</div>
        """
    }

    private var knownKeys: [HTML] {
      let common = going == nil ? [] : [(key: "g r", action: "records"), ("g s", "schema")]
      return (keys + common).map { "<kbd>\($0.key)</kbd> \($0.action) " }
    }

    /// The form that shows the place, and goes to another one.
    private var form: HTML? {
      guard let going else { return nil }
      return """
        <form class="place" action="\(going.address)" data-testid="place">
        \(HTML.hidden("page", going.rest))
        <div class="where">\(places.map(\.html))</div>
        \(if: isProduction, "<span class=\"chip warn\">production</span>")
        \(undeployed.map(badge))\(if: isLive, Self.changed)
        <div class="who"><span>acting as</span>\(actors.map(\.html))</div>
        <button class="without-script">Go</button></form>
        """
    }

    private func badge(_ link: Link) -> HTML {
      """
      <a class="chip bad" data-testid="undeployed" href="\(link.address)">\(link.text)</a>
      """
    }

    private var navigation: HTML? {
      if going == nil { return nil }
      return """
        <h2>Records</h2>\(types.map(\.html))\
        \(if: types.isEmpty, "<p class=\"quiet\">No types yet</p>")
        <h2>Store</h2>\(sections.map(\.html))
        """
    }
  }

  extension Frame.Chooser {
    fileprivate var html: HTML {
      let options = choices.map { choice -> HTML in
        """
        <option value="\(choice.value)"\(if: choice.isChosen, " selected")>\(choice.label)</option>
        """
      }
      return """
        <select name="\(name)" aria-label="\(label)" data-testid="\(name)">\(options)</select>
        """
    }
  }

  extension Frame.Link {
    fileprivate var html: HTML {
      """
      <a href="\(address)"\(if: isCurrent, " aria-current=\"page\"") data-testid="section">\
      \(text)\(count.map { " <small>\($0)</small>" as HTML })</a>
      """
    }

    /// The link as an item of a list.
    var item: HTML {
      """
      <li><a href="\(address)" data-testid="item">\(text)</a>\
      \(count.map { " <small>\($0)</small>" as HTML })</li>
      """
    }
  }
#endif
