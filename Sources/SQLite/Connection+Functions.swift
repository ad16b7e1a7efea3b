internal import CSQLite

extension Connection {
  /// Adds an SQL function of four real numbers; NULL if an argument is NULL.
  ///
  /// `body` must return the same result for the same arguments.
  public func addFunction(
    _ name: String, _ body: @escaping (Double, Double, Double, Double) -> Double
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(RealFunction(body))
    let code = sqlite3_create_function_v2(
      handle, name, 4, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, box.toOpaque(),
      { context, _, arguments in
        guard let data = sqlite3_user_data(context), let arguments else { return }
        let function = Unmanaged<RealFunction>.fromOpaque(data).takeUnretainedValue()
        for place in 0..<4 where sqlite3_value_type(arguments[place]) == SQLITE_NULL {
          return sqlite3_result_null(context)
        }
        sqlite3_result_double(
          context,
          function.body(
            sqlite3_value_double(arguments[0]), sqlite3_value_double(arguments[1]),
            sqlite3_value_double(arguments[2]), sqlite3_value_double(arguments[3])))
      }, nil, nil,
      { data in
        if let data { Unmanaged<RealFunction>.fromOpaque(data).release() }
      })
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Adds an SQL function of a text that appends its result to a buffer; an empty text for NULL.
  public func addFunction(
    _ name: String, _ body: @escaping (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Void
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(TextFunction(body))
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, box.toOpaque(),
      { context, _, arguments in
        guard let data = sqlite3_user_data(context), let argument = arguments?[0] else { return }
        let function = Unmanaged<TextFunction>.fromOpaque(data).takeUnretainedValue()
        function.buffer.removeAll(keepingCapacity: true)
        if let text = sqlite3_value_text(argument) {
          let count = Int(sqlite3_value_bytes(argument))
          function.body(UnsafeBufferPointer(start: text, count: count), &function.buffer)
        }
        function.buffer.append(0)
        function.buffer.withUnsafeBytes { bytes in
          let text = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
          sqlite3_result_text(context, text, Int32(bytes.count - 1), Statement.transient)
        }
      }, nil, nil,
      { data in
        if let data { Unmanaged<TextFunction>.fromOpaque(data).release() }
      })
    guard code == SQLITE_OK else { throw error(code) }
  }

  /// Adds an SQL function of one argument that returns true and calls `body`; its argument
  /// determines for which rows it runs.
  public func addWitness(_ name: String, _ body: @escaping () -> Void) throws(SQLiteError) {
    let box = Unmanaged.passRetained(Witness(body))
    let code = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, box.toOpaque(),
      { context, _, _ in
        guard let data = sqlite3_user_data(context) else { return }
        Unmanaged<Witness>.fromOpaque(data).takeUnretainedValue().body()
        sqlite3_result_int(context, 1)
      }, nil, nil,
      { data in
        if let data { Unmanaged<Witness>.fromOpaque(data).release() }
      })
    guard code == SQLITE_OK else { throw error(code) }
  }

  private final class Witness {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  private final class TextFunction {
    let body: (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Void
    var buffer: [UInt8] = []
    init(_ body: @escaping (UnsafeBufferPointer<UInt8>, inout [UInt8]) -> Void) { self.body = body }
  }

  private final class RealFunction {
    let body: (Double, Double, Double, Double) -> Double
    init(_ body: @escaping (Double, Double, Double, Double) -> Double) { self.body = body }
  }
}
