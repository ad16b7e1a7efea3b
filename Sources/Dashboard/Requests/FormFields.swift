#if Server
  internal import Basics
  internal import CloudModel

  /// The fields of a form or an address, as browsers write them
  /// (`application/x-www-form-urlencoded`, WHATWG URL §5).
  public struct FormFields: Sendable {
    private var fields: [(name: String, value: String)] = []
    /// The files of the form, in its order; without the inputs in which no file was chosen.
    public private(set) var files: [FormFile] = []

    /// No fields.
    public init() {}

    /// Parses fields. As in browsers, an invalid escape is kept, and invalid UTF-8 is repaired.
    public init(_ bytes: some Collection<UInt8>) {
      for pair in bytes.split(separator: UInt8(ascii: "&")) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        fields.append(
          (Self.decoded(pair[..<equals]), Self.decoded(pair[equals...].dropFirst())))
      }
    }

    /// The first value of a name; nil for none.
    public subscript(name: String) -> String? {
      fields.first { utf8Equal($0.name, name) }?.value
    }

    /// The first value of a name; nil for none, and for an empty one.
    func text(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// All values of a name, in the form's order.
    func all(_ name: String) -> [String] {
      fields.filter { utf8Equal($0.name, name) }.map(\.value)
    }

    /// The rests of the names that begin with a prefix, each once, in the form's order.
    func names(after prefix: String) -> [String] {
      var names: [String] = []
      var met: Set<String> = []
      for field in fields where field.name.hasPrefix(prefix) {
        let rest = String(field.name.dropFirst(prefix.count))
        if met.insert(rest).inserted { names.append(rest) }
      }
      return names
    }

    /// The files of a name.
    func files(_ name: String) -> [FormFile] { files.filter { utf8Equal($0.name, name) } }

    mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    mutating func add(_ file: FormFile) { files.append(file) }

    static func decoded(_ text: some Collection<UInt8>) -> String {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(text.count)
      var rest = text[...]
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "+"): bytes.append(0x20)
        case UInt8(ascii: "%"):
          let digits = rest.prefix(2)
          if digits.count == 2,
            let number = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
          {
            bytes.append(number)
            rest = rest.dropFirst(2)
          } else {
            bytes.append(byte)
          }
        default: bytes.append(byte)
        }
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  extension String {
    /// The text as a component of a path or a query: all characters that are not unreserved are
    /// escaped (RFC 3986, §2.3).
    var addressPart: String {
      var text = ""
      for byte in utf8 {
        if byte.isIdentifierByte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: "~")
        {
          text.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
          let digits = String(byte, radix: 16, uppercase: true)
          text += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
        }
      }
      return text
    }
  }
#endif
