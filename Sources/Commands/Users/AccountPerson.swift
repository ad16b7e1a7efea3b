internal import Basics
internal import CloudModel
internal import CloudServices
internal import CommandKit

/// The options of `account create` and `account edit`.
private enum PersonOptions {
  static let name = Operand("NAME", .account, "Name of the account")
  static let email = Option("email", nil, .email, repeats: true, "E-mail address")
  static let phone = Option("phone", nil, .phone, repeats: true, "Phone number")
  static let given = Option("given", nil, ValueKind<String>.text("NAME"), "Given name")
  static let family = Option("family", nil, ValueKind<String>.text("NAME"), "Family name")

  static var all: [AnyOption] {
    [AnyOption(email), AnyOption(phone), AnyOption(given), AnyOption(family)]
  }

  /// Applies the options to a person; values without an option stay unchanged.
  static func apply(_ arguments: Arguments, to person: inout Person) {
    var (emails, phones) = (arguments.all(email), arguments.all(phone))
    if emails.isEmpty { emails = person.addresses.filter { $0.isEmail } }
    if phones.isEmpty { phones = person.addresses.filter { !$0.isEmail } }
    var seen: Set<PersonAddress> = []
    person.addresses = (emails + phones).filter { seen.insert($0).inserted }
    if let name = arguments[given] { person.givenName = name.isEmpty ? nil : name }
    if let name = arguments[family] { person.familyName = name.isEmpty ? nil : name }
  }
}

extension PersonAddress {
  fileprivate var isEmail: Bool {
    switch self {
    case .email: true
    case .phone: false
    }
  }
}

/// `ckdb account create NAME`
enum AccountCreate {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(PersonOptions.name)], options: PersonOptions.all,
      discussion: """
        Creates an account with the names and addresses by which others find and invite the \
        person. An address belongs to one account. The first write of an unknown account creates \
        it without any.
        """,
      examples: [
        .init(
          "Create an account", "ckdb account create bea --email bea@example.com --given Beatrix")
      ]
    ) { arguments, context in
      let account = arguments.required(PersonOptions.name)
      var person = Person()
      PersonOptions.apply(arguments, to: &person)
      guard try context.store().create(account, person) else {
        throw CommandError(
          "account \(account.name) already exists", .cannotCreate,
          hint: "'ckdb account edit \(account.name)' changes it")
      }
      context.report("created account \(account.name)")
    }
  }
}

/// `ckdb account edit NAME`
enum AccountEdit {
  static var command: Command<Context> {
    Command(
      operands: [AnyOperand(PersonOptions.name)], options: PersonOptions.all,
      discussion: """
        Changes what the options name. --email replaces all e-mail addresses, --phone all phone \
        numbers; an empty name removes it.
        """,
      examples: [.init("Change the phone number", "ckdb account edit anna --phone +4520202020")]
    ) { arguments, context in
      let account = arguments.required(PersonOptions.name)
      try context.store().edit(account, for: context.request()) {
        PersonOptions.apply(arguments, to: &$0)
      }
      context.report("changed account \(account.name)")
    }
  }
}

extension ValueKind where Value == PersonAddress {
  /// An e-mail address.
  static let email = ValueKind<PersonAddress>("EMAIL") { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try PersonAddress(email: word) }
  }
  /// A phone number.
  static let phone = ValueKind<PersonAddress>("PHONE") { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try PersonAddress(phone: word) }
  }
  /// An e-mail address or a phone number.
  static let address = ValueKind<PersonAddress>("ADDRESS") { (word) throws(ValueError) in
    try checked { () throws(CloudError) in try PersonAddress(word) }
  }
}

extension JSONValue {
  /// Texts as a list; null if there are none.
  static func list(_ texts: [String]) -> JSONValue {
    texts.isEmpty ? .null : .array(texts.map { .string($0) })
  }
}
