internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb share accept URL…`
enum ShareAccept {
  static let urls = Operand("URL", .shareURL, .oneOrMore, "URLs of shares")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(urls)],
      discussion: """
        Accepts shares as the account in use. Their zones appear in the shared database as \
        NAME:OWNER. A person invited by an address accepts with an account that has that address. \
        Several shares are accepted independently; exit code 3 means that some failed.
        """,
      examples: [
        .init("Accept an invitation", "ckdb share accept \"$URL\" -u bob"),
        .init("Print what was accepted", "ckdb share accept \"$URL\" -u bob --json"),
      ]
    ) { arguments, context in
      var accepted: [Share] = []
      do {
        try context.forEach(arguments.all(urls), failing: "Failed to accept some shares") { url in
          accepted.append(try accept(url, context))
        }
      } catch {
        if !accepted.isEmpty { try write(accepted, context) }
        throw error
      }
      try write(accepted, context)
    }
  }

  /// Accepts one share; an error names its URL (R10.3.15).
  private static func accept(_ url: ShareURL, _ context: Context) throws -> Share {
    do {
      let result = try context.environment(of: url).accept(url)
      context.report(result.notices)
      let record = result.share.record
      context.report("accepted share \(record.name.text) in zone \(record.zone.text)")
      return result.share
    } catch var error as CloudError {
      error.recordName = url.text
      throw error
    }
  }

  private static func write(_ shares: [Share], _ context: Context) throws {
    if context.settings.explicitFormat != nil { try ShareOutput.write(shares, context) }
  }
}

/// `ckdb share leave SHARE`
enum ShareLeave {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share)],
      discussion: """
        Leaves another user's share, which continues for everyone else. To leave all shares of a \
        zone, delete the zone in the shared database.
        """,
      examples: [.init("Leave a share", "ckdb share leave list -d shared -z Lists -u bob")]
    ) { arguments, context in
      let place = try SharePlace(arguments, context)
      let (name, notices) = try place.database.leaveShare(place.reference, in: place.zone)
      context.report(notices)
      context.report("left share \(name.text)")
    }
  }
}

/// `ckdb share stop SHARE`
enum ShareStop {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share)],
      discussion: """
        Deletes the share. Its records stay with the owner and vanish from the shared databases of \
        the participants. Sharing the same root again gives the same URL.
        """,
      examples: [.init("Stop sharing a list", "ckdb share stop list -z Lists")]
    ) { arguments, context in
      let place = try SharePlace(arguments, context)
      let (name, notices) = try place.database.stopShare(place.reference, in: place.zone)
      context.report(notices)
      context.report("stopped share \(name.text)")
    }
  }
}
