internal import Basics
internal import CloudModel
@_exported public import Foundation
internal import PredicateLanguage

// Foundation on Linux declares these and refuses them. A predicate made here is a block predicate
// of which we remember what it says; so it works in compound predicates.
extension NSPredicate {
  /// Parses a predicate's text, with `%@`, `%K` and the other placeholders replaced by the
  /// arguments in their order. Stops the process if the text is not a predicate, as Apple's
  /// framework does.
  public convenience init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(format: predicateFormat, argumentArray: args)
  }

  /// Parses a predicate's text with an array of arguments.
  public convenience init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    let predicate: CloudModel.Predicate
    do {
      predicate = try PredicateParser.parse(
        predicateFormat, arguments: (arguments ?? []).map(PredicateParser.Argument.init))
    } catch {
      preconditionFailure(
        "Unable to parse the format string \"\(predicateFormat)\": \(error.message), at "
          + "\(error.span.lowerBound)")
    }
    self.init(predicate)
  }

  convenience init(_ predicate: CloudModel.Predicate) {
    self.init { object, _ in
      guard let record = object.flatMap(LocalRecord.init) else {
        preconditionFailure(
          "NSPredicate(format:) can be evaluated with a CKRecord or a dictionary here, not with "
            + object.map { "\(type(of: $0))" }.debugDescription)
      }
      return record.matches(predicate)
    }
    KnownPredicates.shared.add(self, predicate)
  }

  /// The predicate as the service knows it. Throws `invalidArguments` for a block predicate, which
  /// the service cannot know (R7.2.1).
  func predicate() throws(CloudError) -> CloudModel.Predicate {
    if let compound = self as? NSCompoundPredicate { return try compound.parts() }
    if let known = KnownPredicates.shared.predicate(of: self) { return known }
    for value in [true, false] where isEqual(NSPredicate(value: value)) {
      return .constant(value, 0..<0)
    }
    throw CloudError(
      .invalidArguments, "Block predicates cannot be sent to the server",
      remedy: .advice("write the condition as NSPredicate(format:)"))
  }
}

/// What the predicates of `NSPredicate(format:)` say, as long as they live.
private final class KnownPredicates: Sendable {
  static let shared = KnownPredicates()

  private let state = Locked(State())

  private struct State: Sendable {
    var known: [ObjectIdentifier: Known] = [:]
    /// How many there may be before those of gone predicates are removed.
    var limit = 64
  }

  // A predicate never changes, which the compiler cannot know.
  private struct Known: @unchecked Sendable {
    weak var object: NSPredicate?
    let predicate: CloudModel.Predicate
  }

  func add(_ object: NSPredicate, _ predicate: CloudModel.Predicate) {
    let known = Known(object: object, predicate: predicate)
    state.withLock { state in
      if state.known.count >= state.limit {
        state.known = state.known.filter { $0.value.object != nil }
        state.limit = max(64, 2 * state.known.count)
      }
      state.known[ObjectIdentifier(object)] = known
    }
  }

  func predicate(of object: NSPredicate) -> CloudModel.Predicate? {
    guard let known = state.withLock({ $0.known[ObjectIdentifier(object)] }),
      known.object === object
    else { return nil }
    return known.predicate
  }
}

extension NSCompoundPredicate {
  fileprivate func parts() throws(CloudError) -> CloudModel.Predicate {
    var parts: [CloudModel.Predicate] = []
    for part in subpredicates { parts.append(try part.predicate()) }
    switch compoundPredicateType {
    case .and: return parts.count == 1 ? parts[0] : .and(parts, 0..<0)
    case .or: return parts.count == 1 ? parts[0] : .or(parts, 0..<0)
    case .not: return .not(parts.first ?? .constant(true, 0..<0), 0..<0)
    @unknown default:
      throw CloudError(.invalidArguments, "not a predicate that the server can evaluate")
    }
  }
}

extension PredicateParser.Argument {
  /// An argument of a format. Records and their identities are their names.
  fileprivate init(_ argument: Any) {
    switch argument {
    case let text as String: self = .text(text)
    case let id as CKRecord.ID: self = .text(id.recordName)
    case let record as CKRecord: self = .text(record.recordID.recordName)
    case let set as NSSet: self = .list(set.allObjects.map(Self.init))
    case let list as [Any]: self = .list(list.map(Self.init))
    case is NSNull: self = .null
    default:
      guard let value = FieldValue(inApp: argument) else {
        preconditionFailure("not an argument of a predicate: \(type(of: argument))")
      }
      self = .value(value)
    }
  }
}

extension FieldValue {
  /// The value of an app's object without contents of assets; nil for what no field can hold.
  fileprivate init?(inApp object: Any) {
    let value = try? FieldObject(object)?.fieldValue { (_) throws(CloudError) in
      throw CloudError(.invalidArguments, "a predicate cannot contain assets")
    }
    guard let value else { return nil }
    self = value
  }
}

/// A record as it is in the app, or a dictionary, for evaluating a predicate without the service.
private struct LocalRecord {
  private let record: Record

  init?(_ object: Any) {
    switch object {
    case let record as CKRecord:
      guard let local = try? record.localRecord() else { return nil }
      self.record = local
    case let dictionary as [String: Any]:
      var record = Record(
        name: RecordName(stored: "dictionary"), type: RecordType(stored: "Dictionary"),
        zone: .defaultZone)
      for (key, value) in dictionary {
        record.fields[FieldName(stored: key)] = FieldValue(inApp: value)
      }
      self.record = record
    default: return nil
    }
  }

  /// Whether the record fulfils a predicate; false for one that does not suit its values.
  func matches(_ predicate: CloudModel.Predicate) -> Bool {
    let schema = RecordTypeSchema(
      name: record.type,
      fields: record.fields.entries.compactMap { entry in
        entry.value.type.map { FieldSchema(name: entry.name, type: $0, indexes: []) }
      })
    guard let bound = try? PredicateBinder.bind(predicate, to: schema) else { return false }
    return (try? PredicateEvaluator(bound).matches(record)) ?? false
  }
}
