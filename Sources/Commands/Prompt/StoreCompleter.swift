internal import Basics
internal import CloudModel
internal import CloudServices
internal import CloudSync
internal import CommandKit
internal import FieldCodecs

/// Completes words from the store. It only reads the store, and for a short time: a slower answer
/// gives no candidates.
struct StoreCompleter {
  let session: Session
  let line: CompletedLine
  let context: Context
  /// The open shell quote around the word.
  let quote: Character?
  /// The maximum number of names.
  private static let mostNames = 200
  private static let milliseconds: Int64 = 100
  /// The time limit for answers from an index.
  private static let hastyMilliseconds: Int64 = 10

  init(_ session: Session, _ line: CompletedLine, quote: Character?) {
    (self.session, self.line, self.quote) = (session, line, quote)
    context = Self.context(session, line, Self.milliseconds)
  }

  private func context(_ milliseconds: Int64) -> Context {
    Self.context(session, line, milliseconds)
  }

  private static func context(
    _ session: Session, _ line: CompletedLine, _ milliseconds: Int64
  ) -> Context {
    let context = Context(session, line.globals)
    context.interruption = Interruption(
      heedsSignals: true, deadline: Platform.monotonicMilliseconds + milliseconds)
    return context
  }

  /// The completions of a word for a question. Throws any error of the store.
  func answer(_ question: String, _ word: String) throws -> Completer.Completion {
    switch question {
    case "predicate": return try predicate(word)
    case "assignments": return try assignment(word)
    case "fieldLists": return try fieldList(word)
    case "near": return try words(fields { $0.type.base == .location }.map { $0 + "=" }, word)
    case "typesOrPredicate" where !line.operands.isEmpty: return try predicate(word)
    case "assertion": return try assertion(word)
    case "typesAndFields" where word.contains("."): return try fieldOfType(word)
    case "settingValues":
      let setting = Configuration.keys.first { $0.name == line.operands.first }
      return words(setting?.choices ?? [], word)
    case "namesOrPredicate" where line.has("where"):
      return line.operands.isEmpty ? try words(names("types", word), word) : try predicate(word)
    default: return try words(names(question, word), word)
    }
  }

  private func words(_ words: [String], _ word: String) -> Completer.Completion {
    Completer.Completion(endings: words.filter { $0.hasPrefix(word) })
  }

  private func names(_ question: String, _ word: String) throws -> [String] {
    switch question {
    case "commands", "commandLine":
      session.table.rows.filter { !$0.isHidden }.map(\.name) + HelpTopic.names
    case "containers": try context.store().containers().map(\.text)
    case "remotes": try context.remotes().names().map(\.text)
    case "remotesAndTypes":
      try (line.operands.isEmpty ? context.remotes().names().map(\.text) : [])
        + ((try? schema().map(\.name.text)) ?? [])
    case "snapshots": try context.store().snapshotNames().map(\.text)
    case "accounts": try context.store().accounts(for: context.request()).map(\.name)
    case "devices": try context.store().devices(for: context.request()).map(\.device.name)
    case "keys": try keys()
    case "keyAssignments": try keys().map { $0 + "=" }
    case "documents": try documents()
    case "shares": try shares()
    case "subscriptions": try context.database().subscriptions().map(\.id.text)
    case "people": try people()
    case "queries": try context.store().queries().map(\.name)
    case "zones": try context.database().zones().map(\.id.text)
    case "customZones":
      try context.database().zones().map(\.id).filter { !$0.isDefault }.map(\.text)
    case "types", "typesOrPredicate", "typesAndFields": try schema().map(\.name.text)
    case "fields": try fields()
    case "names", "namesOrPredicate":
      try context.database().names(
        beginningWith: word, in: context.zone(), atMost: Self.mostNames
      ).map(\.text)
    default: []
    }
  }

  /// `query TYPE PREDICATE`, or files.
  private func assertion(_ word: String) throws -> Completer.Completion {
    switch (line.operands.first, line.operands.count) {
    case (nil, _):
      let verbs = ["query", "notifications", "kvs"].filter { $0.hasPrefix(word) }
      return Completer.Completion(endings: verbs + FileNames.beginning(with: word))
    case ("query", 1): return try words(names("types", word), word)
    case ("query", _): return try predicate(word)
    default: return Completer.Completion(endings: FileNames.beginning(with: word))
    }
  }

  /// `TYPE.FIELD`.
  private func fieldOfType(_ word: String) throws -> Completer.Completion {
    let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let type = try schema().first { $0.name.text == parts[0] }
    return words((type?.fields ?? []).map { "\(parts[0]).\($0.name.text)" }, word)
  }

