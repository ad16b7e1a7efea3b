internal import Basics

/// A uniform type identifier, for UTI-EQUALS and UTI-CONFORMS-TO; case-insensitive.
struct TypeIdentifier: Equatable {
  private let name: String

  init(_ name: String) { self.name = name.lowercased() }

  /// Whether it is equal to the other, or a subtype of it.
  ///
  /// Knows the types that the system declares and a record is likely to use; apps' types are known
  /// only on their devices, and conform only to themselves here (Uniform Type Identifiers
  /// Reference, "System-Declared Uniform Type Identifiers").
  func conforms(to other: TypeIdentifier) -> Bool {
    var reached: Set<String> = []
    var open = [name]
    while let next = open.popLast() {
      guard reached.insert(next).inserted else { continue }
      if utf8Equal(next, other.name) { return true }
      open += Self.parents[next] ?? []
    }
    return false
  }

  static func == (a: TypeIdentifier, b: TypeIdentifier) -> Bool { utf8Equal(a.name, b.name) }

  private static let parents: [String: [String]] = {
    let lines = [
      "public.content": "", "public.item": "", "public.composite-content": "public.content",
      "public.data": "public.item", "public.directory": "public.item",
      "public.text": "public.data public.content", "public.plain-text": "public.text",
      "public.utf8-plain-text": "public.plain-text", "public.rtf": "public.text",
      "public.html": "public.text", "public.xml": "public.text", "public.json": "public.text",
      "public.source-code": "public.plain-text", "public.swift-source": "public.source-code",
      "public.comma-separated-values-text": "public.text", "public.vcard": "public.text",
      "com.adobe.pdf": "public.data public.composite-content",
      "public.image": "public.data public.content", "public.jpeg": "public.image",
      "public.png": "public.image", "public.tiff": "public.image", "public.heic": "public.image",
      "public.svg-image": "public.image", "com.compuserve.gif": "public.image",
      "org.webmproject.webp": "public.image", "public.camera-raw-image": "public.image",
      "public.audiovisual-content": "public.data public.content",
      "public.movie": "public.audiovisual-content", "public.video": "public.movie",
      "public.audio": "public.audiovisual-content", "public.mp3": "public.audio",
      "public.mpeg": "public.movie", "public.mpeg-4": "public.movie",
      "public.mpeg-4-audio": "public.audio", "com.apple.quicktime-movie": "public.movie",
      "com.microsoft.waveform-audio": "public.audio", "public.archive": "public.data",
      "public.zip-archive": "public.archive", "public.folder": "public.directory",
      "public.database": "public.data", "public.calendar-event": "public.data",
      "public.contact": "public.data", "public.url": "public.data",
      "public.file-url": "public.url",
    ]
    return lines.mapValues { $0.split(separator: " ").map(String.init) }
  }()
}
