#if Server
  internal import CloudModel
  internal import CloudServices

  /// The pages that only consist of texts and links.
  enum PlainPages {
    /// The record types of a place.
    static func types(_ open: OpenPlace) throws -> HTML {
      var frame = try Frame("Records", open, rest: ["records"])
      frame.command = open.place.schemaCommand(["schema", "show"])
      return frame.page(
        """
        <div class="title"><h1>Records</h1>\(if: open.obstacle == nil, newRecord(open.place))</div>
        \(open.failure.map { PageFault($0).html })\
        \(if: frame.types.isEmpty, noTypes(open.place))\
        <ul class="list">\(frame.types.map(\.item))</ul>
        """)
    }

    private static func newRecord(_ place: Place) -> HTML {
      """
      <div class="actions"><a class="button" data-key="i" \
      href="\(place.address(["import"]))">Import…</a><a class="button primary" data-key="c" \
      data-testid="new" href="\(place.address(["new"]))">New record</a></div>
      """
    }

    /// What to do about a place without record types.
    static func noTypes(_ place: Place) -> HTML {
      guard place.environment == .production else {
        return """
          <div class="empty"><p>There are no record types yet. Saving a record creates its type:</p>
          <pre>\(place.command(["record", "save"], ["Note", "text=Hello"]))</pre></div>
          """
      }
      var development = place
      development.environment = .development
      let address = development.address(["schema"]) + "#deployment"
      return """
        <div class="empty"><p>Production has no record types yet. \
        <a href="\(address)">Deploy the development schema</a>:</p>
        <pre>ckdb schema deploy -C \(place.container.text)</pre></div>
        """
    }

    /// The page of a link with a code. Loading it does not use the code: some programs load links
    /// to preview them.
    static func open(code: String, base: String) -> HTML {
      bare(
        "Open the dashboard", base,
        """
        <form method="post" action="\(base)/open">\(HTML.hidden("code", code))
        <p><button class="primary" autofocus data-testid="open">Open the dashboard</button></p>
        </form>
        """)
    }

    /// The page for a browser without a session.
    static func closed(wasUsed: Bool, base: String) -> HTML {
      bare(
        "Closed", base,
        """
        \(if: wasUsed, "<p>This link has already been used. Each link works once.</p>")
        <p>To open the dashboard, run:</p>
        <pre>ckdb dashboard</pre>
        """)
    }

    /// A request that failed.
    static func fault(_ error: CloudError, base: String) -> HTML {
      Frame("Error", base: base).page(fault(PageFault(error)))
    }

    /// A request that failed at a place, from which the user can go on.
    static func fault(
      _ error: CloudError, at open: OpenPlace, back: String = ""
    ) throws -> HTML {
      let link: HTML = "<p><a class=\"button\" href=\"\(back)\">Back</a></p>"
      return try Frame("Error", open, rest: ["records"]).page(
        "\(fault(PageFault(error, at: open)))\(if: !back.isEmpty, link)")
    }

    private static func fault(_ fault: PageFault) -> HTML {
      "<div class=\"title\"><h1>Error</h1></div>\(fault.html)"
    }

    private static func bare(_ title: String, _ base: String, _ main: HTML) -> HTML {
      """
      <!doctype html>
      <html lang="en"><head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(title) · ckdb</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="\(base)/dashboard.css">
      </head>
      <body class="bare"><main><h1>ckdb</h1>
      \(main)
      </main></body></html>

      """
    }
  }
#endif
