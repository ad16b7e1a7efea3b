public import CloudModel
internal import RecordStore

extension CloudDatabase {
  /// Deletes records by their names, all or none.
  ///
  /// A missing name is success, as in CloudKit (rule 4.4.14). With a tag a record must be that
  /// version. Returns how many were there. Throws `CloudError`.
  public func delete(
    _ names: [RecordName], in zone: ZoneName, tag: ChangeTag? = nil
  ) throws(CloudError) -> Int {
    guard account != nil else { throw .notSignedIn }
    return try environment.write {
      let zone = try zoneToWrite(zone, try writer())
      var count = 0
      for name in names {
        guard let stored = try store.record(name, in: zone) else { continue }
        if let tag, tag != stored.record.changeTag {
          var client = stored.record
          client.changeTag = tag
          throw CloudError.tagMismatch(server: stored.record, client: client)
        }
        try store.delete(stored)
        count += 1
      }
      return count
    }
  }
}
