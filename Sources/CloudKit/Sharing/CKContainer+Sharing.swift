@_exported public import Foundation

extension CKContainer {
  // MARK: Metadata

  /// Fetches what an app knows of a share by its URL. Throws `unknownItem` for an unknown share.
  public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
    try await client.perform(.reading, MetadataFetching(urls: [url]).run)[0].1.get()
  }

  /// Fetches what an app knows of a share by its URL, and passes it or an error.
  @preconcurrency
  public func fetchShareMetadata(
    with url: URL,
    completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
  ) {
    client.perform(.reading, MetadataFetching(urls: [url]).run) { results in
      let result = results.flatMap { $0[0].1 }
      completionHandler(result.value, result.error)
    }
  }

  /// Fetches what an app knows of shares by their URLs.
  public func shareMetadatas(
    for urls: [URL]
  ) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
    Dictionary(
      try await client.perform(.reading, MetadataFetching(urls: urls).run),
      uniquingKeysWith: { $1 })
  }

  /// Fetches what an app knows of shares by their URLs, and passes the results.
  @preconcurrency
  public func fetchShareMetadatas(
    for urls: [URL],
    completionHandler:
      @escaping @Sendable (
        Result<[URL: Result<CKShare.Metadata, any Error>], any Error>
      ) -> Void
  ) {
    client.perform(.reading, MetadataFetching(urls: urls).run) { result in
      completionHandler(result.map { Dictionary($0, uniquingKeysWith: { $1 }) })
    }
  }

  // MARK: Acceptance

  /// Accepts a share: its records appear in the shared database (R10.3.4). Throws
  /// `permissionFailure` for a user who is not invited.
  @discardableResult
  public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
    try await client.perform(.writing, ShareAccepting(metadatas: [metadata]).run)[0].1.get()
  }

  /// Accepts a share, and passes it or an error.
  @preconcurrency
  public func accept(
    _ metadata: CKShare.Metadata,
    completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
  ) {
    client.perform(.writing, ShareAccepting(metadatas: [metadata]).run) { results in
      let result = results.flatMap { $0[0].1 }
      completionHandler(result.value, result.error)
    }
  }

  /// Accepts shares.
  public func accept(
    _ metadatas: [CKShare.Metadata]
  ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
    Dictionary(
      try await client.perform(.writing, ShareAccepting(metadatas: metadatas).run),
      uniquingKeysWith: { $1 })
  }

  /// Accepts shares, and passes the results.
  @preconcurrency
  public func accept(
    _ metadatas: [CKShare.Metadata],
    completionHandler:
      @escaping @Sendable (
        Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>
      ) -> Void
  ) {
    client.perform(.writing, ShareAccepting(metadatas: metadatas).run) { result in
      completionHandler(result.map { Dictionary($0, uniquingKeysWith: { $1 }) })
    }
  }

  /// Asks for access to shares (R10.2.9).
  public func requestShareAccess(
    for urls: [URL]
  ) async throws -> [URL: Result<Void, any Error>] {
    Dictionary(
      try await client.perform(.writing, AccessRequesting(urls: urls).run),
      uniquingKeysWith: { $1 })
  }
}

// MARK: Participants

extension CKContainer {
  /// Finds a person to invite by e-mail address.
  public func shareParticipant(
    forEmailAddress emailAddress: String
  ) async throws -> CKShare.Participant {
    try await participant(.init(emailAddress: emailAddress))
  }

  /// Finds a person to invite by phone number.
  public func shareParticipant(
    forPhoneNumber phoneNumber: String
  ) async throws -> CKShare.Participant {
    try await participant(.init(phoneNumber: phoneNumber))
  }

  /// Finds a person to invite by the name of the user's record.
  public func shareParticipant(
    forUserRecordID userRecordID: CKRecord.ID
  ) async throws -> CKShare.Participant {
    try await participant(.init(userRecordID: userRecordID))
  }

  private func participant(
    _ lookup: CKUserIdentity.LookupInfo
  ) async throws -> CKShare.Participant {
    try await client.perform(.reading, ParticipantFetching(lookups: [lookup]).run)[0].1.get()
  }

