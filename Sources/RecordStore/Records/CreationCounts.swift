public import CloudModel
internal import SQLite
public import StoreFiles

extension EnvironmentStore {
  /// The number of records of all apps' types by the day of their creation and their creator, in
  /// order of the days. It reads all records.
  public func creationCounts() throws(StoreError) -> [CreationCount] {
    var counts: [Int64: [UserRecordName: Int]] = [:]
    for type in try types() where type != .users {
      guard let table = try table(type) else { continue }
      let row = try connection.query(
        """
        SELECT _created / 86400000, _creator, count(*) FROM \(table.table) GROUP BY 1, 2
        """)
      while try row.next() {
        let (day, creator, count) = (row.int64(0), row.int64(1), Int(row.int64(2)))
        counts[day, default: [:]][try users.author(creator).name, default: 0] += count
      }
    }
    return counts.sorted { $0.key < $1.key }.flatMap { day, users in
      users.map { CreationCount(day: day, user: $0.key, records: $0.value) }
    }
  }
}
