internal import Basics
internal import CloudModel

/// Reads a property list as records: an array of dictionaries, or one dictionary (M5).
public enum PropertyListRecords {
  /// Reads the records of a property list, XML or binary, with fields in order of their names,
  /// because a dictionary has no order. Throws `RecordReadingError` for other bytes.
  public static func read(_ bytes: [UInt8]) throws(RecordReadingError) -> [RecordText] {
    let start = TextPosition(line: 1, column: 1)
    return try bytes.withUnsafeBytes { (bytes) -> Result<[RecordText], RecordReadingError> in
      var places = TextPlaces(bytes, start)
      do {
        if BinaryPropertyList.isOne(bytes) {
          var walker = try ValueWalker(binaryPropertyList: bytes)
          return .success(try records(&walker, &places))
        }
        var walker = try PropertyListWalker(walking: bytes)
        return .success(try records(&walker, &places))
      } catch {
        return .failure(RecordReadingError(error, &places))
      }
    }.get()
  }

  private static func records<Walker: NotationWalker>(
    _ walker: inout Walker, _ places: inout TextPlaces
  ) throws -> [RecordText] {
    let reader = RecordTextReader(plainForm: .fields)
    var records: [RecordText] = []
    func take(_ walker: inout Walker) throws {
      var record = try reader.text(&walker, &places)
      record.fields.sort { utf8Precedes($0.name.text, $1.name.text) }
      records.append(record)
    }
    if walker.nextKind == .array { try walker.array(take) } else { try take(&walker) }
    try walker.end()
    return records
  }
}
