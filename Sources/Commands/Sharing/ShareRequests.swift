internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb share request URL`
enum ShareRequest {
  static let url = Operand("URL", .shareURL, "URL of a share")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(url)],
      discussion: """
        Asks the owner of a share for access, if the share allows requests ('share edit \
        --allow-requests'). Otherwise the share appears not to exist (rule R10.2.9).
        """,
      examples: [.init("Ask for access", "ckdb share request \"$URL\" -u cem")]
    ) { arguments, context in
      let url = arguments.required(url)
      context.report(try context.environment(of: url).requestAccess(to: url))
      context.report("requested access")
    }
  }
}

/// `ckdb share requests SHARE`
enum ShareRequestList {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share)],
      discussion: """
        Lists who has asked for access, and who is blocked. Only the owner and administrators may \
        see it (rule R10.2.9).
        """,
      examples: [.init("List the requests", "ckdb share requests list -z Lists")]
    ) { arguments, context in
      let place = try SharePlace(arguments, context)
      let people = try place.database.requests(for: place.reference, in: place.zone)
      let output = try RowOutput(
        context, noun: "request", columns: ShareOutput.participantColumns)
      for participant in people { output.row(ShareOutput.row(participant)) }
      output.finish()
    }
  }
}

/// `ckdb share approve|deny|block|unblock SHARE WHO`
enum ShareAnswer {
  static let who = Operand("WHO", .invitation, "Who asked for access")

  static var approval: Command<Context> {
    command(
      "approve", "approved", "Approve a request", for: "cem",
      "Invites the person who asked, to read unless :write follows. The person accepts by the URL."
    ) { .approve($0.permission) }
  }

  static var denial: Command<Context> {
    command(
      "deny", "denied", "Refuse a request", for: "cem",
      "Forgets the request. The person may ask again."
    ) { _ in .deny }
  }

  static var blocking: Command<Context> {
    command(
      "block", "blocked", "Refuse all requests from a person", for: "cem",
      "Removes a person from the share, and refuses all their requests."
    ) { _ in .block }
  }

  static var unblocking: Command<Context> {
    command(
      "unblock", "unblocked", "Allow requests again", for: "eve", "Lets the person ask again."
    ) { _ in .unblock }
  }

  private static func command(
    _ verb: String, _ done: String, _ example: String, for who: String, _ discussion: String,
    _ answer: @escaping @Sendable (InvitationWord) -> AccessAnswer
  ) -> Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share), AnyOperand(self.who)], discussion: discussion,
      examples: [
        .init(example, "ckdb share \(verb) list \(who) -z Lists")
      ]
    ) { arguments, context in
      let place = try SharePlace(arguments, context)
      let word = arguments.required(self.who)
      let invitee = try place.database.environment.invitee(word.who)
      let result = try place.database.answer(
        answer(word), to: invitee, of: place.reference, in: place.zone)
      context.report(result.notices)
      context.report("\(done) \(word.who)")
    }
  }
}
