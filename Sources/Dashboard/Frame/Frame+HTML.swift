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
      <body\(if: isProduction, " class=\"production\"")>
      <a class="skip" href="#main">Skip to the content</a>
      <header><a class="name" href="\(base)/">ckdb</a>\(form)</header>
      <nav aria-label="Sections">\(navigation)<a href="\(base)/">Containers</a></nav>
      <main id="main" tabindex="-1">
      \(main)
      </main>
      <footer>\(command.map { "<code data-testid=\"command\">\($0)</code>" as HTML })
      <span class="keys">\(knownKeys)</span></footer>
      </body>
      </html>

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
        <input type="hidden" name="page" value="\(going.rest)">
        <div class="where">\(places.map(\.html))</div>
        \(if: isProduction, "<span class=\"chip warn\">production</span>")
        <div class="who"><span>acting as</span>\(actors.map(\.html))</div>
        <button class="without-script">Go</button></form>
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
