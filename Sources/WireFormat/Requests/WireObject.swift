public import Basics
public import CloudModel

/// An object of a request of Web Services. Unknown keys are ignored, and null is no value
/// (web-services.md, §0 fact 7).
///
/// Errors are `invalidArguments`. They name a value by its path: `operations[3].record`.
public struct WireObject: Sendable {
  /// The members, in the order of the text.
  public let members: [JSONMember]
  /// Where it is in the request; empty for the whole body.
  public let path: String

  /// Parses the body of a request; an empty one is an object without members.
  public init(body: UnsafeRawBufferPointer) throws(CloudError) {
    if body.allSatisfy(JSONParser.isBlank) {
      self.init([], at: "")
      return
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSONParser.parse(body) } catch {
      throw .badRequest("the body is not JSON: \(error.message) at byte \(error.offset)")
    }
    guard case .object(let members) = json else {
      throw .badRequest("the body must be an object, not \(json.kind)")
    }
    self.init(members, at: "")
  }

  /// An object that was read already.
  public init(_ members: [JSONMember]) { self.init(members, at: "") }

  init(_ members: [JSONMember], at path: String) { (self.members, self.path) = (members, path) }

  /// The value of a member; nil for none, or null.
  public subscript(name: String) -> JSONValue? {
    guard let value = members.last(where: { utf8Equal($0.name, name) })?.value, value != .null
    else { return nil }
    return value
  }

  /// The path of a member.
  public func path(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

  /// The error for a member that is not what it must be.
  public func fault(_ name: String, mustBe wanted: String) -> CloudError {
    guard let value = self[name] else { return .badRequest("\(path(name)) is missing") }
    return .badRequest("\(path(name)) must be \(wanted), not \(value.kind)")
  }

  /// A string; nil for none.
  public func text(_ name: String) throws(CloudError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw fault(name, mustBe: "a string") }
    return text
  }

  /// A string that must be there.
  public func requiredText(_ name: String) throws(CloudError) -> String {
    guard let text = try text(name) else { throw fault(name, mustBe: "a string") }
    return text
  }

  /// Whether a member is true; nil for none.
  public func flag(_ name: String) throws(CloudError) -> Bool? {
    guard let value = self[name] else { return nil }
    guard case .bool(let flag) = value else { throw fault(name, mustBe: "true or false") }
    return flag
  }

  /// A positive integer; nil for none.
  public func count(_ name: String) throws(CloudError) -> Int? {
    guard let value = self[name] else { return nil }
    guard case .int(let number) = value, number > 0 else {
      throw fault(name, mustBe: "a positive integer")
    }
    return Int(clamping: number)
  }

  /// An object; nil for none.
  public func object(_ name: String) throws(CloudError) -> WireObject? {
    guard let value = self[name] else { return nil }
    guard case .object(let members) = value else { throw fault(name, mustBe: "an object") }
    return WireObject(members, at: path(name))
  }

  /// An object that must be there.
  public func requiredObject(_ name: String) throws(CloudError) -> WireObject {
    guard let object = try object(name) else { throw fault(name, mustBe: "an object") }
    return object
  }

  /// The objects of a list; nil for none.
  public func objects(_ name: String) throws(CloudError) -> [WireObject]? {
    guard let value = self[name] else { return nil }
    guard let items = value.array else { throw fault(name, mustBe: "a list") }
    var objects: [WireObject] = []
    objects.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      let path = "\(path(name))[\(index)]"
      guard case .object(let members) = item else {
        throw .badRequest("\(path) must be an object, not \(item.kind)")
      }
      objects.append(WireObject(members, at: path))
    }
    return objects
  }

  /// The objects of a list that must be there.
  public func requiredObjects(_ name: String) throws(CloudError) -> [WireObject] {
    guard let objects = try objects(name) else { throw fault(name, mustBe: "a list") }
    return objects
  }

  /// The strings of a list; nil for none.
  public func texts(_ name: String) throws(CloudError) -> [String]? {
    guard let value = self[name] else { return nil }
    let texts = value.array?.compactMap(\.string)
    guard let texts, texts.count == value.array?.count else {
      throw fault(name, mustBe: "a list of strings")
    }
    return texts
  }

  /// Runs a check of a member's value, whose error then names the member. Throws `badRequest`.
  public func checked<T>(
    _ name: String, _ check: () throws(CloudError) -> T
  ) throws(CloudError) -> T {
    do throws(CloudError) { return try check() } catch {
      throw .badRequest("\(path(name)): \(error.message)")
    }
  }
}

extension CloudError {
  /// A request that Web Services cannot understand, in their words.
  public static func badRequest(_ reason: String) -> CloudError {
    CloudError(.invalidArguments, "BadRequestException: \(reason)")
  }
}
