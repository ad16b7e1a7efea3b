internal import CloudModel
@_exported public import Foundation
internal import PredicateLanguage

// Foundation on Linux declares these and refuses them. A predicate made here is a block predicate
// whose block shows the parsed predicate to whoever asks with a `PredicateProbe`; so it survives
// copies and compound predicates.
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
      switch object {
      case let probe as PredicateProbe:
        probe.found = predicate
        return true
      case let record as CKRecord: return record.matches(predicate)
      default: return false
      }
    }
  }
}

/// Asks a predicate of `NSPredicate(format:)` what it is.
private final class PredicateProbe: NSObject {
  var found: CloudModel.Predicate?
}

extension NSPredicate {
  /// The predicate as the service knows it. Throws `invalidArguments` for a block predicate, which
  /// the service cannot know (R7.2.1).
  func predicate() throws(CloudError) -> CloudModel.Predicate {
    if let compound = self as? NSCompoundPredicate { return try compound.parts() }
    let probe = PredicateProbe()
    let answer = evaluate(with: probe)
    if let found = probe.found { return found }
    guard isEqual(NSPredicate(value: answer)) else {
      throw CloudError(
        .invalidArguments, "Block predicates cannot be sent to the server",
        remedy: .advice("write the condition as NSPredicate(format:)"))
    }
    return .constant(answer, 0..<0)
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
  /// An argument of a format.
  fileprivate init(_ argument: Any) {
    switch argument {
    case let text as String: self = .text(text)
    case let id as CKRecord.ID: self = .text(id.recordName)
    case let record as CKRecord: self = .text(record.recordID.recordName)
    default:
      guard let object = FieldObject(argument) else {
        preconditionFailure("not an argument of a predicate: \(type(of: argument))")
      }
      do {
        self = .value(
          try object.fieldValue { (_) throws(CloudError) in
            throw CloudError(.invalidArguments, "a predicate cannot contain assets")
          })
      } catch { preconditionFailure(error.message) }
    }
  }
}

extension CKRecord {
  /// Whether the record, as it is here, fulfils a predicate; false for one that does not suit its
  /// values.
  fileprivate func matches(_ predicate: CloudModel.Predicate) -> Bool {
    guard let record = try? localRecord() else { return false }
    let schema = RecordTypeSchema(
      name: record.type,
      fields: record.fields.entries.compactMap { entry in
        entry.value.type.map { FieldSchema(name: entry.name, type: $0, indexes: []) }
      })
    guard let bound = try? PredicateBinder.bind(predicate, to: schema) else { return false }
    return (try? PredicateEvaluator(bound).matches(record)) ?? false
  }
}
