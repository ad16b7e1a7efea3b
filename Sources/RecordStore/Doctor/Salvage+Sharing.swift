internal import CloudModel
internal import SQLite
internal import StoreFiles

// The rows of shares other than their records: participants, covered records, visible zones.
extension Salvage {
  /// Drops the rows of shares whose records are lost, and rebuilds those that can be derived.
  func mendSharing() throws(StoreError) {
    // The number of a share is that of its record, which its name finds.
    try new.connection.perform(
      """
      UPDATE OR REPLACE _share SET _id = r._id FROM _record r
      WHERE r.zone = _share.zone AND r.name = _share.name AND r._id <> _share._id
      """)
    try drop(
      "_share",
      """
      (zone, name) NOT IN (SELECT zone, name FROM _record) OR root IS NOT NULL
      AND (zone, root) NOT IN (SELECT zone, name FROM _record)
      """, "its record or root is lost")
    for table in ["_subscription", "_notification", "_inbox"] {
      try drop(table, "user <> 0 AND abs(user) NOT IN (SELECT _id FROM _user)", "its user is lost")
    }
    try drop(
      "_participant", "share NOT IN (SELECT _id FROM _share)", "its share is lost")
    try new.connection.perform(
      "INSERT OR IGNORE INTO _cover(record, share, type, name) \(EnvironmentStore.allCovers)")
    try drop(
      "_window",
      """
      until IS NULL AND (user, zone) NOT IN (SELECT p.user, s.zone FROM _participant p
      JOIN _share s ON s._id = p.share
      WHERE p.user IS NOT NULL AND p.status = \(AcceptanceStatus.accepted.rawValue))
      """, "its user cannot see the zone")
    try addLostWindows()
  }

  private func drop(
    _ table: String, _ condition: String, _ reason: String
  ) throws(StoreError) {
    try new.connection.perform("DELETE FROM \(table) WHERE \(condition)")
    for _ in 0..<new.connection.changedRows { lose(.row, table, reason) }
  }

  /// Opens the windows on zones that users take part in, as far as that is known.
  private func addLostWindows() throws(StoreError) {
    try new.connection.perform(
      """
      INSERT OR REPLACE INTO _window(user, owner, name, zone, since, until)
      SELECT DISTINCT p.user, u.name, z.name, z._id, z.made, NULL
      FROM _participant p JOIN _share s ON s._id = p.share JOIN _zone z ON z._id = s.zone
      JOIN _user u ON u._id = z.owner
      WHERE p.user IS NOT NULL AND p.status = \(AcceptanceStatus.accepted.rawValue)
      AND NOT EXISTS (SELECT 1 FROM _window w
        WHERE w.user = p.user AND w.zone = s.zone AND w.until IS NULL)
      """)
    for _ in 0..<new.connection.changedRows {
      lose(.row, "_window", "the time from which its user sees the zone is lost")
    }
  }
}
