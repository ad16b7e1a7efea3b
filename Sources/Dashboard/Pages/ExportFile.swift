#if Server
  internal import Basics
  internal import CloudModel
  internal import CloudServices
  internal import FieldCodecs
  internal import WireFormat

  /// The records of a query as a file of JSON Lines, as `ckdb query --format jsonl` prints them.
  enum ExportFile {
    /// An export of more records would be too large for the server's memory.
    private static let most = 50_000

    static func answer(
      _ open: OpenPlace, _ type: RecordType, _ query: FormFields
    ) throws -> DashboardAnswer {
      let question = TableQuestion(type, query, at: open.place)
      var request = try question.request(open)
      request.limit = most + 1
      var bytes: [UInt8] = []
      var count = 0
      _ = try open.database.query(request) { record in
        bytes.append(plain: record)
        bytes.append(UInt8(ascii: "\n"))
        count += 1
        return count <= most
      }
      guard count <= most else {
        let line = open.place.command(
          ["query"], question.operands, options: ["--all", "--format", "jsonl"])
        throw CloudError(
          .limitExceeded, "The query has more than \(most.grouped) records",
          remedy: .advice("\(line) > \(type.text).jsonl"))
      }
      return .download(bytes, "application/jsonl", as: "\(type.text).jsonl")
    }
  }

  /// The names of records that begin with a prefix, for completing references: a JSON array.
  enum NamesAnswer {
    private static let most = 20

    static func answer(_ open: OpenPlace, _ prefix: String) throws -> DashboardAnswer {
      let zone = open.place.zone ?? .defaultZone
      let names = try open.database.names(beginningWith: prefix, in: zone, atMost: most)
      let json = JSONValue.array(names.map { .string($0.text) })
      return DashboardAnswer(type: "application/json", body: Array(json.text.utf8))
    }
  }
#endif
