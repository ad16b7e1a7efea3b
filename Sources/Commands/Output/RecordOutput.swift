internal import Basics
internal import CloudModel
internal import CommandKit
internal import FieldCodecs
internal import WireFormat

/// Prints records in any of the formats.
final class RecordOutput {
  private let format: OutputFormat
  private let output: ByteOutput
  private let keys: [String]
  private let schema: [RecordTypeSchema]
  private let end: UInt8
  private let isTerminal: Bool
  private let prompt: PromptState?
  private var cells: CellWriter?
  private(set) var count = 0
  private let dates: DateStyle
  private let expansion: Expansion?

  /// The columns and the schema of the printed records.
  struct Layout {
    /// The columns after the record's name, or those that `--fields` requested.
    var columns: [String]
    /// Whether the columns were requested by `--fields`.
    var isChosen: Bool
    /// The schema, for formats that name types.
    var schema: [RecordTypeSchema]

    /// Lays out all fields of some types; several types also have a type column.
    init(allOf schema: [RecordTypeSchema], chosen: [String]? = nil) {
      self.schema = schema
      isChosen = chosen != nil
      if let chosen {
        columns = chosen
      } else {
        columns = Self.columns(schema)
      }
    }

    /// The layout with the tag, dates and users of records.
    func withSystemKeys() -> Layout {
      if isChosen { return self }
      var layout = self
      layout.columns += [
        SystemKey.changeTag, .creationDate, .creatorUserRecordID, .modificationDate,
        .lastModifiedUserRecordID,
      ].map(\.rawValue)
      return layout
    }

    /// Whether a column contains numbers in all types that have it.
    fileprivate func isNumber(_ key: String) -> Bool {
      let name = FieldName(key: key)
      let types = schema.compactMap { type in type.fields.first { $0.name == name }?.type }
      return !types.isEmpty
        && types.allSatisfy { !$0.isList && [.int64, .double, .number].contains($0.base) }
    }

    private static func columns(_ schema: [RecordTypeSchema]) -> [String] {
      if schema.count == 1 { return schema[0].fields.map(\.name.key) }
      let names = Set(schema.flatMap { $0.fields.map(\.name.key) })
      return (schema.isEmpty ? [] : ["recordType"]) + names.sorted(by: utf8Precedes)
    }
  }

  @inline(never)
  init(
    _ context: Context, _ arguments: Arguments, _ layout: Layout, as format: OutputFormat? = nil,
    expanding expansion: Expansion? = nil
  ) throws {
    self.expansion = expansion
    self.format = try format ?? context.format()
    output = context.output
    prompt = context.session.prompt
    isTerminal = context.surroundings.outputIsTerminal
    schema = layout.schema
    dates = self.format.isForPeople ? try context.dates() : .iso
    end = arguments[OutputOptions.null] ? 0 : 0x0A
    keys = layout.columns.filter { SystemKey($0) != .recordName } + (expansion?.columns ?? [])
    let separated = try OutputOptions.separated(arguments, self.format)
    switch self.format.frame {
    case .cells:
      cells = CellWriter(
        context, self.format, columns: ["recordName"] + keys, separated)
      if self.format == .table { cells?.numbers = [false] + keys.map(layout.isNumber) }
    case .text where self.format == .raw:
      guard layout.isChosen, layout.columns.count == 1 else {
        throw CommandError(
          "format raw needs exactly one field", .usage, hint: "select it with --fields FIELD")
      }
    case .array, .jsonLine, .text: break
    }
    rawKey = layout.columns.first ?? ""
  }

  private let rawKey: String

  /// Writes a view and returns false once the output is broken; nil for formats that need records.
  var viewer: ((RecordView) -> Bool)? {
    guard format.isJSON, !format.needsSchema, expansion == nil else { return nil }
    let writer = RecordViewWriter(isExport: false)
    return { [self] view in
      if format != .jsonl { separate() }
      writer.append(view, to: &output.buffer)
      if format == .jsonl { output.buffer.append(0x0A) }
      count += 1
      output.spill()
      return !output.isBroken
    }
  }

  @inline(never)
  func write(_ record: Record) {
    defer { count += 1 }
    switch format {
    case .table:
      cells?.row([record.name.text] + keys.map { value($0, record)?.tableText(dates) })
    case .line:
      cells?.row([record.name.text] + keys.map { lineText($0, record) })
    case .csv, .tsv:
      cells?.row([record.name.text] + keys.map { value($0, record)?.cellText })
    case .json, .page:
      separate()
      append(record)
    case .jsonl:
      append(record)
      output.buffer.append(0x0A)
    case .wire:
      separate()
      let type = schema.first { $0.name == record.type }
      output.buffer.append(wire: record, types: type?.typesByField ?? [:])
    case .names: line(record.name.text)
    case .raw: line(Self.value(rawKey, record)?.cellText ?? "")
    }
    output.spill()
  }

  /// Appends a record as plain JSON, with the records that it refers to under `expanded`.
  private func append(_ record: Record) {
    output.buffer.append(plain: record)
    guard let expansion else { return }
    output.buffer.removeLast()
    output.buffer.append(text: ",\"expanded\":{")
    expansion.append(of: record, to: &output.buffer)
    output.buffer.append(text: "}}")
  }

  /// Writes the separator before a JSON record. The opening is written with the first record, so
  /// that an earlier failure leaves no output.
  private func separate() {
    if count > 0 {
      output.buffer.append(text: ",\n ")
    } else {
      output.buffer.append(text: format == .page ? "{\"records\":[" : "[")
    }
  }

  private func value(_ key: String, _ record: Record) -> FieldValue? {
    expansion?.value(key, record) ?? Self.value(key, record)
  }

  /// A value in the line format; dates are as in tables.
  private func lineText(_ key: String, _ record: Record) -> String? {
    switch value(key, record) {
    case .timestamp(let time): dates.text(time)
    case let value: value?.cellText
    }
  }

  private func line(_ text: String) {
    output.buffer.append(text: isTerminal ? text.visibleLines : text)
    output.buffer.append(end)
  }

  static func value(_ key: String, _ record: Record) -> FieldValue? {
    if key == "recordType" { return .string(record.type.text) }
    guard let system = SystemKey(key) else { return record.fields[FieldName(key: key)] }
    switch system.value(in: record) {
    case .reference(let reference)?: return .string(reference.name.text)
    case let value: return value
    }
  }

  /// Ends the output; a page includes the cursor of the next one.
  @inline(never)
  func finish(cursor: String? = nil) {
    let more = prompt == nil ? "more follow" : "more: .next"
    cells?.finish(
      noun: "record", time: format == .table ? prompt?.takeTime() : nil,
      more: cursor.map { _ in more })
    guard format.frame == .array else { return }
    guard format == .page else { return output.line(count == 0 ? "[]" : "]") }
    if count == 0 { separate() }
    output.write("],\"cursor\":")
    if let cursor {
      output.buffer.append(jsonString: cursor)
    } else {
      output.write("null")
    }
    output.line("}")
  }
}
