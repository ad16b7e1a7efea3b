internal import Basics
public import CloudModel

/// Reads the files of a fixture. Keeps positions and collects faults, so that all can be reported
/// at once.
public struct FixtureReader {
  /// The fixture as read so far.
  public internal(set) var fixture = Fixture()
  /// The database and zone of records that name none.
  private let scope: DatabaseScope
  private let zone: ZoneID
  /// The current file.
  var file = FixtureFile()
  /// The position of the first object without records.
  var settingsAlone: TextPosition?

  /// The current file.
  struct FixtureFile {
    /// Its index in the fixture.
    var source = 0
    /// The default type of records; nil if the file's name is not a type.
    var type: String?
    /// The zones that the file has named so far, with their index in the fixture.
    var zones: [String: Int] = [:]
  }

  /// Creates a reader; records that name no database and zone are in the given ones.
  public init(scope: DatabaseScope, zone: ZoneID) {
    self.scope = scope
    self.zone = zone
  }

  /// Begins the next file.
  public mutating func begin(_ path: String, type: String?) {
    file = FixtureFile(source: fixture.sources.count, type: type)
    fixture.sources.append(path)
  }

  /// Notes a fault.
  mutating func note(_ message: String, at position: TextPosition, remedy: Remedy? = nil) {
    note(CloudError(.invalidArguments, message, remedy: remedy), at: position)
  }

  /// Notes a fault.
  mutating func note(_ error: CloudError, at position: TextPosition) {
    var position = position
    position.source = file.source
    fixture.faults.append(FixtureFault(error, at: position))
  }

  /// Notes a fault of a record's text.
  mutating func note(_ error: RecordReadingError) {
    note(error.message, at: error.position, remedy: error.remedy)
  }

  /// A position in the current file.
  func place(_ position: TextPosition) -> TextPosition {
    TextPosition(line: position.line, column: position.column, source: file.source)
  }

  /// Finishes reading: at least one file must contain records.
  public mutating func finish() {
    guard let first = settingsAlone, fixture.zones.isEmpty, fixture.entries.isEmpty,
      fixture.faults.isEmpty
    else { return }
    fixture.faults.append(FixtureFault("the fixture has no 'databases'", at: first))
  }

  // MARK: Zones of records

  /// Returns the index of a zone in the fixture; adds it when it is first named.
  mutating func place(
    of zone: ZoneID, in scope: DatabaseScope, of account: Account? = nil,
    at position: TextPosition
  ) -> Int {
    let key = "\(scope.name):\(account?.name ?? "")/\(zone.text)"
    if let place = file.zones[key] { return place }
    file.zones[key] = fixture.zones.count
    fixture.zones.append(Fixture.Zone(zone, in: scope, of: account, at: position))
    return fixture.zones.count - 1
  }

  /// Adds a record to the zone at an index, or to the one that it names itself.
  mutating func add(_ text: RecordText, toZoneAt given: Int? = nil) {
    for fault in text.keys.faults { note(fault) }
    guard let record = record(text, isInZone: given != nil) else { return }
    var target = given
    if let named = text.keys.zone {
      do throws(CloudError) {
        let zone = try ZoneID(named.value)
        if let given, fixture.zones[given].id != zone {
          note("the record is listed in zone '\(fixture.zones[given].id.text)'", at: named.position)
        }
        target = target ?? self.place(of: zone, in: scope, at: record.position)
      } catch { note(error, at: named.position) }
    }
    let index = target ?? self.place(of: zone, in: scope, at: record.position)
    if let zone = text.keys.parentZone, let parent = record.parent,
      zone.name != fixture.zones[index].id.name
    {
      note(.foreignReference("parent", to: zone, of: record.name), at: parent.position)
    }
    fixture.zones[index].records.append(record)
  }

  /// Returns the record of a text; nil if a part is missing. A zone that lists records does not
  /// imply their type, as a file's name may.
  private mutating func record(_ text: RecordText, isInZone: Bool) -> Fixture.Record? {
    if text.keys.isUnreadable { return nil }
    if text.keys.isDeletion {
      note("a fixture cannot delete records", at: text.keys.position)
      return nil
    }
    guard let name = text.keys.name else {
      note(
        "the record has no recordName", at: text.keys.position,
        remedy: "name each record, so that the fixture can be loaded again")
      return nil
    }
    guard let type = text.keys.type?.value ?? (isInZone ? nil : file.type) else {
      note("the record has no recordType", at: text.keys.position)
      return nil
    }
    if type == RecordType.share.text {
      fixture.skippedShares += 1
      return nil
    }
    do throws(CloudError) { _ = try RecordName(name.value) } catch {
      note(error, at: place(name.position))
      return nil
    }
    do throws(CloudError) { _ = try RecordType(type) } catch {
      note(error, at: text.keys.type?.position ?? text.keys.position)
      return nil
    }
    return Fixture.Record(
      name: name.value, type: type,
      parent: text.keys.parent.map { Placed($0.value, at: place($0.position)) },
      fields: file.source == 0 ? text.fields : text.fields.map(placed),
      at: place(text.keys.position))
  }

  /// A value with its position in the current file: tables do not know the file.
  private func placed(_ field: FieldText) -> FieldText {
    var field = field
    field.position = place(field.position)
    return field
  }
}
