internal import Basics

/// Prints rows other than records: zones, containers, types. The first column is the name.
final class RowOutput {
  private let format: OutputFormat
  private let output: ByteOutput
  private let columns: [String]
  private let noun: String
  private let prompt: PromptState?
  private var cells: CellWriter?
  private var count = 0

  @inline(never)
  init(_ context: Context, noun: String, columns: [String]) throws {
    format = try context.format()
    output = context.output
    self.columns = columns
    self.noun = noun
    prompt = context.session.prompt
    if format.frame == .cells { cells = CellWriter(context, format, columns: columns) }
  }

  @inline(never)
  func row(_ values: [JSONValue]) {
    defer { count += 1 }
    if let cells {
      for (index, value) in values.enumerated() where index > 0 {
        switch value {
        case .int, .double, .outOfRange: cells.numbers[index] = true
        case .null, .bool, .string, .array, .object: break
        }
      }
      return cells.row(values.map(\.cellText))
    }
    if format.frame == .text {
      return output.line(values[0].cellText ?? "")
    }
    if format.frame == .array { output.write(count == 0 ? "[" : ",\n ") }
    let members = zip(columns, values).compactMap { name, value in
      value == .null ? nil : JSONMember(name, value)
    }
    output.buffer.append(json: .object(members))
    if format.frame == .jsonLine { output.line("") }
    output.spill()
  }

  /// Ends the output. With `isQuietIfEmpty`, a table without rows prints nothing. `more` describes
  /// the rows that a table leaves out.
  @inline(never)
  func finish(isQuietIfEmpty: Bool = false, more: String? = nil) {
    if isQuietIfEmpty, format == .table, count == 0 { return }
    let time = format == .table ? prompt?.takeTime() : nil
    cells?.finish(noun: noun, time: time, more: more)
    if format.frame == .array { output.line(count == 0 ? "[]" : "]") }
  }
}
