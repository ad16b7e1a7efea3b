internal import Basics
public import CloudModel

/// Reads a property list as records: an array of dictionaries, or one dictionary (M5).
/// Dates are TIMESTAMP, data are BYTES; everything else is read as plain JSON is. Only XML tells
/// places for its faults.
public enum PropertyListRecordReader {
  /// The records of a property list, XML or binary. Throws `RecordReadingError`.
  public static func read(_ bytes: [UInt8]) throws(RecordReadingError) -> [RecordDraft] {
    do {
      return try bytes.withUnsafeBytes { bytes in
        if BinaryPropertyList.isOne(bytes) {
          var list = BinaryPropertyList(bytes)
          let value = try list.read()
          var places = TextPlaces(UnsafeRawBufferPointer(start: nil, count: 0), start)
          if case .array(let items) = value {
            return try items.map { try draft($0, &places, start) }
          }
          return [try draft(value, &places, start)]
        }
        return try read(xml: bytes)
      }
    } catch let error as RecordReadingError {
      throw error
    } catch {
      throw RecordReadingError("\(error)", at: start)
    }
  }

  private static let start = TextPosition(line: 1, column: 1)

  private static func read(xml bytes: UnsafeRawBufferPointer) throws -> [RecordDraft] {
    var places = TextPlaces(bytes, start)
    do {
      var walker = try PropertyListWalker(walking: bytes)
      var drafts: [RecordDraft] = []
      func take(_ walker: inout PropertyListWalker) throws {
        let position = places.position(walker.offset)
        drafts.append(try draft(walker.take(), &places, position))
      }
      if walker.nextKind == .array { try walker.array(take) } else { try take(&walker) }
      try walker.end()
      return drafts
    } catch let error as PropertyListError {
      throw RecordReadingError(
        "not a property list: \(error.message)", at: places.position(error.offset), isSyntax: true)
    }
  }

  private static func draft(
    _ value: JSONValue, _ places: inout TextPlaces, _ position: TextPosition
  ) throws(RecordReadingError) -> RecordDraft {
    guard case .object = value else {
      throw RecordReadingError("a record is a dictionary", at: position)
    }
    var draft = try RecordReader().draft(of: value, &places, at: position)
    draft.fields.sort { utf8Precedes($0.name.text, $1.name.text) }
    return draft
  }
}
