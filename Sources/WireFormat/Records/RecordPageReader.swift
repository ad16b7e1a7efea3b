internal import Basics
internal import CloudModel

/// Finds the records in an object with many of them.
///
/// The tool writes `{"records":[…],"cursor":…}` and
/// `{"changed":[…],"deleted":[…],"token":…,"moreComing":…}`. Web Services answer
/// `{"records":[…]}`, `{"results":[…]}` and, for the changes of zones,
/// `{"zones":[{"zoneID":…,"records":[…]}]}`; a request is
/// `{"operations":[{"operationType":…,"record":{…}}],"zoneID":…}` (web-services.md, §3).
struct RecordPageReader {
  /// The place of one record in the text.
  struct Place {
    /// The record's object.
    let text: Range<Int>
    /// Whether the page says, outside the object, that the record is deleted.
    let isDeletion: Bool
    /// The zone that the page gives the record; nil for none, or if the record names one.
    var zone: Range<Int>?
    /// Whether the record names its zone.
    fileprivate let hasZone: Bool
    /// Whether the object has keys that a reference does not have.
    fileprivate let isRecord: Bool
  }

  private var records: [Place] = []
  /// Whether the object has a member that no page has.
  private var hasOther = false

  private struct NoPage: Error {}

  /// The places of a page's records; nil unless a text is one.
  static func records(of bytes: UnsafeRawBufferPointer) -> [Place]? {
    guard mayBePage(bytes) else { return nil }
    var reader = RecordPageReader()
    do {
      var walker = try JSONParser(walking: bytes)
      let names = try reader.read(&walker)
      try walker.end()
      guard !reader.hasOther, !lists.isDisjoint(with: names) else { return nil }
      // An object with the field `records`, a list of references, is not a page.
      if names == ["records"], !reader.records.isEmpty,
        !reader.records.contains(where: \.isRecord)
      {
        return nil
      }
    } catch { return nil }
    return reader.records
  }

  /// Whether an object begins like a page: most texts are records.
  private static func mayBePage(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.first == UInt8(ascii: "{") else { return false }
    let rest = bytes.dropFirst().drop(while: JSONParser.isBlank)
    guard rest.first == UInt8(ascii: "\""),
      let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\""))
    else { return false }
    let name = rest[rest.startIndex + 1..<end]
    return firstNames.contains { $0.count == name.count && name.elementsEqual($0) }
  }

  /// Reads an object with records; returns the names of its members.
  private mutating func read(_ walker: inout JSONParser) throws -> Set<String> {
    var names: Set<String> = []
    var zone: Range<Int>?
    let first = records.count
    try walker.object { walker, name, _ in
      names.insert(name)
      switch name {
      case "zones": try walker.array { walker in _ = try read(&walker) }
      case _ where Self.lists.contains(name):
        try walker.array { walker in
          records.append(try Self.record(&walker, isDeletion: name == "deleted"))
        }
      default:
        hasOther = hasOther || !Self.others.contains(name)
        let start = walker.offset
        let value = try walker.take()
        if name == "zoneID", case .object = value { zone = start..<walker.offset }
      }
    }
    for index in first..<records.count where !records[index].hasZone {
      records[index].zone = records[index].zone ?? zone
    }
    return names
  }

  /// Reads an item of a list: a record, or an operation with its record.
  private static func record(_ walker: inout JSONParser, isDeletion: Bool) throws -> Place {
    guard walker.nextKind == .object else { throw NoPage() }
    let start = walker.offset
    var names: Set<String> = []
    var operation: String?
    var nested: Place?
    try walker.object { walker, name, _ in
      names.insert(name)
      if name == "record", walker.nextKind == .object {
        nested = try record(&walker, isDeletion: false)
      } else {
        let value = try walker.take()
        if name == "operationType" { operation = value.string }
      }
    }
    let isDeletion = isDeletion || ["delete", "forceDelete"].contains(operation)
    guard let nested, !names.contains("fields") else {
      return Place(
        text: start..<walker.offset, isDeletion: isDeletion,
        hasZone: !names.isDisjoint(with: ["zone", "zoneID"]),
        isRecord: !names.isSubset(of: ["recordName", "action", "zone", "zoneID"]))
    }
    return Place(
      text: nested.text, isDeletion: isDeletion, hasZone: nested.hasZone, isRecord: true)
  }

  /// The members that contain records.
  private static let lists: Set = [
    "records", "changed", "deleted", "zones", "results", "operations",
  ]

  /// The other members of pages.
  private static let others: Set = [
    "cursor", "token", "clientChangeToken", "moreComing", "syncToken", "continuationMarker",
    "zoneID", "atomic", "desiredKeys", "numbersAsStrings", "uuid",
  ]

  /// The names of the members with which a page can begin, in UTF-8.
  private static let firstNames = lists.union(others).subtracting(["deleted"]).map {
    Array($0.utf8)
  }
}
