internal import Basics
public import CloudModel

/// Reads the files of a fixture: what stands in them is kept with its place, and what is wrong
/// with it, too, so that all of it can be told at once.
public struct FixtureReader {
  /// What was read so far.
  public internal(set) var fixture = Fixture()
  /// Where records are that name no database and no zone.
  private let scope: DatabaseScope
  private let zone: ZoneID
  /// The file that is read.
  var file = FixtureFile()
  /// Where the first object without records begins.
  var settingsAlone: TextPosition?

  /// The file that is read at the moment.
  struct FixtureFile {
    /// Which one of the fixture's.
    var source = 0
    /// The type of records that name none; nil where the file's name is no type.
    var type: String?
    /// The zones that the file has named so far, by their place in the fixture.
    var zones: [String: Int] = [:]
  }

  /// Records that name no database and no zone are in the given ones.
  public init(scope: DatabaseScope, zone: ZoneID) {
    self.scope = scope
    self.zone = zone
  }

  /// Begins the next file.
  public mutating func begin(_ path: String, type: String?) {
    file = FixtureFile(source: fixture.sources.count, type: type)
    fixture.sources.append(path)
  }

  /// Takes a fault down.
  mutating func note(_ message: String, at position: TextPosition, remedy: Remedy? = nil) {
    note(CloudError(.invalidArguments, message, remedy: remedy), at: position)
  }

  /// Takes a fault down.
  mutating func note(_ error: CloudError, at position: TextPosition) {
    var position = position
    position.source = file.source
    fixture.faults.append(FixtureFault(error, at: position))
  }

  /// Ends the reading: some file must tell of records.
  public mutating func finish() {
    guard let first = settingsAlone, fixture.zones.isEmpty, fixture.faults.isEmpty else { return }
    fixture.faults.append(FixtureFault("the fixture has no 'databases'", at: first))
  }

  // MARK: Where records go

  /// The place of a zone among the fixture's; made where it is named first.
  mutating func place(
    of zone: ZoneID, in scope: DatabaseScope, at position: TextPosition
  ) -> Int {
    let key = "\(scope.name)/\(zone.text)"
    if let place = file.zones[key] { return place }
    file.zones[key] = fixture.zones.count
    fixture.zones.append(Fixture.Zone(zone, in: scope, at: position))
    return fixture.zones.count - 1
  }

  /// Puts a record into the zone at a place, or into the one that it names itself.
  mutating func add(_ parts: RecordParts, toZoneAt place: Int? = nil) {
    guard let record = record(parts) else { return }
    var target = place
    if let named = parts.zone {
      do throws(CloudError) {
        let zone = try ZoneID(named.value)
        if let place, fixture.zones[place].id != zone {
          note("the record is listed in zone '\(fixture.zones[place].id.text)'", at: named.position)
        }
        target = target ?? self.place(of: zone, in: scope, at: record.position)
      } catch { note(error, at: named.position) }
    }
    let index = target ?? self.place(of: zone, in: scope, at: record.position)
    fixture.zones[index].records.append(record)
  }

  /// The record that its parts make; nil where something of it is missing.
  private mutating func record(_ parts: RecordParts) -> Fixture.Record? {
    if parts.isBroken { return nil }
    guard let name = parts.name else {
      note(
        "the record has no recordName", at: parts.position,
        remedy: "the name of a record is its label, so that a fixture can be loaded again")
      return nil
    }
    guard let type = parts.type?.value ?? (parts.isInZone ? nil : file.type) else {
      note("the record has no recordType", at: parts.position)
      return nil
    }
    do throws(CloudError) { _ = try RecordName(name.value) } catch {
      note(error, at: name.position)
      return nil
    }
    do throws(CloudError) { _ = try RecordType(type) } catch {
      note(error, at: parts.type?.position ?? parts.position)
      return nil
    }
    return Fixture.Record(
      name: name.value, type: type, parent: parts.parent, fields: parts.fields,
      at: parts.position)
  }
}

/// What a text says of a record.
struct RecordParts {
  var name: Fixture.Placed<String>?
  var type: Fixture.Placed<String>?
  var zone: Fixture.Placed<String>?
  var parent: Fixture.Placed<String>?
  var fields: [Fixture.Field] = []
  var position: TextPosition
  /// Whether something is wrong that was told, so that nothing can be made of it.
  var isBroken = false
  /// Whether the fixture says where the record is: then it says its type, too.
  var isInZone = false
}
