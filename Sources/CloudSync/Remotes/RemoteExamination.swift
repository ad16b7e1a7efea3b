internal import Basics
public import CloudModel
internal import WireFormat

/// Tries what a pull needs of a server.
public struct RemoteExamination {
  private let client: RemoteClient

  /// A result.
  public struct Finding: Sendable {
    /// What was tried.
    public let subject: String
    /// Whether it works.
    public let isGood: Bool
    /// What was found.
    public let details: String
    /// The line that a schema needs.
    public var line: String?

    init(_ subject: String, _ isGood: Bool, _ details: String, line: String? = nil) {
      (self.subject, self.isGood, self.details) = (subject, isGood, details)
      self.line = line
    }
  }

  /// Prepares it with the credentials of a client.
  public init(_ client: RemoteClient) { self.client = client }

  /// Runs all checks, for these types. Throws `RemoteFailure` if the server cannot be reached.
  public func run(types: [RecordType]) throws -> [Finding] {
    var findings = [try caller(), clock()]
    if client.settings.credentials.reachesPrivate { findings.append(try zones()) }
    let database = RemoteDatabase(client, .public)
    for type in types { findings.append(try query(type, database)) }
    return findings
  }

  private func caller() throws -> Finding {
    let kind = client.settings.credentials.kind
    do {
      let user = try RemoteDatabase(client, .public).caller()
      return Finding("credentials", true, user.map { "\(kind), user \($0.text)" } ?? kind)
    } catch let error as RemoteError {
      return Finding("credentials", false, "\(kind): \(error.code): \(error.reason)")
    }
  }

  /// A signature expires ten minutes after its date.
  private func clock() -> Finding {
    guard let seconds = client.clockDifference else {
      return Finding("clock", true, "the server does not say its time")
    }
    let isGood = abs(seconds) < 300
    return Finding(
      "clock", isGood,
      isGood ? "within 5 minutes of the server's" : "differs from the server's by \(seconds) s")
  }

  private func zones() throws -> Finding {
    do {
      let zones = try RemoteDatabase(client, .private).zones()
      return Finding("private database", true, zones.count.counted("zone"))
    } catch let error as RemoteError {
      return Finding("private database", false, "\(error.code): \(error.reason)")
    }
  }

  private func query(_ type: RecordType, _ database: RemoteDatabase) throws -> Finding {
    do {
      let page = try database.query(
        type, in: .defaultZone, createdSince: 0, after: nil, limit: 1)
      let count = page.records.isEmpty ? "no records" : "can be pulled"
      return Finding("public \(type.text)", true, count)
    } catch let error as RemoteError {
      let needsIndex =
        error.wireCode == .badRequest
        && ["queryable", "sortable", "indexable"].contains { error.reason.contains($0) }
      return Finding(
        "public \(type.text)", false, "\(error.code): \(error.reason)",
        line: needsIndex ? "\"___createTime\" TIMESTAMP QUERYABLE SORTABLE" : nil)
    }
  }
}
