#if Server
  internal import CloudModel
  internal import CloudServices

  /// The record types with their fields and indexes.
  enum SchemaPage {
    static func html(_ open: OpenPlace) throws -> HTML {
      let place = open.place
      var frame = try Frame("Schema", open, rest: ["schema"])
      frame.command = place.schemaCommand(["schema", "show"])
      let types = try open.types()
      return frame.page(
        """
        <div class="title"><h1>Schema</h1></div>
        \(if: types.isEmpty, PlainPages.noTypes(place))\(types.map { section($0, at: place) })
        """)
    }

    private static func section(_ type: RecordTypeSchema, at place: Place) -> HTML {
      let rows = (type.fields + type.indexedSystemFields).map { field -> HTML in
        """
        <tr><td class="mono">\(field.name.text)</td><td>\(field.type.schemaName)</td>\
        <td>\(field.indexes.words.joined(separator: " "))</td></tr>
        """
      }
      return """
        <section class="type-of-schema" data-testid="schema-type">
        <h2><a href="\(place.address(["records", type.name.text]))">\(type.name.text)</a></h2>
        <div class="tablebox"><table><thead><tr><th scope="col">field</th><th scope="col">type</th>\
        <th scope="col">indexes</th></tr></thead><tbody>\(rows)</tbody></table></div></section>
        """
    }
  }
#endif
