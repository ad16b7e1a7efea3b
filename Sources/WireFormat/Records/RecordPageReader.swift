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
    var isDeletion = false
    /// The value of the object's own member `deleted`.
    var deleted: Range<Int>?
    /// The operation of a request.
    var operation: String?
    /// The zone that the page gives the record; nil for none, or if the record names one.
    var zone: Zone?
    /// The zone that the record names.
    fileprivate var ownZone: Zone?
    /// Whether the object has keys that a reference does not have.
    fileprivate var isRecord = false
  }

  /// A member that names a zone.
  struct Zone {
    let name: String
    let value: Range<Int>
  }

  private var records: [Place] = []
  /// Whether the object has a member that its kind of page does not have.
  private var hasOther = false

  private struct NoPage: Error {}

  /// The places of a page's records; nil unless a text is one.
  static func records(of bytes: UnsafeRawBufferPointer) -> [Place]? {
    guard mayBePage(bytes) else { return nil }
    var reader = RecordPageReader()
    do {
      var walker = try JSONParser(walking: bytes)
      let names = try reader.read(&walker, lists: Set(others.keys))
      try walker.end()
      guard !reader.hasOther else { return nil }
      // The only field of an object may be a list of references.
      let isList = names.count == 1 && !reader.records.isEmpty
      if isList, !reader.records.contains(where: \.isRecord) { return nil }
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

  /// Reads an object with records in one of some lists; returns the names of its members.
  private mutating func read(
    _ walker: inout JSONParser, lists: Set<String>
  ) throws -> Set<String> {
    var names: Set<String> = []
    var zone: Zone?
    let (first, start) = (records.count, walker.offset)
    try walker.object { walker, name, _ in
      names.insert(name)
      switch name {
      case "zones" where lists.contains(name):
        try walker.array { walker in _ = try read(&walker, lists: ["records"]) }
      case _ where lists.contains(name):
        try walker.array { walker in
          var record = try Self.record(&walker)
          if name == "deleted" { record.isDeletion = true }
          records.append(record)
        }
      default:
        let start = walker.offset
        let value = try walker.take()
        if name == "zoneID", case .object = value {
          zone = Zone(name: name, value: start..<walker.offset)
        }
      }
    }
    if names.contains("serverErrorCode"), lists == ["records"] {
      // The error of a zone is read like that of a record.
      records.append(Place(text: start..<walker.offset, isRecord: true))
      return names
    }
    let kinds = lists.intersection(names)
    let known = kinds.reduce(into: kinds) { $0.formUnion(Self.others[$1] ?? []) }
    hasOther = hasOther || kinds.isEmpty || !names.isSubset(of: known)
    // A feed names the zone in the changed records alone.
    zone =
      zone ?? (kinds.contains("changed") ? records[first...].lazy.compactMap(\.ownZone).first : nil)
    for index in first..<records.count where records[index].ownZone == nil {
      records[index].zone = records[index].zone ?? zone
    }
    return names
  }

  /// Reads an item of a list: a record, or an operation with its record.
  private static func record(_ walker: inout JSONParser) throws -> Place {
    guard walker.nextKind == .object else { throw NoPage() }
    let start = walker.offset
    var names: Set<String> = []
    var (operation, ownZone): (String?, Zone?) = (nil, nil)
    var deleted: Range<Int>?
    var nested: Place?
    try walker.object { walker, name, _ in
      names.insert(name)
      if name == "record", walker.nextKind == .object {
        nested = try record(&walker)
        return
      }
      let start = walker.offset
      let value = try walker.take()
      switch name {
      case "operationType": operation = value.string
      case "deleted": deleted = start..<walker.offset
      case "zone", "zoneID": ownZone = Zone(name: name, value: start..<walker.offset)
      default: break
      }
    }
    guard var place = nested, !names.contains("fields") else {
      return Place(
        text: start..<walker.offset, deleted: deleted, ownZone: ownZone,
        isRecord: !names.isSubset(of: ["recordName", "action", "zone", "zoneID"]))
    }
    place.operation = operation
    place.isDeletion = ["delete", "forceDelete"].contains(operation)
    place.isRecord = true
    return place
  }

  /// The members that contain records, and those that may be beside each.
  private static let others: [String: Set<String>] = [
    "records": ["cursor", "syncToken", "continuationMarker", "moreComing", "zoneID"],
    "changed": ["token", "clientChangeToken", "moreComing"],
    "deleted": ["token", "clientChangeToken", "moreComing"],
    "zones": ["syncToken", "moreComing"],
    "results": ["syncToken"],
    "operations": ["atomic", "zoneID", "desiredKeys", "numbersAsStrings"],
  ]

  /// The names of the members with which a page can begin, in UTF-8.
  private static let firstNames = Set(others.keys).union(others.values.flatMap(\.self)).map {
    Array($0.utf8)
  }
}
