/// The input line of each new record of an import, to report which record a later one repeats. A
/// record takes four bytes. The lines of records that were rolled back may stay: no other record
/// gets their numbers without a line of its own.
struct RecordLines {
  /// The last sequence number before the import.
  private let start: Int64
  /// The lines of the new records, by their numbers after `start`; 0 for none.
  private var lines: [UInt32] = []

  init(after start: Int64) { self.start = start }

  /// Notes the line of a new record's number.
  mutating func note(_ number: Int64, _ line: Int) {
    let place = Int(number - start) - 1
    while lines.count <= place { lines.append(0) }
    lines[place] = UInt32(clamping: line)
  }

  /// The line of a new record's number; nil for one that existed before.
  func line(of number: Int64) -> Int? {
    let place = Int(number - start) - 1
    return lines.indices.contains(place) && lines[place] > 0 ? Int(lines[place]) : nil
  }
}
