public import Basics
internal import CloudModel

// The files of a fixture: a JSON document, or records in any format.
extension FixtureReader {
  /// Reads a file. Throws `SystemError` for the file; errors in its text become faults of the
  /// fixture.
  public mutating func read(_ file: FileHandle, _ format: TextFormat) throws(SystemError) {
    switch format {
    case .json, .wire, .propertyList:
      let bytes = try FileSystem.contents(of: file, atMostMegabytes: RecordFileReader.mostMegabytes)
      bytes.withUnsafeBytes { readDocument($0.withoutByteOrderMark, format) }
    case .jsonl, .csv, .tsv:
      let records = RecordFileReader(file, format)
      while let item = try records.next() { read(item) }
    }
  }

  /// Reads records that the text lists outside any zone.
  private static let plainRecords = RecordTextReader(plainForm: .namesAndFields)

  /// Reads one record of a file.
  private mutating func read(_ item: RecordFileReader.Item) {
    do throws(RecordReadingError) {
      switch item {
      case .json(let bytes, let position):
        var places = TextPlaces(bytes, place(position))
        var fields = TextFields()
        let keys = try Self.plainRecords.read(bytes, &places, &fields)
        add(RecordText(keys: keys, fields: fields.fields))
      case .row(let row, let table):
        var fields = TextFields()
        let keys = table.read(row, &fields)
        add(RecordText(keys: keys, fields: fields.fields))
      case .record(let text): add(text)
      case .fault(let error): throw error
      }
    } catch {
      note(error)
    }
  }

  /// Reads the text of a whole file: a fixture, or a list of records.
  public mutating func readDocument(_ bytes: UnsafeRawBufferPointer, _ format: TextFormat) {
    var places = TextPlaces(bytes, place(TextPosition(line: 1, column: 1)))
    do {
      if format != .propertyList {
        if let page = RecordPage(bytes, at: TextPosition(line: 1, column: 1)) {
          while let (text, position) = page.next() { read(.json(text, position)) }
          return
        }
        var walker = try JSONParser(walking: bytes)
        try readDocument(&walker, &places)
      } else if BinaryPropertyList.isOne(bytes) {
        var walker = try ValueWalker(binaryPropertyList: bytes)
        try readDocument(&walker, &places)
      } else {
        var walker = try PropertyListWalker(walking: bytes)
        try readDocument(&walker, &places)
      }
    } catch {
      note(RecordReadingError(error, &places))
    }
  }

