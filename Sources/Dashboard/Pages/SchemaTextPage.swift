#if Server
  internal import CloudServices
  internal import SchemaLanguage

  /// The schema in Apple's schema language.
  enum SchemaTextPage {
    static func html(_ open: OpenPlace) throws -> HTML {
      var frame = try Frame("Schema text", open, rest: ["schema", "text"])
      frame.command = open.place.schemaCommand(["schema", "export"])
      let text = SchemaPrinter.text(try open.database.environment.fullSchema())
      return frame.page(
        """
        <div class="title"><h1>Schema text</h1><div class="actions">\
        <button type="button" class="with-script-only" data-copy="schema">Copy</button>\
        <a class="button" href="\(open.place.address(["schema"]))">Types</a></div></div>
        <textarea id="schema" class="whole" readonly rows="30" aria-label="Schema text" \
        spellcheck="false">
        \(text)</textarea>
        """)
    }
  }
#endif
