#if Server
  internal import CloudModel
  internal import CloudServices

  /// The page that asks for a file to import.
  enum ImportPage {
    static func html(_ open: OpenPlace, type: String) throws -> HTML {
      var frame = try Frame("Import", open, rest: ["records"])
      frame.command = open.place.command(["import"], ["FILE"], options: ["--dry-run"])
      let back = open.place.address(type.isEmpty ? ["records"] : ["records", type])
      let zone = (open.place.zone ?? .defaultZone).text
      return frame.page(
        """
        <div class="title"><h1>Import</h1><p>into \(zone)</p></div>
        \(open.obstacle.map { Frame.notice($0) })
        <form method="post" enctype="multipart/form-data" class="edit" data-drop="" \
        action="\(open.place.address(["do", ImportFile.action.name]))">\(open.visitor.formToken)\
        \(HTML.hidden("back", back))
        <p><label for="file">A file with records: JSON Lines, JSON, CSV, TSV or a property list. \
        Drop it here, or choose it:</label></p>
        <p><input type="file" id="file" name="file" required autofocus></p>
        \(options(type, "", .unchanged))
        <div class="actions"><button class="primary" data-testid="try">Try it</button>
        <a class="button" href="\(back)">Cancel</a></div></form>
        <p class="quiet">Nothing is imported yet: the next page shows what would happen.</p>
        """)
    }

    /// The controls that decide how records are imported.
    static func options(_ type: String, _ nameField: String, _ policy: SavePolicy) -> HTML {
      let policies: [(SavePolicy, String)] = [
        (.unchanged, "refuse other contents"), (.changed, "change the given fields"),
      ]
      let choices = policies.map { value, label -> HTML in
        """
        <option value="\(value.rawValue)"\(if: value == policy, " selected")>\(label)</option>
        """
      }
      return """
        <dl><div><dt><label for="type">Record type</label></dt><dd><input id="type" name="type" \
        value="\(type)" placeholder="of records that name none" spellcheck="false"></dd></div>
        <div><dt><label for="name-field">Names from the field</label></dt><dd>\
        <input id="name-field" name="name-field" value="\(nameField)" spellcheck="false" \
        placeholder="recordName beside the fields"></dd></div>
        <div><dt><label for="policy">Existing records</label></dt><dd>\
        <select id="policy" name="policy">\(choices)</select></dd></div></dl>
        """
    }
  }
#endif