  private mutating func readDocument<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces
  ) throws {
    switch walker.nextKind {
    case .object: try readFixture(&walker, &places)
    case .array:
      try walker.array { walker in add(try Self.plainRecords.text(&walker, &places)) }
    case .other:
      let position = places.position(walker.offset)
      _ = try walker.take()
      note("a fixture must be an object with 'databases', or a list of records", at: position)
    }
    try walker.end()
  }

  // MARK: The fixture

  private mutating func readFixture<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces
  ) throws {
    let start = places.position(walker.offset)
    var hasDatabases = false
    try walker.object { walker, name, offset in
      switch name {
      case "databases":
        hasDatabases = true
        try readMembers(&walker, &places, "'databases' must be an object") {
          try $0.readDatabase(&$1, &$2, $3, $4)
        }
      case "defaults":
        try readMembers(&walker, &places, "'defaults' must be an object") {
          reader, walker, places, name, _ in
          try reader.readDefaults(&walker, &places, name)
        }
      case _ where FixtureEntries.written.contains { $0.key == name }:
        for kind in FixtureEntries.written where kind.key == name {
          try readEntries(kind, &walker, &places)
        }
      default:
        let key = places.position(offset)
        let place = places.position(walker.offset)
        readSetting(name, try walker.take(), at: place, key)
      }
    }
    if !hasDatabases { settingsAlone = settingsAlone ?? start }
  }

  /// Reads the entries of a kind: members of an object, or elements of a list.
  private mutating func readEntries<Walker: NotationWalker>(
    _ kind: any WrittenFixtureEntry.Type, _ walker: inout Walker, _ places: inout TextPlaces
  ) throws {
    if kind.isNamed {
      try readMembers(&walker, &places, "'\(kind.key)' must be an object") {
        reader, walker, _, name, position in
        reader.add(kind, name, try walker.take(), at: position)
      }
    } else if walker.nextKind == .array {
      try walker.array { walker in
        let position = places.position(walker.offset)
        add(kind, "", try walker.take(), at: position)
      }
    } else {
      let position = places.position(walker.offset)
      note("'\(kind.key)' must be a list, not \(try walker.take().kind)", at: position)
    }
  }

  private mutating func add(
    _ kind: any WrittenFixtureEntry.Type, _ name: String, _ json: JSONValue,
    at position: TextPosition
  ) {
    do throws(CloudError) {
      fixture.entries.append(try kind.init(name, json), at: place(position))
    } catch { note(error, at: position) }
  }

  private mutating func readSetting(
    _ name: String, _ value: JSONValue, at position: TextPosition, _ key: TextPosition
  ) {
    switch (name, value) {
    case ("container", .string(let text)):
      do throws(CloudError) {
        let placed = Placed(try ContainerID(text), at: position)
        if let other = fixture.container, other.value != placed.value {
          return note("a different container is already named: \(other.value.text)", at: position)
        }
        fixture.container = placed
      } catch { note(error, at: position) }
    case ("schema", .string(let path)):
      fixture.schemas.append(Placed(path, at: position))
    case ("clock", .string(let text)):
      guard let time = Timestamp(text) else {
        return note(
          "'\(text.visible)' is not an ISO 8601 date", at: position,
          remedy: "for example 2024-05-01T12:00:00Z")
      }
      if let other = fixture.clock, other.value != time {
        return note("a different clock is already named: \(other.value.text)", at: position)
      }
      fixture.clock = Placed(time, at: position)
    case ("seed", .int(let number)) where number >= 0:
      if let other = fixture.seed, other.value != UInt64(number) {
        return note("a different seed is already named: \(other.value)", at: position)
      }
      fixture.seed = Placed(UInt64(number), at: position)
    case ("seed", _): note("'seed' must be a whole number of 0 or more", at: position)
    case ("container", _), ("schema", _), ("clock", _):
      note("'\(name)' must be a string, not \(value.kind)", at: position)
    default:
      let known =
        ["container", "schema", "clock", "seed", "defaults", "databases"]
        + FixtureEntries.written.map { $0.key }
      note("unknown key '\(name.visible)' in a fixture", at: key, remedy: name.likely(among: known))
    }
  }

  /// Reads each member of an object with `body`; notes a fault if the value is not an object.
  private mutating func readMembers<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces, _ rule: String,
    _ body: (inout Self, inout Walker, inout TextPlaces, String, TextPosition) throws -> Void
  ) throws {
    guard walker.nextKind == .object else {
      let position = places.position(walker.offset)
      return note("\(rule), not \(try walker.take().kind)", at: position)
    }
    try walker.object { walker, name, offset in
      try body(&self, &walker, &places, name, places.position(offset))
    }
  }

  private mutating func readDefaults<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces, _ type: String
  ) throws {
    try readMembers(&walker, &places, "the defaults of a type must be an object") {
      reader, walker, places, name, _ in
      let position = places.position(walker.offset)
      let field = FieldText(FieldName(stored: name), try walker.take(), at: position)
      reader.fixture.defaults[type, default: []].append(field)
    }
  }

  private mutating func readDatabase<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces, _ name: String, _ key: TextPosition
  ) throws {
    let scope: DatabaseScope
    var account: Account?
    switch name {
    case "private": scope = .private
    case "public": scope = .public
    case _ where name.hasPrefix("private:"):
      scope = .private
      do throws(CloudError) { account = try Account(String(name.dropFirst(8))) } catch {
        _ = try walker.take()
        return note(error, at: key)
      }
    default:
      _ = try walker.take()
      return note(
        name == "shared"
          ? "records of the shared database belong in the private database of their owner"
          : "unknown database '\(name.visible)'", at: key,
        remedy: name.likely(among: ["private", "public"]))
    }
    try readMembers(&walker, &places, "a database must be an object") {
      reader, walker, places, name, key in
      guard name == "zones" else {
        _ = try walker.take()
        return reader.note(
          "unknown key '\(name.visible)' in a database", at: key,
          remedy: name.likely(among: ["zones"]))
      }
      try reader.readMembers(&walker, &places, "'zones' must be an object") {
        try $0.readZone(&$1, &$2, scope, account, $3, $4)
      }
    }
  }

  private mutating func readZone<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces, _ scope: DatabaseScope,
    _ account: Account?, _ name: String, _ key: TextPosition
  ) throws {
    let place: Int
    do throws(CloudError) {
      let zone = try ZoneID(name)
      guard scope == .private || zone.isDefault else {
        throw CloudError(
          .badDatabase, "Custom zones can be created in the private database only",
          zone: zone)
      }
      place = self.place(of: zone, in: scope, of: account, at: key)
    } catch {
      note(error, at: key)
      _ = try walker.take()
      return
    }
    try readMembers(&walker, &places, "a zone must be an object") {
      reader, walker, places, name, key in
      guard name == "records" else {
        _ = try walker.take()
        return reader.note(
          "unknown key '\(name.visible)' in a zone", at: key,
          remedy: name.likely(among: ["records"]))
      }
      guard walker.nextKind == .array else {
        let position = places.position(walker.offset)
        return reader.note("'records' must be a list, not \(try walker.take().kind)", at: position)
      }
      let records = RecordTextReader(plainForm: .keys)
      try walker.array { walker in
        reader.add(try records.text(&walker, &places), toZoneAt: place)
      }
    }
  }
}

extension String {
  /// A remedy with the word that was probably meant; nil if none is similar.
  fileprivate func likely(among words: [String]) -> Remedy? { .nearest(to: self, among: words) }
}

extension UnsafeRawBufferPointer {
  /// The bytes after a UTF-8 byte order mark, which is not part of the text.
  fileprivate var withoutByteOrderMark: UnsafeRawBufferPointer {
    starts(with: [0xEF, 0xBB, 0xBF]) ? UnsafeRawBufferPointer(rebasing: dropFirst(3)) : self
  }
}
