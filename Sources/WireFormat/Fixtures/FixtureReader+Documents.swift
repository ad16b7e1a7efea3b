public import Basics
internal import CloudModel

// Documents: JSON and property lists, through a walker.
extension FixtureReader {
  /// Reads the text of a whole file: a fixture, or a list of records.
  public mutating func readDocument<Walker: NotationWalker>(
    _ bytes: UnsafeRawBufferPointer, _ walk: (UnsafeRawBufferPointer) throws -> Walker
  ) {
    var document = Document(bytes, TextPosition(line: 1, column: 1, source: file.source))
    do {
      var walker = try walk(bytes)
      switch walker.nextKind {
      case .object: try readFixture(&walker, &document)
      case .array:
        try walker.array { walker in try readRecord(&walker, &document, isPlain: true) }
      case .other:
        let position = document.position(walker.offset)
        _ = try walker.take()
        note("a fixture is an object with 'databases', or a list of records", at: position)
      }
      try walker.end()
    } catch {
      note(error, &document)
    }
  }

  /// Reads a line that is a record.
  public mutating func readLine(_ bytes: UnsafeRawBufferPointer, number: Int) {
    var document = Document(bytes, TextPosition(line: number, column: 1, source: file.source))
    do {
      var walker = try JSONParser(walking: bytes)
      try readRecord(&walker, &document, isPlain: true)
      try walker.end()
    } catch {
      note(error, &document)
    }
  }

  /// A text, and the places of its bytes.
  private struct Document {
    private var places: TextPlaces
    private let source: Int

    init(_ bytes: UnsafeRawBufferPointer, _ start: TextPosition) {
      places = TextPlaces(bytes, start)
      source = start.source
    }

    mutating func position(_ offset: Int) -> TextPosition {
      var position = places.position(offset)
      position.source = source
      return position
    }
  }

  private mutating func note(_ error: any Error, _ document: inout Document) {
    guard let error = error as? any NotationError else { return }
    note(error.message, at: document.position(error.offset))
  }

  // MARK: The fixture

  private mutating func readFixture<Walker: NotationWalker>(
    _ walker: inout Walker, _ document: inout Document
  ) throws {
    let start = document.position(walker.offset)
    var hasDatabases = false
    try walker.object { walker, name, offset in
      switch name {
      case "databases":
        hasDatabases = true
        try readMembers(&walker, &document, "'databases' is an object") {
          try $0.readDatabase(&$1, &$2, $3, $4)
        }
      case "defaults":
        try readMembers(&walker, &document, "'defaults' is an object") {
          reader, walker, document, name, _ in
          try reader.readDefaults(&walker, &document, name)
        }
      default:
        let key = document.position(offset)
        let place = document.position(walker.offset)
        readSetting(name, try walker.take(), at: place, key)
      }
    }
    if !hasDatabases { settingsAlone = settingsAlone ?? start }
  }

  private mutating func readSetting(
    _ name: String, _ value: JSONValue, at position: TextPosition, _ key: TextPosition
  ) {
    switch (name, value) {
    case ("container", .string(let text)):
      do throws(CloudError) {
        let placed = Fixture.Placed(try ContainerID(text), at: position)
        if let other = fixture.container, other.value != placed.value {
          return note("another container was named before: \(other.value.text)", at: position)
        }
        fixture.container = placed
      } catch { note(error, at: position) }
    case ("schema", .string(let path)):
      fixture.schemas.append(Fixture.Placed(path, at: position))
    case ("clock", .string(let text)):
      guard let time = Timestamp(text) else {
        return note(
          "'\(text.visible)' is no ISO 8601 date", at: position,
          remedy: "for example 2024-05-01T12:00:00Z")
      }
      if let other = fixture.clock, other.value != time {
        return note("another clock was named before: \(other.value.text)", at: position)
      }
      fixture.clock = Fixture.Placed(time, at: position)
    case ("seed", .int(let number)) where number >= 0:
      if let other = fixture.seed, other.value != UInt64(number) {
        return note("another seed was named before: \(other.value)", at: position)
      }
      fixture.seed = Fixture.Placed(UInt64(number), at: position)
    case ("seed", _): note("'seed' is a whole number from 0 on", at: position)
    case ("container", _), ("schema", _), ("clock", _):
      note("'\(name)' is a string, not \(value.kind)", at: position)
    default:
      let known = ["container", "schema", "clock", "seed", "defaults", "databases"]
      note("unknown key '\(name.visible)' of a fixture", at: key, remedy: name.likely(among: known))
    }
  }

  /// Reads each member of an object by `body`; a value of another kind is a fault.
  private mutating func readMembers<Walker: NotationWalker>(
    _ walker: inout Walker, _ document: inout Document, _ rule: String,
    _ body: (inout Self, inout Walker, inout Document, String, TextPosition) throws -> Void
  ) throws {
    guard walker.nextKind == .object else {
      let position = document.position(walker.offset)
      return note("\(rule), not \(try walker.take().kind)", at: position)
    }
    try walker.object { walker, name, offset in
      try body(&self, &walker, &document, name, document.position(offset))
    }
  }

  private mutating func readDefaults<Walker: NotationWalker>(
    _ walker: inout Walker, _ document: inout Document, _ type: String
  ) throws {
    try readMembers(&walker, &document, "the defaults of a type are an object") {
      reader, walker, document, name, _ in
      let position = document.position(walker.offset)
      let field = Fixture.Field(FieldName(stored: name), try walker.take(), at: position)
      reader.fixture.defaults[type, default: []].append(field)
    }
  }

