internal import CloudModel
internal import CloudServices
internal import Foundation

/// A fetch of the metadata of shares by their URLs.
struct MetadataFetching: Sendable {
  var urls: [URL]
  var fetchesRoot = false
  var desiredKeys: [CKRecord.FieldKey]?

  typealias Results = [(URL, Result<CKShare.Metadata, any Error>)]

  func run(_ client: Client, _ request: Request) throws -> Results {
    let environment = try client.environment(for: request)
    var reader = RecordReader(client, environment)
    return try environment.holdingAssets {
      urls.map { url in
        let result = Result<CKShare.Metadata, any Error> {
          do throws(CloudError) { return try metadata(url, environment, &reader) } catch {
            throw CKError(error)
          }
        }
        return (url, result)
      }
    }
  }

  private func metadata(
    _ url: URL, _ environment: CloudEnvironment, _ reader: inout RecordReader
  ) throws(CloudError) -> CKShare.Metadata {
    let found = try environment.metadata(of: ShareURL(url.absoluteString))
    var root: CKRecord?
    if fetchesRoot, var record = found.rootRecord {
      if let desiredKeys { record.fields = record.fields.only(desiredKeys) }
      root = try reader.record(record)
    }
    return CKShareMetadata(
      found, of: url, try reader.share(found.share), root: root, owner: reader.identity(found.owner)
    )
  }

  /// The failed items of some results as one error; nil for none.
  static func error(of results: Results) -> CKError? {
    .partial("Failed to fetch some share metadata", Dictionary(failures: results))
  }
}

extension RecordFields {
  /// The fields of some names.
  fileprivate func only(_ keys: [String]) -> RecordFields {
    RecordFields(sorted: entries.filter { keys.contains($0.name.text) })
  }
}

/// The acceptance of shares (R10.3.4).
struct ShareAccepting: Sendable {
  var metadatas: [CKShare.Metadata]

  typealias Results = [(CKShare.Metadata, Result<CKShare, any Error>)]

  func run(_ client: Client, _ request: Request) throws -> Results {
    let environment = try client.environment(for: request)
    var reader = RecordReader(client, environment)
    return metadatas.map { metadata in
      let result = Result<CKShare, any Error> {
        do throws(CloudError) {
          let url = try ShareURL(metadata.url?.absoluteString ?? "")
          return try reader.share(environment.accept(url).share)
        } catch { throw CKError(error) }
      }
      return (metadata, result)
    }
  }

  /// The failed items of some results as one error, by the URLs of the shares (R10.3.15); nil for
  /// none.
  static func error(of results: Results) -> CKError? {
    let byURL = results.map { metadata, result in
      (metadata.url ?? URL(fileURLWithPath: "/"), result)
    }
    return .partial("Failed to accept some shares", Dictionary(failures: byURL))
  }
}

/// Requests for access to shares (R10.2.9).
struct AccessRequesting: Sendable {
  var urls: [URL]

  typealias Results = [(URL, Result<Void, any Error>)]

  func run(_ client: Client, _ request: Request) throws -> Results {
    let environment = try client.environment(for: request)
    return urls.map { url in
      let result = Result<Void, any Error> {
        do throws(CloudError) {
          _ = try environment.requestAccess(to: ShareURL(url.absoluteString))
        } catch { throw CKError(error) }
      }
      return (url, result)
    }
  }

  /// The failed items of some results as one error; nil for none.
  static func error(of results: Results) -> CKError? {
    .partial("Failed to request access to some shares", Dictionary(failures: results))
  }
}

/// A fetch of people whom the app may invite (R10.2.2).
struct ParticipantFetching: Sendable {
  var lookups: [CKUserIdentity.LookupInfo]

  typealias Results = [(CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>)]

  func run(_ client: Client, _ request: Request) throws -> Results {
    let database = try client.database(.private, for: request)
    try database.requireActor()
    let reader = RecordReader(client, database.environment)
    return lookups.map { lookup in
      let result = Result<CKShare.Participant, any Error> {
        do throws(CloudError) {
          guard let invitee = try lookup.invitee() else {
            throw CloudError(.invalidArguments, "The lookup has no address")
          }
          let identity = try database.environment.identity(of: invitee)
          return CKShareParticipant(UUID().uuidString, reader.identity(identity, found: lookup))
        } catch { throw CKError(error) }
      }
      return (lookup, result)
    }
  }

  /// The failed items of some results as one error; nil for none.
  static func error(of results: Results) -> CKError? {
    .partial("Failed to fetch some share participants", Dictionary(failures: results))
  }
}
