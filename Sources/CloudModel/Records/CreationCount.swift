/// How many records a user created on a day.
public struct CreationCount: Sendable, Equatable {
  /// The day, in days since 1970 in UTC.
  public let day: Int64
  /// The user.
  public let user: UserRecordName
  /// The number of the records that still exist.
  public let records: Int

  /// Creates a count.
  public init(day: Int64, user: UserRecordName, records: Int) {
    (self.day, self.user, self.records) = (day, user, records)
  }
}