  private mutating func readDatabase<Walker: NotationWalker>(
    _ walker: inout Walker, _ document: inout Document, _ name: String, _ key: TextPosition
  ) throws {
    let scope: DatabaseScope
    switch name {
    case "private": scope = .private
    case "public": scope = .public
    default:
      _ = try walker.take()
      return note(
        name == "shared"
          ? "records of the shared database stand in the private database of their owner"
          : "unknown database '\(name.visible)'", at: key,
        remedy: name.likely(among: ["private", "public"]))
    }
    try readMembers(&walker, &document, "a database is an object") {
      reader, walker, document, name, key in
      guard name == "zones" else {
        _ = try walker.take()
        return reader.note(
          "unknown key '\(name.visible)' of a database", at: key,
          remedy: name.likely(among: ["zones"]))
      }
      try reader.readMembers(&walker, &document, "'zones' is an object") {
        try $0.readZone(&$1, &$2, scope, $3, $4)
      }
    }
  }

  private mutating func readZone<Walker: NotationWalker>(
    _ walker: inout Walker, _ document: inout Document, _ scope: DatabaseScope, _ name: String,
    _ key: TextPosition
  ) throws {
    let place: Int
    do throws(CloudError) {
      let zone = try ZoneID(name)
      guard scope == .private || zone.isDefault else {
        throw CloudError(
          .badDatabase, "Custom zones can be created in the private database only",
          zone: zone)
      }
      place = self.place(of: zone, in: scope, at: key)
    } catch {
      note(error, at: key)
      _ = try walker.take()
      return
    }
    try readMembers(&walker, &document, "a zone is an object") {
      reader, walker, document, name, key in
      guard name == "records" else {
        _ = try walker.take()
        return reader.note(
          "unknown key '\(name.visible)' of a zone", at: key,
          remedy: name.likely(among: ["records"]))
      }
      guard walker.nextKind == .array else {
        let position = document.position(walker.offset)
        return reader.note("'records' is a list, not \(try walker.take().kind)", at: position)
      }
      try walker.array { walker in
        try reader.readRecord(&walker, &document, isPlain: false, toZoneAt: place)
      }
    }
  }

  // MARK: Records

  /// Reads a record; a plain one may have its fields beside its name.
  private mutating func readRecord<Walker: NotationWalker>(
    _ walker: inout Walker, _ document: inout Document, isPlain: Bool, toZoneAt place: Int? = nil
  ) throws {
    var parts = RecordParts(position: document.position(walker.offset))
    guard walker.nextKind == .object else {
      return note("a record is an object, not \(try walker.take().kind)", at: parts.position)
    }
    var others: [(name: String, key: TextPosition, value: JSONValue, place: TextPosition)] = []
    var hasFields = false
    try walker.object { walker, name, offset in
      let key = document.position(offset)
      let place = document.position(walker.offset)
      guard name == "fields" else {
        return others.append((name, key, try walker.take(), place))
      }
      hasFields = true
      guard walker.nextKind == .object else {
        parts.isBroken = true
        return note("'fields' is an object, not \(try walker.take().kind)", at: place)
      }
      try walker.object { walker, name, _ in
        let place = document.position(walker.offset)
        parts.fields.append(
          Fixture.Field(FieldName(stored: name), try walker.take(), at: place))
      }
    }
    parts.isInZone = place != nil
    for other in others {
      take(
        other.name, other.value, other.key, other.place, isField: isPlain && !hasFields, &parts)
    }
    add(parts, toZoneAt: place)
  }

  /// Takes a member of a record beside its fields.
  private mutating func take(
    _ name: String, _ value: JSONValue, _ key: TextPosition, _ position: TextPosition,
    isField: Bool, _ parts: inout RecordParts
  ) {
    switch name {
    case "recordName": parts.name = text(name, value, position, &parts)
    case "recordType": parts.type = text(name, value, position, &parts)
    case "zone": parts.zone = text(name, value, position, &parts)
    case "parent":
      // As a reference, too.
      parts.parent = text(name, value["recordName"] ?? value, position, &parts)
    case _ where !isField && Self.given.contains(name): break
    default:
      if isField {
        parts.fields.append(Fixture.Field(FieldName(stored: name), value, at: position))
      } else {
        note(
          "unknown key '\(name.visible)' of a record", at: key,
          remedy: name.likely(among: ["recordName", "recordType", "zone", "parent", "fields"]))
      }
    }
  }

  /// What a store gives a record itself.
  private static let given: Set = ["changeTag", "created", "modified", "share"]

  private mutating func text(
    _ name: String, _ value: JSONValue, _ position: TextPosition, _ parts: inout RecordParts
  ) -> Fixture.Placed<String>? {
    switch value {
    case .string(let text): return Fixture.Placed(text, at: position)
    case .null: return nil
    case .bool, .int, .double, .outOfRange, .array, .object:
      note("'\(name)' is a string, not \(value.kind)", at: position)
      parts.isBroken = true
      return nil
    }
  }
}

extension String {
  /// A remedy that names the word which was probably meant; nil where none is near.
  fileprivate func likely(among words: [String]) -> Remedy? { .nearest(to: self, among: words) }
}