  /// Finds a person to invite by e-mail address, and passes the participant or an error.
  @preconcurrency
  public func fetchShareParticipant(
    withEmailAddress emailAddress: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) { fetch(.init(emailAddress: emailAddress), completionHandler) }

  /// Finds a person to invite by phone number, and passes the participant or an error.
  @preconcurrency
  public func fetchShareParticipant(
    withPhoneNumber phoneNumber: String,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) { fetch(.init(phoneNumber: phoneNumber), completionHandler) }

  /// Finds a person to invite by the name of the user's record, and passes the participant or an
  /// error.
  @preconcurrency
  public func fetchShareParticipant(
    withUserRecordID userRecordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) { fetch(.init(userRecordID: userRecordID), completionHandler) }

  private func fetch(
    _ lookup: CKUserIdentity.LookupInfo,
    _ handler: @escaping @Sendable (CKShare.Participant?, (any Error)?) -> Void
  ) {
    client.perform(.reading, ParticipantFetching(lookups: [lookup]).run) { results in
      let result = results.flatMap { $0[0].1 }
      handler(result.value, result.error)
    }
  }

  /// Finds people to invite.
  public func shareParticipants(
    for lookupInfos: [CKUserIdentity.LookupInfo]
  ) async throws -> [CKUserIdentity.LookupInfo: Result<CKShare.Participant, any Error>] {
    Dictionary(
      try await client.perform(.reading, ParticipantFetching(lookups: lookupInfos).run),
      uniquingKeysWith: { $1 })
  }

  /// Finds people to invite by e-mail addresses.
  public func shareParticipants(
    forEmailAddresses emails: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await people(CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails), emails)
  }

  /// Finds people to invite by phone numbers.
  public func shareParticipants(
    forPhoneNumbers phoneNumbers: [String]
  ) async throws -> [String: Result<CKShare.Participant, any Error>] {
    try await people(
      CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers), phoneNumbers)
  }

  /// Finds people to invite by the names of users' records.
  public func shareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID]
  ) async throws -> [CKRecord.ID: Result<CKShare.Participant, any Error>] {
    try await people(CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs), userRecordIDs)
  }

  private func people<Key: Hashable>(
    _ lookups: [CKUserIdentity.LookupInfo], _ keys: [Key]
  ) async throws -> [Key: Result<CKShare.Participant, any Error>] {
    let results = try await client.perform(.reading, ParticipantFetching(lookups: lookups).run)
    return Dictionary(zip(keys, results.map(\.1)), uniquingKeysWith: { $1 })
  }

  /// Finds people to invite by e-mail addresses, and passes the results.
  @preconcurrency
  public func fetchShareParticipants(
    forEmailAddresses emails: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    fetch(CKUserIdentity.LookupInfo.lookupInfos(withEmails: emails), emails, completionHandler)
  }

  /// Finds people to invite by phone numbers, and passes the results.
  @preconcurrency
  public func fetchShareParticipants(
    forPhoneNumbers phoneNumbers: [String],
    completionHandler:
      @escaping @Sendable (
        Result<[String: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    fetch(
      CKUserIdentity.LookupInfo.lookupInfos(withPhoneNumbers: phoneNumbers), phoneNumbers,
      completionHandler)
  }

  /// Finds people to invite by the names of users' records, and passes the results.
  @preconcurrency
  public func fetchShareParticipants(
    forUserRecordIDs userRecordIDs: [CKRecord.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKShare.Participant, any Error>], any Error>
      ) -> Void
  ) {
    fetch(
      CKUserIdentity.LookupInfo.lookupInfos(with: userRecordIDs), userRecordIDs, completionHandler)
  }

  private func fetch<Key: Hashable & Sendable>(
    _ lookups: [CKUserIdentity.LookupInfo], _ keys: [Key],
    _ handler:
      @escaping @Sendable (Result<[Key: Result<CKShare.Participant, any Error>], any Error>) -> Void
  ) {
    client.perform(.reading, ParticipantFetching(lookups: lookups).run) { results in
      handler(results.map { Dictionary(zip(keys, $0.map(\.1)), uniquingKeysWith: { $1 }) })
    }
  }
}
