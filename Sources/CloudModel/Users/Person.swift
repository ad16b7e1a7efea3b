internal import Basics

/// An e-mail address or a phone number, by which others find a person (R10.2.2, R11.3.2).
public enum PersonAddress: Sendable, Hashable {
  /// In lower case.
  case email(String)
  /// With a leading `+` and digits, or digits only.
  case phone(String)

  /// Parses an e-mail address: a name, `@` and a domain. Throws `invalidArguments`.
  public init(email text: String) throws(CloudError) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), Self.isPlain(text) else {
      throw CloudError(.invalidArguments, "not an e-mail address: '\(text.visible)'")
    }
    self = .email(text.lowercased())
  }

  /// Parses a phone number; ignores spaces, hyphens, dots, slashes and parentheses. Throws
  /// `invalidArguments`.
  public init(phone text: String) throws(CloudError) {
    let digits = text.filter { !" -.()/".contains($0) }
    let number = digits.hasPrefix("+") ? digits.dropFirst() : digits[...]
    guard (3...20).contains(number.utf8.count), number.utf8.allSatisfy({ (48...57).contains($0) })
    else { throw CloudError(.invalidArguments, "not a phone number: '\(text.visible)'") }
    self = .phone(digits)
  }

  /// Parses either. Throws `invalidArguments`.
  public init(_ text: String) throws(CloudError) {
    if text.contains("@") {
      self = try PersonAddress(email: text)
    } else if let phone = try? PersonAddress(phone: text) {
      self = phone
    } else {
      throw CloudError(
        .invalidArguments, "neither an e-mail address nor a phone number: '\(text.visible)'")
    }
  }

  /// The address as compared and printed.
  public var text: String {
    switch self {
    case .email(let text), .phone(let text): text
    }
  }

  private static func isPlain(_ text: String) -> Bool {
    text.utf8.count <= Limits.nameLength && text == text.visible && !text.contains(" ")
  }
}

/// The person of an account.
public struct Person: Sendable, Equatable {
  /// The given name; nil for none.
  public var givenName: String?
  /// The family name; nil for none.
  public var familyName: String?
  /// The addresses, each once.
  public var addresses: [PersonAddress]

  /// Creates a person.
  public init(
    givenName: String? = nil, familyName: String? = nil, addresses: [PersonAddress] = []
  ) {
    (self.givenName, self.familyName) = (givenName, familyName)
    self.addresses = addresses
  }

  /// The e-mail addresses.
  public var emails: [String] {
    addresses.compactMap { if case .email(let text) = $0 { text } else { nil } }
  }

  /// The phone numbers.
  public var phones: [String] {
    addresses.compactMap { if case .phone(let text) = $0 { text } else { nil } }
  }
}

/// Whether users of a container may find an account by its person's addresses (R11.3.1); the
/// numbers are those of `CKApplicationPermissionStatus`.
public enum Discoverability: Int, Sendable, CaseIterable {
  /// The user has not been asked yet.
  case initialState = 0
  /// The account cannot be used.
  case couldNotComplete = 1
  case denied = 2
  case granted = 3

  /// The state's name in CloudKit's API.
  public var name: String {
    switch self {
    case .initialState: "initialState"
    case .couldNotComplete: "couldNotComplete"
    case .denied: "denied"
    case .granted: "granted"
    }
  }

  /// The state with a name; nil for other names.
  public init?(name: String) {
    guard let state = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = state
  }
}

/// A user's identity as others see it, as in `CKUserIdentity` (R11.3.6).
public struct UserIdentity: Sendable, Equatable {
  /// The user record name; nil for a person without an account.
  public var userRecordName: UserRecordName?
  /// The given name; nil for none.
  public var givenName: String?
  /// The family name; nil for none.
  public var familyName: String?
  /// The address used to look the user up; nil for none.
  public var address: PersonAddress?
  /// Whether the user has an account.
  public var hasAccount: Bool

  /// Creates an identity.
  public init(
    userRecordName: UserRecordName?, person: Person?, address: PersonAddress?, hasAccount: Bool
  ) {
    self.userRecordName = userRecordName
    (givenName, familyName) = (person?.givenName, person?.familyName)
    self.address = address
    self.hasAccount = hasAccount
  }
}
