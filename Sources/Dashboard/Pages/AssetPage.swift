#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices

  /// The contents of an asset, as a picture or as a file.
  enum AssetPage {
    /// Answers `asset/RECORD/FIELD/NUMBER`. Throws `unknownItem` for other paths, and as a fetch of
    /// the record and of its assets.
    static func answer(_ open: OpenPlace, _ path: [String], asPicture: Bool) throws
      -> DashboardAnswer
    {
      let record = try RecordPage.record(RecordName(stored: path[0]), at: open)
      let assets = record.fields[FieldName(stored: path[1])]?.assets ?? []
      guard let number = Int(path[2]), assets.indices.contains(number) else {
        throw CloudError.noPage
      }
      let environment = open.database.environment
      try environment.requireAssets(of: record)
      let file = try environment.open(assets[number])
      var answer = DashboardAnswer(contents: DashboardAnswer.Contents(file, assets[number].size))
      if asPicture, let picture = PictureType(of: file) {
        answer.type = picture.mediaType
      } else {
        answer.type = "application/octet-stream"
        answer.fileName = path[1]
      }
      return answer
    }
  }

  /// The kinds of pictures that pages show; their contents cannot run anything.
  enum PictureType {
    case png
    case jpeg
    case gif
    case webp

    /// The kind of a file's contents, by their first bytes; nil for others.
    init?(of file: FileHandle) {
      guard let bytes = file.bytes(12, at: 0) else { return nil }
      if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
        self = .png
      } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpeg
      } else if bytes.starts(with: "GIF8".utf8) {
        self = .gif
      } else if bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WEBP".utf8) {
        self = .webp
      } else {
        return nil
      }
    }

    var mediaType: String {
      switch self {
      case .png: "image/png"
      case .jpeg: "image/jpeg"
      case .gif: "image/gif"
      case .webp: "image/webp"
      }
    }
  }
#endif
