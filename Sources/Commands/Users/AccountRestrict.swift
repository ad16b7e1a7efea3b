internal import CloudModel
internal import CloudServices
internal import CommandKit

/// `ckdb account restrict NAME`
enum AccountRestrict {
  static let name = Operand("NAME", .account, "Name of an account")
  static let off = Flag("off", "End the restriction")

  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(name)], options: [AnyOption(off)],
      discussion: """
        Freezes what the account has in the container and environment: its writes fail with \
        permissionFailure (10) until --off; reads still work (rule R11.4.9).
        """,
      examples: [
        .init("Test how an app handles frozen data", "ckdb account restrict anna"),
        .init("Go back", "ckdb account restrict anna --off"),
      ]
    ) { arguments, context in
      let (account, isOn) = (arguments.required(name), !arguments[off])
      let environment = try context.environment()
      let isChanged = try environment.restrict(account, isOn: isOn)
      let state =
        switch (isOn, isChanged) {
        case (true, true): "is restricted"
        case (true, false): "is already restricted"
        case (false, true): "is no longer restricted"
        case (false, false): "was not restricted"
        }
      let place = "\(environment.container.text) \(environment.environment.rawValue)"
      context.report("the data of \(account.name) in \(place) \(state)")
    }
  }
}
