internal import Basics
internal import CloudModel

/// The records of an object with many of them: a page of a query, `{"records":[…],"cursor":…}`, or
/// of a zone's feed, `{"changed":[…],"deleted":[…],"token":…,"moreComing":…}`.
final class RecordPage {
  /// The texts of the records, one after the other, at a fixed address.
  private let texts: UnsafeMutableRawBufferPointer
  private var places: ArraySlice<(text: Range<Int>, position: TextPosition)>

  /// Parses a JSON value that begins at `start`; nil unless it is such an object.
  init?(_ bytes: UnsafeRawBufferPointer, at start: TextPosition) {
    guard Self.mayBeOne(bytes), let members = Self.members(of: bytes) else { return nil }
    var text: [UInt8] = []
    var places: [(text: Range<Int>, position: TextPosition)] = []
    var positions = TextPlaces(bytes, start)
    for (range, isDeleted) in members {
      let first = text.count
      let record = bytes[range]
      if isDeleted {
        text.append(text: "{\"deleted\":true,")
        text.append(contentsOf: record.dropFirst())
      } else {
        text.append(contentsOf: record)
      }
      places.append((first..<text.count, positions.position(range.lowerBound)))
    }
    texts = .allocate(byteCount: text.count, alignment: 1)
    texts.copyBytes(from: text)
    self.places = places[...]
  }

  deinit { texts.deallocate() }

  /// Returns the next record, whose text is valid while the page exists; nil at the end.
  func next() -> (text: UnsafeRawBufferPointer, position: TextPosition)? {
    places.popFirst().map { (UnsafeRawBufferPointer(rebasing: texts[$0.text]), $0.position) }
  }

  /// Whether an object begins like such a page: most texts are records.
  private static func mayBeOne(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    guard bytes.first == UInt8(ascii: "{") else { return false }
    let rest = bytes.dropFirst().drop(while: isBlank)
    return rest.starts(with: "\"records\"".utf8) || rest.starts(with: "\"changed\"".utf8)
  }

  /// Returns the ranges of the records; nil if the object has members other than a page's, or a
  /// list of something else.
  private static func members(
    of bytes: UnsafeRawBufferPointer
  ) -> [(text: Range<Int>, isDeleted: Bool)]? {
    var found: [(text: Range<Int>, isDeleted: Bool)] = []
    var names: [String] = []
    do {
      var walker = try JSONParser(walking: bytes)
      try walker.object { walker, name, _ in
        names.append(name)
        guard lists.contains(name) else {
          _ = try walker.take()
          return
        }
        try walker.array { walker in
          let start = walker.offset
          guard case .object = try walker.take() else { throw NoPage() }
          found.append((start..<walker.offset, name == "deleted"))
        }
      }
      try walker.end()
    } catch { return nil }
    let isPage =
      names == ["records", "cursor"]
      || names.filter { $0 != "clientChangeToken" } == [
        "changed", "deleted", "token", "moreComing",
      ]
    return isPage ? found : nil
  }

  private static let lists = ["records", "changed", "deleted"]

  private struct NoPage: Error {}
}
