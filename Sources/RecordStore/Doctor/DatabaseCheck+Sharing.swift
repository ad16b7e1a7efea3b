internal import Basics
internal import CloudModel
internal import SQLite
internal import StoreFiles

// Checks shares, their participants, and which records they cover; subscriptions and their users.
extension DatabaseCheck {
  func checkSharing() throws(StoreError) {
    try requireNone([
      (
        "_share", "its record is missing",
        """
        SELECT name FROM _share
        WHERE (zone, name, _id) NOT IN (SELECT zone, name, _id FROM _record)
        """
      ),
      (
        "_participant", "belongs to a share that is missing",
        "SELECT participant FROM _participant WHERE share NOT IN (SELECT _id FROM _share)"
      ),
      (
        "_window", "its user takes part in no share of the zone",
        """
        SELECT user || ' ' || name FROM _window WHERE until IS NULL AND (user, zone) NOT IN
        (\(Self.memberships))
        """
      ),
      (
        "_window", "a user takes part in a share but does not see its zone",
        """
        SELECT user FROM (\(Self.memberships)) WHERE (user, zone) NOT IN
        (SELECT user, zone FROM _window WHERE until IS NULL)
        """
      ),
    ])
    try checkCovers()
  }

  func checkSubscriptions() throws(StoreError) {
    try requireNone([
      (
        "_subscription", "its user is missing",
        "SELECT name FROM _subscription WHERE user NOT IN (SELECT _id FROM _user)"
      ),
      (
        "_notification", "its user is missing",
        """
        SELECT CAST(_id AS TEXT) FROM _notification
        WHERE user <> 0 AND abs(user) NOT IN (SELECT _id FROM _user)
        """
      ),
      (
        "_inbox", "its user is missing",
        "SELECT device FROM _inbox WHERE user NOT IN (SELECT _id FROM _user)"
      ),
    ])
  }

  /// Adds a finding for each row of some queries.
  private func requireNone(
    _ checks: [(subject: String, detail: String, query: String)]
  ) throws(StoreError) {
    for check in checks {
      let rows = try connection.query(check.query)
      while try rows.next() {
        add(.row, check.subject, "\(rows.text(0).visible) \(check.detail)")
      }
    }
  }

  private func checkCovers() throws(StoreError) {
    let covers = EnvironmentStore.covers {
      "\($0.record), \($0.share), \($0.type), \($0.name)"
    }
    let all = EnvironmentStore.allCovers
    for query in [
      "SELECT * FROM (\(covers)) EXCEPT SELECT * FROM (\(all))",
      "SELECT * FROM (\(all)) EXCEPT SELECT * FROM (\(covers))",
    ].map({ "WITH some(share, zone) AS (SELECT _id, zone FROM _share) \($0)" }) + [
      "SELECT 1 FROM _cover WHERE share NOT IN (SELECT _id FROM _share)"
    ] {
      let rows = try connection.query("\(query) LIMIT 1")
      guard try rows.next() else { continue }
      return add(.links, "_cover", "the covered records do not match the shares")
    }
  }

  /// The users who take part in shares, with the zones of these shares.
  private static let memberships = """
    SELECT p.user AS user, s.zone AS zone FROM _participant p JOIN _share s ON s._id = p.share
    WHERE p.user IS NOT NULL AND p.status = \(AcceptanceStatus.accepted.rawValue)
    """
}