  // MARK: Sharing

  /// The names of shares and their roots.
  private func shares() throws -> [String] {
    let environment = try context.environment()
    let shares = try environment.database(.private).shares(in: context.namedZone())
    let others = try environment.database(.shared).shares(in: nil)
    return (shares + others).flatMap { [$0.root?.text, $0.record.name.text].compactMap(\.self) }
  }

  /// The keys that the device has.
  private func keys() throws -> [String] {
    let store = try context.store()
    return try context.keyValueStore(context.containerID().id, in: store).entries()
      .map(\.entry.key)
  }

  /// The paths of the documents that the device knows of.
  private func documents() throws -> [String] {
    try context.documentStore(context.containerID().id, in: context.store()).items()
      .map(\.path.text)
  }

  /// The accounts with their addresses.
  private func people() throws -> [String] {
    let store = try context.store()
    return try store.accounts(for: context.request()).flatMap { account in
      [account.name] + (try store.person(of: account)?.addresses.map(\.text) ?? [])
    }
  }

  // MARK: Fields

  func schema() throws -> [RecordTypeSchema] { try context.environment().schema() }

  /// The record type that the line names; nil if it names no existing one.
  func type() throws -> RecordTypeSchema? {
    guard let name = line.typeName else { return nil }
    return try schema().first { $0.name.text == name }
  }

  /// The fields of the line's type, or of all types, in byte order.
  func fields(where isWanted: (FieldSchema) -> Bool = { _ in true }) throws -> [String] {
    let types = try type().map { [$0] } ?? schema()
    let names = types.flatMap { $0.fields.filter(isWanted).map(\.name.text) }
    return Set(names).sorted(by: utf8Precedes)
  }

  /// Completes a comma-separated list of fields, each with an optional minus. System keys are
  /// offered once their first letter is typed.
  private func fieldList(_ word: String) throws -> Completer.Completion {
    let parts = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let sign = parts.last?.hasPrefix("-") == true ? "-" : ""
    let begun = String(parts.last?.dropFirst(sign.count) ?? "")
    let named = parts.dropLast().map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
    let system = begun.isEmpty ? [] : SystemKey.allCases.map(\.rawValue)
    let names = try (fields() + system).filter { !named.contains($0) && $0.hasPrefix(begun) }
    return Completer.Completion(
      kept: String(word.dropLast(begun.count)), endings: names, isWord: false)
  }

  /// `field=value`, `field@file`: a field, then its values or files.
  private func assignment(_ word: String) throws -> Completer.Completion {
    let name = String(decoding: word.utf8.prefix { $0.isIdentifierByte }, as: UTF8.self)
    let rest = word.dropFirst(name.count)
    let type = try type()
    switch rest.first {
    case nil:
      let assigned = line.operands.dropFirst().map { word in
        String(decoding: word.utf8.prefix { $0.isIdentifierByte }, as: UTF8.self)
      }
      let fields = type?.fields.filter { !assigned.contains($0.name.text) } ?? []
      return words(fields.map { $0.name.text + ($0.type.base == .asset ? "@" : "=") }, word)
    case ":":
      let types = FieldType.Base.allCases.map { $0.rawValue.lowercased() + "=" }
      let texts = ["="] + types + ["list<", "encrypted<"]
      return words(texts.map { "\(name):\($0)" }, word)
    case "@":
      let path = String(rest.dropFirst())
      return Completer.Completion(kept: "\(name)@", endings: FileNames.beginning(with: path))
    case "=":
      guard let type, let field = type.field(name) else { return .init() }
      let found = try values(of: field, in: type.name, beginningWith: String(rest.dropFirst()))
      return Completer.Completion(
        kept: "\(name)=", endings: found.compactMap(\.completionText))
    default: return .init()
    }
  }

  /// Values of a field that begin with a text: the most common ones of the first records, then
  /// others that an index finds quickly.
  func values(
    of field: FieldSchema, in type: RecordType, beginningWith prefix: String
  ) throws -> [FieldValue] {
    let zone = try context.namedZone()
    let common = try context.database().commonValues(of: field.name, in: type, zone: zone)
    var values = common.filter { $0.completionText?.hasPrefix(prefix) ?? false }
    if values.count < Self.mostValues, !prefix.isEmpty {
      let hasty = context(Self.hastyMilliseconds)
      let found = try? hasty.database().texts(
        of: field.name, in: type, zone: zone, beginningWith: prefix, atMost: Self.mostValues)
      for value in found ?? [] where !values.contains(value) { values.append(value) }
    }
    return Array(values.prefix(Self.mostValues))
  }

  private static let mostValues = 20
}
