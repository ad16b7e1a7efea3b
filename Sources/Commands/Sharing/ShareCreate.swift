internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb share create ROOT`
enum ShareCreate {
  static let root = Operand(
    "ROOT", .record, .optional, "Name of the record at the root of the hierarchy")
  static let wholeZone = Flag("whole-zone", "Share the zone of --zone with all of its records")
  static let with = Option(
    "with", nil, .invitation, repeats: true, "Invite WHO, to read unless :write follows")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(root), AnyOperand(ShareRecordOptions.fields)],
      options: [AnyOption(wholeZone), AnyOption(with)] + ShareRecordOptions.all,
      discussion: """
        Saves a share together with its root record, and prints its URL. The records that have the \
        root as their parent, and those below them, are shared with it; references do not count \
        (rule R10.1.4). WHO is an account, an e-mail address, a phone number or a user record \
        name; people without an account can be invited by their address. Records are shared from \
        custom zones of the private database. With a JSON format the share is printed.
        """,
      examples: [
        .init(
          "Share a list with two people",
          "ckdb share create shop -z Lists --title Saturday --with bob:write --with c@example.com"),
        .init(
          "Share a zone with anyone who has the URL",
          "ckdb share create --whole-zone -z Archive --public read"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    // Without ROOT the first word is a field.
    guard arguments[wholeZone] != (arguments[root] != nil) else {
      throw CommandError("specify either ROOT or --whole-zone", .usage)
    }
    let database = try context.database()
    let result = try ShareRecordOptions.editing(
      arguments, context, in: database.environment
    ) { edit in
      edit.added = try arguments.all(with).map {
        try $0.invitation(in: database.environment)
      }
      return try database.createShare(of: arguments[root], in: context.zone(), edit)
    }
    context.report(result.notices)
    let share = result.share
    context.report(
      "shared \(share.root?.text ?? "zone \(share.record.zone.text)") as \(share.record.name.text)")
    guard context.settings.explicitFormat != nil else {
      return context.output.line(share.url.text)
    }
    try ShareOutput.write([share], context)
  }
}

/// `ckdb share edit SHARE`
enum ShareEditCommand {
  static let add = Option(
    "add", nil, .invitation, repeats: true,
    "Invite WHO, or change an invitation; :write:administrator may invite others")
  static let remove = Option(
    "remove", nil, ValueKind<String>.text("WHO", candidates: .question("people")), repeats: true,
    "Remove a participant")
  static let set = Option(
    "set", nil, .newPermission, repeats: true, "Set the permission of a participant")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(ShareNoun.share), AnyOperand(ShareRecordOptions.fields)],
      options: [AnyOption(add), AnyOption(remove), AnyOption(set)] + ShareRecordOptions.all,
      discussion: """
        Makes all of the changes or none. Only the owner and administrators can change a share \
        (rule R10.2.5). Participants can be added and removed while --public is none (R10.2.4), up \
        to 100 including the owner. A change of --public removes invitations that are not \
        accepted, and none removes everyone who joined by the URL (R10.2.7). A participant can \
        also be named by participant ID.
        """,
      examples: [
        .init("Let a participant write", "ckdb share edit list --set bob:write"),
        .init("Remove a participant", "ckdb share edit list --remove bob"),
      ], run: run)
  }

  private static func run(_ arguments: Arguments, _ context: Context) throws {
    let place = try SharePlace(arguments, context)
    let environment = place.database.environment
    let result = try ShareRecordOptions.editing(arguments, context, in: environment) { edit in
      edit.added = try arguments.all(add).map { try $0.invitation(in: environment) }
      edit.removed = try arguments.all(remove).map { try environment.invitee($0) }
      edit.changed = try arguments.all(set).map { word in
        guard let permission = word.permission, !word.isAdministrator else {
          throw CommandError("--set takes WHO:read or WHO:write", .usage)
        }
        return (try environment.invitee(word.who), permission)
      }
      guard edit.changesAnything else { throw CommandError("nothing to change", .usage) }
      return try place.database.edit(place.reference, in: place.zone, edit)
    }
    context.report(result.notices)
    context.report("changed share \(result.share.record.name.text)")
    if context.settings.explicitFormat != nil { try ShareOutput.write([result.share], context) }
  }
}
