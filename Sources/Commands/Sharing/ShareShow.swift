internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb share list`
enum ShareList {
  static var command: Command<Context> {
    Command(
      discussion: """
        Lists the shares of your zones and those that you have accepted; with --database only the \
        former (private) or the latter (shared), with --zone those of a zone.
        """,
      examples: [.init("List the shares", "ckdb share list")]
    ) { _, context in
      let database = try context.database()
      let zone = try context.namedZone()
      var shares: [Share] = []
      let isChosen = try context.settings.find(GlobalOptions.database)?.origin.isExplicit ?? false
      if isChosen || zone != nil {
        shares = try database.shares(in: zone)
      } else {
        for scope in [DatabaseScope.private, .shared] {
          shares += try database.environment.database(scope).shares(in: nil)
        }
      }
      try ShareOutput.write(shares, context)
    }
  }
}

/// `ckdb share show SHARE`
enum ShareShow {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share)],
      discussion: """
        Lists the participants of a share, the owner first. With a JSON format it prints the whole \
        share. Searches all zones for the share unless --zone names one.
        """,
      examples: [.init("Show who takes part", "ckdb share show list -z Lists")]
    ) { arguments, context in
      let place = try SharePlace(arguments, context)
      let share = try place.database.share(place.reference, in: place.zone)
      if try context.format().isJSON { return try ShareOutput.write([share], context) }
      let output = try RowOutput(
        context, noun: "participant", columns: ShareOutput.participantColumns)
      for participant in share.participants { output.row(ShareOutput.row(participant)) }
      output.finish()
    }
  }
}

/// `ckdb share url SHARE`
enum ShareURLCommand {
  static let oneTime = Flag("one-time", "Make a URL that invites the one person who uses it")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share)], options: [AnyOption(oneTime)],
      discussion: """
        The URL ends with the title, and stays the same when the same root is shared again. Each \
        --one-time adds a participant without an identity, who may read; 'share show --json' shows \
        the participant ID, and 'share edit --set ID:write' lets the person write.
        """,
      examples: [.init("Print the URL", "ckdb share url list -z Lists")]
    ) { arguments, context in
      let place = try SharePlace(arguments, context)
      guard arguments[oneTime] else {
        let share = try place.database.share(place.reference, in: place.zone)
        return context.output.line(share.url.text)
      }
      let (url, notices) = try place.database.makeOneTimeURL(of: place.reference, in: place.zone)
      context.report(notices)
      context.output.line(url.text)
    }
  }
}

/// `ckdb share metadata URL`
enum ShareMetadataCommand {
  static let url = Operand("URL", .shareURL, "URL of a share")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(url)],
      discussion: """
        Prints what an app gets before it accepts: the container, the share, the owner, the root \
        (none for a shared zone), and the role, status and permission of the account in use. A \
        JSON format has the whole share and the owner's identity.
        """,
      examples: [
        .init(
          "Show what bob was invited to", "ckdb share metadata \"$URL\" -u bob --json")
      ]
    ) { arguments, context in
      let url = arguments.required(url)
      let metadata = try context.environment(of: url).metadata(of: url)
      let isJSON = try context.format().isJSON
      let output = try RowOutput(
        context, noun: "share",
        columns: [
          "containerIdentifier", "zone", "hierarchicalRootRecordID", "title", "participantRole",
          "participantStatus", "participantPermission", isJSON ? "ownerIdentity" : "owner",
          "share",
        ])
      let (share, own) = (metadata.share, metadata.participant)
      let owner = share.participants.first.map { ShareOutput.name(of: $0) } ?? ""
      output.row([
        .string(metadata.container.text), .string(share.record.zone.text),
        share.root.map { .string($0.text) } ?? .null, ShareOutput.text(share, .shareTitle),
        .string(own?.role.name ?? "unknown"), .string(own?.status.name ?? "unknown"),
        .string((own?.permission ?? share.publicPermission).name),
        isJSON ? metadata.owner.json : .string(owner),
        isJSON ? ShareOutput.json(share) : .string(share.record.name.text),
      ])
      output.finish()
    }
  }
}
