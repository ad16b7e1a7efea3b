/// The input line of each record of an import, to report which record a later one repeats. A new
/// record takes four bytes.
struct RecordLines {
  /// The last sequence number before the import.
  private let start: Int64
  /// The lines of the new records, by their numbers after `start`; 0 for none.
  private var made: [UInt32] = []
  /// The lines of records that existed before.
  private var met: [Int64: UInt32] = [:]

  init(after start: Int64) { self.start = start }

  /// Notes the line of a record's number.
  mutating func note(_ number: Int64, _ line: Int) {
    let line = UInt32(clamping: line)
    guard number > start else {
      met[number] = line
      return
    }
    let place = Int(number - start) - 1
    while made.count <= place { made.append(0) }
    made[place] = line
  }

  /// The line of a record's number; nil for one that the import has not met.
  func line(of number: Int64) -> Int? {
    guard number > start else { return met[number].map { Int($0) } }
    let place = Int(number - start) - 1
    return place < made.count && made[place] > 0 ? Int(made[place]) : nil
  }
}
