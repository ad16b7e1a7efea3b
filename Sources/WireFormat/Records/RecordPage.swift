internal import Basics
internal import CloudModel

/// The records of an object with many of them: a page of a query or a feed, as the tool writes it,
/// or an answer or request of Web Services (`RecordPageReader`).
final class RecordPage {
  /// The texts of the records, one after the other, at a fixed address.
  private let texts: UnsafeMutableRawBufferPointer
  private var places: ArraySlice<(text: Range<Int>, position: TextPosition)>

  /// Parses a JSON value that begins at `start`; nil unless it is such an object.
  init?(_ bytes: UnsafeRawBufferPointer, at start: TextPosition) {
    guard let records = RecordPageReader.records(of: bytes) else { return nil }
    var text: [UInt8] = []
    var places: [(text: Range<Int>, position: TextPosition)] = []
    var positions = TextPlaces(bytes, start)
    for record in records {
      let first = text.count
      text.append(contentsOf: bytes[record.text])
      // At the end, additions do not move the other members.
      if record.isDeletion, let deleted = record.deleted {
        let start = first + deleted.lowerBound - record.text.lowerBound
        text.replaceSubrange(start..<start + deleted.count, with: "true".utf8)
      } else if record.isDeletion {
        text.add(member: "deleted", "true".utf8)
      }
      if let operation = record.operation { text.add(operation: operation) }
      if let zone = record.zone { text.add(member: zone.name, bytes[zone.value]) }
      places.append((first..<text.count, positions.position(record.text.lowerBound)))
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
}

extension [UInt8] {
  /// Adds a member `operationType`.
  fileprivate mutating func add(operation: String) {
    var value: [UInt8] = []
    value.append(jsonString: operation)
    add(member: "operationType", value)
  }

  /// Adds a member to the JSON object with which the text ends.
  fileprivate mutating func add(member name: String, _ value: some Sequence<UInt8>) {
    removeLast()
    let isEmpty = last { !JSONParser.isBlank($0) } == UInt8(ascii: "{")
    append(text: isEmpty ? "\"\(name)\":" : ",\"\(name)\":")
    append(contentsOf: value)
    append(UInt8(ascii: "}"))
  }
}
