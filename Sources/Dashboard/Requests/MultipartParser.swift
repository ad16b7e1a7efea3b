#if Server
  internal import Basics

  /// Parses a form with files (`multipart/form-data`, RFC 7578) piece by piece. Keeps text fields
  /// in memory, and writes uploaded files to temporary files. It is our own code because no package
  /// that ckdb can use parses such forms.
  public struct MultipartParser {
    /// Why a body was refused.
    public enum Failure: Error {
      /// It is not `multipart/form-data`.
      case malformed
      /// Its text fields, or the headers of a part, are too long.
      case tooLarge
    }

    private let delimiter: [UInt8]
    private let folder: String
    private var buffer: [UInt8] = [0x0D, 0x0A]
    private var state = State.preamble
    private var fields = FormFields()
    private var textBytes = 0
    private var parts = 0
    private var part = Part()
    /// The most bytes of all text fields, and of the headers of a part.
    private static let mostText = 8 << 20
    private static let mostHeaders = 8192
    /// The most files and fields of a form.
    private static let mostParts = 10_000
    private static let mostFiles = 100
    private static let lineEnd: [UInt8] = [0x0D, 0x0A]

    private enum State {
      case preamble
      case afterDelimiter
      case headers
      case contents
      case end
    }

    /// The part that is being read.
    private struct Part {
      var name = ""
      /// The name of the file; nil for a text field.
      var fileName: String?
      var text: [UInt8] = []
      var file: FileHandle?
      var size: Int64 = 0
    }

    /// Begins a form; `folder` receives its files. Nil if the content type is another one.
    public init?(contentType: String, in folder: String) {
      guard contentType.lowercased().hasPrefix("multipart/form-data"),
        let boundary = Self.parameter("boundary", of: contentType), !boundary.isEmpty,
        boundary.utf8.count <= 70
      else { return nil }
      delimiter = Array("\r\n--\(boundary)".utf8)
      self.folder = folder
    }

    /// Adds a piece of the body. Throws `Failure`, and `SystemError` for a file.
    public mutating func add(_ bytes: some Collection<UInt8>) throws {
      buffer.append(contentsOf: bytes)
      while try step() {}
    }

    /// Ends the form. Throws `Failure` if it is not complete.
    public consuming func finish() throws(Failure) -> FormFields {
      guard state == .end else { throw .malformed }
      return fields
    }

    /// Takes the next part of the buffer; false if more bytes are needed.
    private mutating func step() throws -> Bool {
      switch state {
      case .preamble:
        guard let found = buffer.range(of: delimiter) else {
          drop(keeping: delimiter.count)
          return false
        }
        buffer.removeSubrange(..<found.upperBound)
        state = .afterDelimiter
      case .afterDelimiter:
        guard buffer.count >= 2 else { return false }
        let isLast = buffer.starts(with: "--".utf8)
        guard isLast || buffer.starts(with: Self.lineEnd) else { throw Failure.malformed }
        state = isLast ? .end : .headers
      // The line end stays: the headers of a part may be empty.
      case .headers:
        guard let end = buffer.range(of: Self.lineEnd + Self.lineEnd) else {
          guard buffer.count <= Self.mostHeaders else { throw Failure.tooLarge }
          return false
        }
        try begin(String(decoding: buffer[..<end.lowerBound], as: UTF8.self))
        buffer.removeSubrange(..<end.upperBound)
        state = .contents
      case .contents:
        guard let found = buffer.range(of: delimiter) else {
          let safe = max(0, buffer.count - delimiter.count)
          try take(buffer[..<safe])
          buffer.removeSubrange(..<safe)
          return false
        }
        try take(buffer[..<found.lowerBound])
        end()
        buffer.removeSubrange(..<found.upperBound)
        state = .afterDelimiter
      case .end:
        buffer.removeAll()
        return false
      }
      return true
    }

    private mutating func drop(keeping count: Int) {
      if buffer.count > count { buffer.removeFirst(buffer.count - count) }
    }

    /// Begins a part with its headers.
    private mutating func begin(_ headers: String) throws {
      part = Part()
      parts += 1
      guard parts <= Self.mostParts, fields.files.count < Self.mostFiles else {
        throw Failure.tooLarge
      }
      let lines = headers.split(separator: "\r\n").map(String.init)
      let prefix = "content-disposition:"
      guard let line = lines.first(where: { $0.lowercased().hasPrefix(prefix) }),
        let name = Self.parameter("name", of: line)
      else { throw Failure.malformed }
      part.name = name
      part.fileName = Self.parameter("filename", of: line)
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) throws {
      if bytes.isEmpty { return }
      guard part.fileName != nil else {
        textBytes += bytes.count
        guard textBytes <= Self.mostText else { throw Failure.tooLarge }
        part.text += bytes
        return
      }
      if part.file == nil { part.file = try FileHandle(unnamedIn: folder) }
      try part.file?.writeAll(Array(bytes))
      part.size += Int64(bytes.count)
    }

    private mutating func end() {
      defer { part = Part() }
      guard let fileName = part.fileName else {
        return fields.add(part.name, String(decoding: part.text, as: UTF8.self))
      }
      // An input without a file is sent as an empty file without a name.
      guard !fileName.isEmpty, let file = part.file ?? (try? FileHandle(unnamedIn: folder)) else {
        return
      }
      let name = fileName.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init)
      fields.add(
        FormFile(name: part.name, fileName: name ?? "file", contents: file, size: part.size))
    }

    /// A parameter of a header, in quotes or not. Browsers escape quotes and line ends in names as
    /// `%22`, `%0D` and `%0A`, and nothing else (HTML, "multipart form data").
    private static func parameter(_ name: String, of header: String) -> String? {
      var rest = Array(header.utf8)[...]
      while let separator = rest.firstIndex(of: UInt8(ascii: ";")) {
        rest = rest[(separator + 1)...].drop { $0 == UInt8(ascii: " ") }
        let key = rest.prefix { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") }
        rest = rest.dropFirst(key.count).drop { $0 == UInt8(ascii: "=") }
        var value = rest.prefix { $0 != UInt8(ascii: ";") }
        if rest.first == UInt8(ascii: "\"") {
          value = rest.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
          rest = rest[value.endIndex...]
        }
        guard String(decoding: key, as: UTF8.self).lowercased() == name else { continue }
        return String(decoding: value, as: UTF8.self).replacingUTF8("%22", with: "\"")
          .replacingUTF8("%0D", with: "\r").replacingUTF8("%0A", with: "\n")
      }
      return nil
    }
  }

  extension [UInt8] {
    /// The first place of a pattern that begins with a carriage return; nil for none.
    fileprivate func range(of pattern: [UInt8]) -> Range<Int>? {
      withUnsafeBufferPointer { bytes in
        var place = 0
        while place + pattern.count <= bytes.count {
          if bytes[place] == 0x0D, bytes[place..<place + pattern.count].elementsEqual(pattern) {
            return place..<place + pattern.count
          }
          place += 1
        }
        return nil
      }
    }
  }
#endif
