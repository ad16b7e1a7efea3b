@_exported public import Foundation

/// Fetches what an app knows of shares by their URLs.
open class CKFetchShareMetadataOperation: CKOperation, @unchecked Sendable {
  /// The URLs of the shares.
  public var shareURLs: [URL]?
  /// Whether to fetch the roots of the hierarchies, too.
  public var shouldFetchRootRecord = false
  /// The fields of the roots to fetch; nil for all.
  public var rootRecordDesiredKeys: [CKRecord.FieldKey]?

  /// Called with each share, or its error.
  public var perShareMetadataResultBlock: ((URL, Result<CKShare.Metadata, any Error>) -> Void)?
  /// Called last.
  public var fetchShareMetadataResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called with each share, or its error.
  public var perShareMetadataBlock: ((URL, CKShare.Metadata?, (any Error)?) -> Void)?
  /// Called last.
  public var fetchShareMetadataCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation for shares.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  /// Creates an operation for shares.
  public convenience init(share shareURLs: [URL]) { self.init(shareURLs: shareURLs) }

  override func execute() {
    let fetching = MetadataFetching(
      urls: shareURLs ?? [], fetchesRoot: shouldFetchRootRecord,
      desiredKeys: rootRecordDesiredKeys)
    run(.reading, fetching.run) { [self] result in
      for (url, result) in result.value ?? [] {
        perShareMetadataResultBlock?(url, result)
        perShareMetadataBlock?(url, result.value, result.error)
      }
      let error = result.error ?? result.value.flatMap(MetadataFetching.error)
      finish { [self] in
        fetchShareMetadataCompletionBlock?(error)
        fetchShareMetadataResultBlock?(error.map { .failure($0) } ?? .success(()))
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perShareMetadataResultBlock, fetchShareMetadataResultBlock) = (nil, nil)
    (perShareMetadataBlock, fetchShareMetadataCompletionBlock) = (nil, nil)
  }
}

/// Accepts shares.
open class CKAcceptSharesOperation: CKOperation, @unchecked Sendable {
  /// The metadata of the shares.
  public var shareMetadatas: [CKShare.Metadata]?

  /// Called with each accepted share, or its error.
  public var perShareResultBlock: ((CKShare.Metadata, Result<CKShare, any Error>) -> Void)?
  /// Called last.
  public var acceptSharesResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called with each accepted share, or its error.
  public var perShareCompletionBlock: ((CKShare.Metadata, CKShare?, (any Error)?) -> Void)?
  /// Called last.
  public var acceptSharesCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that accepts shares.
  public convenience init(shareMetadatas: [CKShare.Metadata]) {
    self.init()
    self.shareMetadatas = shareMetadatas
  }

  override func execute() {
    run(.writing, ShareAccepting(metadatas: shareMetadatas ?? []).run) { [self] result in
      for (metadata, result) in result.value ?? [] {
        perShareResultBlock?(metadata, result)
        perShareCompletionBlock?(metadata, result.value, result.error)
      }
      let error = result.error ?? result.value.flatMap(ShareAccepting.error)
      finish { [self] in
        acceptSharesCompletionBlock?(error)
        acceptSharesResultBlock?(error.map { .failure($0) } ?? .success(()))
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perShareResultBlock, acceptSharesResultBlock) = (nil, nil)
    (perShareCompletionBlock, acceptSharesCompletionBlock) = (nil, nil)
  }
}

/// Fetches people whom an app may invite to a share.
open class CKFetchShareParticipantsOperation: CKOperation, @unchecked Sendable {
  /// How the people are looked up.
  public var userIdentityLookupInfos: [CKUserIdentity.LookupInfo]?

  /// Called with each person, or the error.
  public var perShareParticipantResultBlock:
    ((CKUserIdentity.LookupInfo, Result<CKShare.Participant, any Error>) -> Void)?
  /// Called last.
  public var fetchShareParticipantsResultBlock: ((Result<Void, any Error>) -> Void)?
  /// Called with each person.
  public var shareParticipantFetchedBlock: ((CKShare.Participant) -> Void)?
  /// Called last.
  public var fetchShareParticipantsCompletionBlock: (((any Error)?) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation that looks people up.
  public convenience init(userIdentityLookupInfos: [CKUserIdentity.LookupInfo]) {
    self.init()
    self.userIdentityLookupInfos = userIdentityLookupInfos
  }

  override func execute() {
    let fetching = ParticipantFetching(lookups: userIdentityLookupInfos ?? [])
    run(.reading, fetching.run) { [self] result in
      for (lookup, result) in result.value ?? [] {
        perShareParticipantResultBlock?(lookup, result)
        if let participant = result.value { shareParticipantFetchedBlock?(participant) }
      }
      let error = result.error ?? result.value.flatMap(ParticipantFetching.error)
      finish { [self] in
        fetchShareParticipantsCompletionBlock?(error)
        fetchShareParticipantsResultBlock?(error.map { .failure($0) } ?? .success(()))
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perShareParticipantResultBlock, fetchShareParticipantsResultBlock) = (nil, nil)
    (shareParticipantFetchedBlock, fetchShareParticipantsCompletionBlock) = (nil, nil)
  }
}

/// Asks for access to shares (R10.2.9).
open class CKShareRequestAccessOperation: CKOperation, @unchecked Sendable {
  /// The URLs of the shares.
  public var shareURLs: [URL]?

  /// Called with each share, or its error.
  public var perShareAccessRequestResultBlock: ((URL, Result<Void, any Error>) -> Void)?
  /// Called last.
  public var shareAccessRequestResultBlock: ((Result<Void, any Error>) -> Void)?

  /// Creates an operation.
  public override init() { super.init() }

  /// Creates an operation for shares.
  public convenience init(shareURLs: [URL]) {
    self.init()
    self.shareURLs = shareURLs
  }

  override func execute() {
    run(.writing, AccessRequesting(urls: shareURLs ?? []).run) { [self] result in
      for (url, result) in result.value ?? [] { perShareAccessRequestResultBlock?(url, result) }
      let error = result.error ?? result.value.flatMap(AccessRequesting.error)
      finish { [self] in
        shareAccessRequestResultBlock?(error.map { .failure($0) } ?? .success(()))
      }
    }
  }

  override func releaseBlocks() {
    super.releaseBlocks()
    (perShareAccessRequestResultBlock, shareAccessRequestResultBlock) = (nil, nil)
  }
}
