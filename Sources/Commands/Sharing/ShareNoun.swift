internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb share …`
enum ShareNoun {
  static let rows: [CommandRow<Context>] = [
    CommandRow("create", "Share a record, or a zone", verb: { ShareCreate.command }),
    CommandRow("list", "List shares", verb: { ShareList.command }),
    CommandRow("show", "Show a share and its participants", verb: { ShareShow.command }),
    CommandRow("edit", "Change a share or its participants", verb: { ShareEditCommand.command }),
    CommandRow("url", "Print the URL of a share", verb: { ShareURLCommand.command }),
    CommandRow("metadata", "Show a share by its URL", verb: { ShareMetadataCommand.command }),
    CommandRow("accept", "Accept shares by their URLs", verb: { ShareAccept.command }),
    CommandRow("leave", "Leave a share of another user", verb: { ShareLeave.command }),
    CommandRow("stop", "Stop sharing", verb: { ShareStop.command }),
    CommandRow("request", "Ask for access to a share", verb: { ShareRequest.command }),
    CommandRow("requests", "List requests for access", verb: { ShareRequestList.command }),
    CommandRow("approve", "Approve a request for access", verb: { ShareAnswer.approval }),
    CommandRow("deny", "Refuse a request for access", verb: { ShareAnswer.denial }),
    CommandRow("block", "Block requests from a person", verb: { ShareAnswer.blocking }),
    CommandRow("unblock", "Allow requests again", verb: { ShareAnswer.unblocking }),
  ]

  static let share = Operand(
    "SHARE", .share, "Name of the share or of its root record, or its URL")
}

/// A share that a command names, and the database and zone to search.
struct SharePlace {
  let reference: ShareReference
  let database: CloudDatabase
  let zone: ZoneID?

  /// Searches the URL's container, or the current database and zone.
  init(_ reference: ShareReference, _ context: Context) throws {
    self.reference = reference
    switch reference {
    case .url(let url):
      database = try context.environment(of: url).database(.private)
      zone = nil
    case .name:
      database = try context.database()
      zone = try context.namedZone()
    }
  }

  init(_ arguments: Arguments, _ context: Context) throws {
    try self.init(arguments.required(ShareNoun.share), context)
  }
}

extension Context {
  /// The environment of a share's URL.
  func environment(of url: ShareURL) throws -> CloudEnvironment {
    let store = try store()
    return try environment(url.container, settings.environment(), in: store)
  }
}

// MARK: Words

/// An invitation: `WHO`, `WHO:read`, `WHO:write` or `WHO:write:administrator`.
struct InvitationWord: Sendable {
  let who: String
  let permission: SharePermission?
  let isAdministrator: Bool

  init(_ word: String) throws(ValueError) {
    let (rest, administrator) = Self.split(word, ":administrator")
    let (written, write) = Self.split(rest, ":write")
    let (read, isReadOnly) = Self.split(written, ":read")
    guard !read.isEmpty, !read.contains(":"), !(isReadOnly && (write || administrator)) else {
      throw ValueError(
        "'\(word.visible)' is not an invitation",
        hint: "write WHO, WHO:read or WHO:write; --add also takes WHO:write:administrator")
    }
    who = read
    isAdministrator = administrator
    permission = write || administrator ? .readWrite : isReadOnly ? .readOnly : nil
  }

  private static func split(_ word: String, _ suffix: String) -> (rest: String, isThere: Bool) {
    word.hasSuffix(suffix) ? (String(word.dropLast(suffix.count)), true) : (word, false)
  }

  /// Resolves the invitee.
  func invitation(in environment: CloudEnvironment) throws -> Invitation {
    Invitation(
      try environment.invitee(who), permission, isAdministrator: isAdministrator)
  }
}

/// The values of `--public`.
enum PublicAccess: String, CaseIterable {
  case none
  case read
  case write

  var permission: SharePermission {
    switch self {
    case .none: .none
    case .read: .readOnly
    case .write: .readWrite
    }
  }
}

extension ValueKind where Value == InvitationWord {
  /// An invitee with a permission.
  static let invitation = ValueKind<InvitationWord>(
    "WHO[:read|:write]", candidates: .question("people")
  ) { (word) throws(ValueError) in try InvitationWord(word) }

  /// A participant with a new permission.
  static let newPermission = ValueKind<InvitationWord>(
    "WHO:read|:write", candidates: .question("people")
  ) { (word) throws(ValueError) in try InvitationWord(word) }
}

extension ValueKind where Value == ShareReference {
  /// A share, by a record name or a URL.
  static let share = ValueKind<ShareReference>("SHARE", candidates: .question("shares")) {
    (word) throws(ValueError) in
    try checked { () throws(CloudError) -> ShareReference in
      try ShareURL.isMeant(word) ? .url(ShareURL(word)) : .name(RecordName(word))
    }
  }
}

extension ValueKind where Value == ShareURL {
  /// The URL of a share.
  static let shareURL = ValueKind<ShareURL>("URL") { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try ShareURL(word) }
  }
}
