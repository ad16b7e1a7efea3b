#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The record types with their fields, indexes and grants, and what production lacks.
  struct SchemaPage {
    private let open: OpenPlace
    private let types: [RecordTypeSchema]
    private let roles: [SecurityRole]

    static func html(_ open: OpenPlace) throws -> HTML { try SchemaPage(open).html() }

    private init(_ open: OpenPlace) throws {
      self.open = open
      let schema = try open.database.environment.fullSchema()
      types = schema.types.filter { $0.name != .users }
      roles = [.world, .icloud, .creator] + schema.roles
    }

    private func html() throws -> HTML {
      let place = open.place
      var frame = try Frame("Schema", open, rest: ["schema"])
      frame.command = place.schemaCommand(["schema", "export"])
      let links: HTML = """
        <div class="actions"><a class="button" data-testid="schema-text" \
        href="\(place.address(["schema", "text"]))">Schema text</a></div>
        """
      return frame.page(
        """
        <div class="title"><h1>Schema</h1>\(links)</div>
        \(if: types.isEmpty, PlainPages.noTypes(place))
        \(place.environment == .development ? try deployment() : nil)
        \(if: !types.isEmpty, grants)
        \(types.map(section))
        \(SchemaPicture(types, at: place).html)
        \(checkForm)
        """)
    }

    // MARK: Deployment

    private func deployment() throws -> HTML {
      let changes: [SchemaChange]
      do { changes = try open.undeployed() } catch {
        return "<section id=\"deployment\"><h2>Deployment</h2>\(PageFault(error).html)</section>"
      }
      guard !changes.isEmpty else {
        return """
          <section id="deployment"><h2>Deployment</h2><p class="quiet">Production has all of this \
          schema.</p></section>
          """
      }
      let permanent = changes.count(where: \.isPermanent)
      let rows = changes.map { change -> HTML in
        let text = SchemaStep(change)
        return """
          <tr data-testid="step"><td>\(text.verb)</td><td class="mono">\(text.subject)</td>\
          <td>\(text.detail)</td>\
          <td>\(if: change.isPermanent, "<span class=\"chip warn\">permanent</span>")</td></tr>
          """
      }
      return """
        <section id="deployment"><h2>Not deployed: \(changes.count.counted("step"))</h2>
        <p class="quiet">\(permanent.counted("step")) cannot be undone in production: a type or a \
        field stays, with its type.</p>
        <div class="tablebox" tabindex="0" role="region" aria-label="Steps of the deployment">\
        <table><thead><tr><th scope="col">step</th><th scope="col">what</th>\
        <th scope="col">how</th><th scope="col">in production</th></tr></thead>\
        <tbody>\(rows)</tbody></table></div>\(deployButton)</section>
        """
    }

    private var deployButton: HTML? {
      if open.visitor.isReadOnly { return nil }
      guard open.session.isUnlocked(open.place.container) else {
        return """
          <div class="actions">\(open.button(
            "Unlock production", LockProduction.action,
            [("unlock", "1"), ("back", open.place.address(["schema"]))],
            " data-testid=\"unlock\""))</div>
          """
      }
      return """
        <div class="actions">\(open.button(
          "Deploy to production", DeploySchema.action, [],
          " class=\"danger\" data-testid=\"deploy\""))</div>
        """
    }

    // MARK: Types

    private var grants: HTML {
      let heads = roles.map { "<th scope=\"col\">\($0.name)</th>" as HTML }
      let rows = types.map { type -> HTML in
        let cells = roles.map { role -> HTML in
          let words = type.grants[role].words.map { $0.lowercased() }
          return words.isEmpty
            ? "<td><span class=\"null\">none</span></td>"
            : "<td>\(words.joined(separator: ", "))</td>"
        }
        return "<tr><th scope=\"row\" class=\"mono\">\(type.name.text)</th>\(cells)</tr>"
      }
      return """
        <section><h2>Roles and grants</h2><p class="quiet">What roles may do in the public \
        database.</p><div class="tablebox" tabindex="0" role="region" \
        aria-label="Roles and grants"><table data-testid="grants"><thead><tr><th scope="col">\
        record type</th>\(heads)</tr></thead><tbody>\(rows)</tbody></table></div></section>
        """
    }

    private func section(_ type: RecordTypeSchema) -> HTML {
      let kinds = [FieldIndexes.queryable, .sortable, .searchable]
      let rows = (type.fields + type.indexedSystemFields).map { field -> HTML in
        let cells = kinds.map { kind -> HTML in
          let word = kind.words.joined()
          return field.indexes.contains(kind)
            ? "<td><span class=\"chip good\">\(word.lowercased())</span></td>" : "<td></td>"
        }
        return """
          <tr><th scope="row" class="mono">\(field.name.text)</th>\
          <td>\(field.type.schemaName)</td>\(cells)</tr>
          """
      }
      return """
        <section data-testid="schema-type">
        <h2><a href="\(open.place.address(["records", type.name.text]))">\(type.name.text)</a></h2>
        <div class="tablebox" tabindex="0" role="region" aria-label="Fields of \(type.name.text)">\
        <table class="fields"><thead><tr><th scope="col">field</th><th scope="col">type</th>\
        <th scope="col" colspan="3">indexes</th></tr></thead><tbody>\(rows)</tbody></table></div>\
        </section>
        """
    }

    // MARK: Checking files

    private var checkForm: HTML {
      """
      <section><h2>Check files</h2>
      <form method="post" enctype="multipart/form-data" class="edit" data-drop="" \
      action="\(open.place.address(["do", CheckFiles.action.name]))">\(open.visitor.formToken)
      <p><label for="files">Does production have everything that your app uses? Drop record files, \
      fixtures or schema files (.ckdb):</label></p>
      <p><input type="file" id="files" name="files" multiple required></p>
      <div class="actions"><button data-testid="check">Check</button></div></form></section>
      """
    }
  }

  /// A step from one schema to another, in words.
  struct SchemaStep {
    let verb: String
    let subject: String
    var detail = ""

    init(_ change: SchemaChange) {
      func path(_ type: RecordType, _ field: FieldSchema) -> String {
        "\(type.text).\(field.name.text)"
      }
      func words(_ field: FieldSchema) -> String {
        ([field.type.schemaName] + field.indexes.words).joined(separator: " ")
      }
      switch change {
      case .addRole(let role): (verb, subject) = ("add role", role.name)
      case .removeRole(let role): (verb, subject) = ("remove role", role.name)
      case .addType(let type): (verb, subject) = ("add type", type.text)
      case .removeType(let type): (verb, subject) = ("remove type", type.text)
      case .addField(let type, let field):
        (verb, subject, detail) = ("add field", path(type, field), words(field))
      case .removeField(let type, let field):
        (verb, subject, detail) = ("remove field", path(type, field), words(field))
      case .changeField(let type, let old, let new), .preferNumber(let type, let old, let new):
        (verb, subject) = ("change field", path(type, new))
        detail = "\(words(old)) → \(words(new))"
      case .changeIndexes(let type, let old, let new):
        (verb, subject) = ("change indexes", path(type, new))
        detail = "\(old.indexes.names) → \(new.indexes.names)"
      case .changeGrants(let type, let role, let old, let new):
        (verb, subject) = ("change grant", "\(type.text) to \(role.name)")
        detail = "\(old.names) → \(new.names)"
      case .addSubscriptionType(let type):
        (verb, subject) = ("add subscriptions", type.recordType.text)
        detail = type.events.names.joined(separator: ", ")
      }
    }
  }

  extension FieldIndexes {
    fileprivate var names: String { isEmpty ? "none" : words.joined(separator: " ") }
  }

  extension Permissions {
    fileprivate var names: String { isEmpty ? "none" : words.joined(separator: " ") }
  }
#endif
