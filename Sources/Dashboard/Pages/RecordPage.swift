#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs

  /// A record with all its fields, and the records that refer to it.
  struct RecordPage {
    private let open: OpenPlace
    private let record: Record
    /// The place with the record's zone.
    private let place: Place
    private let schema: RecordTypeSchema?

    /// The page of a record. Throws `CloudError` if the account cannot read it.
    static func html(_ open: OpenPlace, _ name: RecordName) throws -> HTML {
      try RecordPage(open, record(name, at: open)).html()
    }

    /// Finds a record by its name. Throws `CloudError` if the account cannot read it.
    static func record(_ name: RecordName, at open: OpenPlace) throws -> Record {
      try record(name, at: open, in: open.database)
    }

    /// Finds a record in the database, or in the watched one. Throws as `record(_:at:)`.
    static func record(
      _ name: RecordName, at open: OpenPlace, in database: CloudDatabase
    ) throws -> Record {
      let zone = try open.place.zone ?? database.zones(holding: name).first ?? .defaultZone
      return try database.fetch([name], in: zone)[0].get()
    }

    private init(_ open: OpenPlace, _ record: Record) throws {
      (self.open, self.record) = (open, record)
      var place = open.place
      place.zone = record.zone
      self.place = place
      schema = try open.database.environment.schema(of: record.type)
    }

    private func html() throws -> HTML {
      let name = record.name.text
      var frame = try Frame(name, open, rest: ["record", name])
      frame.command = place.command(["record", "fetch"], [name])
      frame.isLive = true
      if open.obstacle == nil { frame.keys = [("e", "edit")] }
      let table = open.place.address(["records", record.type.text])
      let fields = (schema?.fields ?? []).map(field)
      return frame.page(
        """
        <div class="title"><h1>\(name)</h1>\
        <p><a href="\(table)" data-testid="type">\(record.type.text)</a></p>\
        \(if: open.obstacle == nil, actions)</div>
        <div class="record">\(if: !fields.isEmpty, "<dl>\(fields)</dl>")\
        \(if: fields.isEmpty, "<p class=\"quiet\">The type has no fields.</p>")
        <aside aria-label="About the record">\
        <div class="card"><h2>Version</h2><dl class="facts">\(try facts())</dl></div>
        \(shareForm)\(try references())</aside></div>
        """)
    }

    private var actions: HTML {
      let name = record.name.text
      let edit: HTML = """
        <a class="button primary" data-key="e" data-testid="edit" \
        href="\(place.address(["edit", name]))">Edit</a>
        """
      let delete = open.button(
        "Delete…", DeleteRecords.action,
        [
          ("record", Selection.value(record.zone, record.name)),
          ("back", open.place.address(["records", record.type.text])),
        ], " data-testid=\"delete\"")
      return "<div class=\"actions\">\(if: record.type != .share, edit)\(delete)</div>"
    }

    private func field(_ field: FieldSchema) -> HTML {
      let value = record.fields[field.name]
      let extras = FieldExtras(value, field, record, place, open.database.environment)
      let shown: HTML = "\(text(of: value, field))\(extras.html)"
      let secret: HTML = """
        <details><summary>•••••• <span class="link">show</span></summary>\(shown)</details>
        """
      return """
        <div data-testid="field"><dt>\(field.name.text) \
        <span class="type">\(field.type.schemaName)</span></dt>\
        <dd>\(field.type.isEncrypted && value != nil ? secret : shown)</dd></div>
        """
    }

    private func text(of value: FieldValue?, _ field: FieldSchema) -> HTML {
      let text = ValueText(whole: value, of: field.type, at: place)
      return text.text.contains { $0.isNewline } ? "<pre>\(text.text)</pre>" : text.html
    }

    // MARK: Beside the fields

    private func facts() throws -> [HTML] {
      let people = try Names(open)
      func stamp(_ stamp: Record.Stamp?) -> HTML? {
        stamp.map { "\($0.at.shortText) UTC by \(people.name(of: $0.by)) on \($0.device.name)" }
      }
      func link(_ name: RecordName?) -> HTML? {
        name.map {
          "<a href=\"\(place.address(["record", $0.text]))\" class=\"mono\">\($0.text)</a>"
        }
      }
      let known: [(String, HTML?)] = [
        ("Zone", "\(record.zone.text)"),
        ("Change tag", record.changeTag.map { "<code data-testid=\"tag\">\($0.text)</code>" }),
        ("Created", stamp(record.created)), ("Modified", stamp(record.modified)),
        ("Parent", link(record.parent)), ("Share", record.share.map(shareLink)),
        ("Access", accessLink),
      ]
      return known.compactMap { name, value in
        value.map { "<div><dt>\(name)</dt><dd>\($0)</dd></div>" }
      }
    }

    private var accessLink: HTML {
      """
      <a href="\(place.address(["access", record.name.text]))" data-testid="access">\
      who may do what</a>
      """
    }

    private func shareLink(_ name: RecordName) -> HTML {
      """
      <a href="\(place.address(["share", name.text]))" class="mono" data-testid="share">\
      \(name.text)</a>
      """
    }

    /// The form that shares the record; nil if it cannot be shared.
    private var shareForm: HTML? {
      guard open.obstacle == nil, place.scope == .private, !record.zone.isDefault,
        record.share == nil, record.type != .share
      else { return nil }
      return """
        <form method="post" class="card" \
        action="\(place.address(["do", ShareActions.create.name]))">\(open.visitor.formToken)\
        \(HTML.hidden("root", record.name.text))<h2>Share</h2>\
        <p class="line"><input name="who" placeholder="account or e-mail address" \
        aria-label="Whom to invite">\(HTML.select(
          "permission", "Permission",
          [("readOnly", "read"), ("readWrite", "read and write")]))\
        <button data-testid="share-create">Share</button></p></form>
        """
    }

    /// The maximum number of records in a list.
    private static let most = 20

    /// The records that refer to this one: the links with consequences by name, the others by the
    /// queries that find them.
    private func references() throws -> HTML? {
      let sources = try open.database.sources(
        ofLinksTo: record.name, in: record.zone, atMost: Self.most + 1)
      let items = sources.prefix(Self.most).map { source -> HTML in
        """
        <li><a class="mono" href="\(place.address(["record", source.name.text]))" \
        data-testid="source">\(source.name.text)</a> <span class="type">\(source.kind.words)</span>\
        </li>
        """
      }
      let queries = try open.types().flatMap { type in
        type.fields.filter { $0.type.base == .reference }.map { link(type.name, $0) }
      }
      if items.isEmpty, queries.isEmpty { return nil }
      return """
        <div class="card"><h2>Refers to this record</h2><ul class="list">\(items)\
        \(if: sources.count > Self.most, "<li class=\"quiet\">and more</li>")\(queries)</ul></div>
        """
    }

    private func link(_ type: RecordType, _ field: FieldSchema) -> HTML {
      let target = FieldValue.reference(Reference(record.name)).predicateText
      let text = "\(field.name.text) \(field.type.isList ? "CONTAINS" : "==") \(target)"
      return """
        <li><a href="\(place.address(["records", type.text], [("where", text)]))" \
        data-testid="referrers">\(type.text)</a> \
        <span class="type">by \(field.name.text)</span></li>
        """
    }
  }

  extension LinkSource.Kind {
    /// The link in words.
    fileprivate var words: String {
      switch self {
      case .child: "its child"
      case .deleteSelf: "deleted with it"
      case .validate: "needs it"
      }
    }
  }

  /// The names of accounts by their user record names.
  struct Names {
    private let names: [UserRecordName: String]

    init(_ open: OpenPlace) throws {
      try self.init(in: open.watched.environment, of: open.store)
    }

    /// The names in an environment. It looks into all environments of the store.
    init(in environment: CloudEnvironment, of store: CloudStore) throws {
      var names: [UserRecordName: String] = [:]
      for account in try store.accounts(for: environment.request) {
        names[environment.userRecordName(account)] = account.name
      }
      self.names = names
    }

    /// The name of an account, or the user record name of one that the store does not have.
    func name(of user: UserRecordName) -> String { names[user] ?? user.text }
  }
#endif
