#if Server
  internal import Basics
  internal import CloudModel

  /// The description of the routes, made from the table that serves them.
  struct OpenAPI {
    /// How the server is reached.
    let base: String

    /// The description as JSON.
    var text: String {
      var paths: [JSONMember] = []
      for endpoint in Endpoint.all {
        let path = "/database/1/{container}/{environment}/{database}/\(endpoint.path)"
        paths.append(
          JSONMember(
            path,
            .object(
              [JSONMember("parameters", .array(Self.parameters(endpoint)))]
                + endpoint.methods.map { method in
                  JSONMember(method.rawValue.lowercased(), Self.operation(endpoint, method))
                })))
      }
      return JSONValue.object([
        JSONMember("openapi", .string("3.0.3")),
        JSONMember(
          "info",
          .object([
            JSONMember("title", .string("CloudKit Web Services by ckdb")),
            JSONMember("version", .string(WebServer.version)),
          ])),
        JSONMember("servers", .array([.object([JSONMember("url", .string(base))])])),
        JSONMember("paths", .object(paths)),
      ]).text
    }

    private static func parameters(_ endpoint: Endpoint) -> [JSONValue] {
      func parameter(_ name: String, _ place: String, _ words: [String]?) -> JSONValue {
        var schema = [JSONMember("type", .string("string"))]
        if let words { schema.append(JSONMember("enum", .array(words.map { .string($0) }))) }
        return .object([
          JSONMember("name", .string(name)), JSONMember("in", .string(place)),
          JSONMember("required", .bool(place == "path")), JSONMember("schema", .object(schema)),
        ])
      }
      return [
        parameter("container", "path", nil),
        parameter("environment", "path", Environment.allCases.map(\.rawValue)),
        parameter("database", "path", endpoint.scopes.map(\.name)),
        parameter("ckAPIToken", "query", nil), parameter("ckWebAuthToken", "query", nil),
      ]
    }

    private static func operation(_ endpoint: Endpoint, _ method: Endpoint.Method) -> JSONValue {
      var members = [
        JSONMember("summary", .string(endpoint.summary)),
        JSONMember(
          "operationId",
          .string(
            endpoint.path.replacingUTF8("/", with: "_") + (method == .get ? "_get" : ""))),
      ]
      if method == .post {
        let content = JSONMember(
          "application/json", .object([JSONMember("schema", object(endpoint.keys))]))
        members.append(
          JSONMember("requestBody", .object([JSONMember("content", .object([content]))])))
      }
      var properties: [JSONMember] = []
      if !endpoint.result.isEmpty {
        properties.append(
          JSONMember(
            endpoint.result,
            .object([
              JSONMember("type", .string("array")),
              JSONMember("items", .object([JSONMember("type", .string("object"))])),
            ])))
      }
      members.append(
        JSONMember(
          "responses",
          .object([
            JSONMember("200", answer("the results, in order", properties)),
            JSONMember("default", answer("an error", errorProperties)),
          ])))
      return .object(members)
    }

    private static let errorProperties = ["uuid", "serverErrorCode", "reason"].map {
      JSONMember($0, .object([JSONMember("type", .string("string"))]))
    }

    private static func answer(_ text: String, _ properties: [JSONMember]) -> JSONValue {
      .object([
        JSONMember("description", .string(text)),
        JSONMember(
          "content",
          .object([
            JSONMember(
              "application/json",
              .object([
                JSONMember(
                  "schema",
                  .object([
                    JSONMember("type", .string("object")),
                    JSONMember("properties", .object(properties)),
                    JSONMember("required", .array(properties.map { .string($0.name) })),
                  ]))
              ]))
          ])),
      ])
    }

    // MARK: Requests

    private static func object(_ keys: [RequestKey]) -> JSONValue {
      var members = [
        JSONMember("type", .string("object")),
        JSONMember(
          "properties", .object(keys.map { JSONMember($0.name, schema($0.kind)) })),
      ]
      let required = keys.filter(\.isRequired).map { JSONValue.string($0.name) }
      if !required.isEmpty { members.append(JSONMember("required", .array(required))) }
      return .object(members)
    }

    private static func schema(_ kind: RequestKey.Kind) -> JSONValue {
      func type(_ name: String, _ others: [JSONMember] = []) -> JSONValue {
        .object([JSONMember("type", .string(name))] + others)
      }
      switch kind {
      case .text: return type("string")
      case .flag: return type("boolean")
      case .count: return type("integer", [JSONMember("minimum", .int(1))])
      case .texts: return type("array", [JSONMember("items", type("string"))])
      case .choice(let words):
        return type("string", [JSONMember("enum", .array(words.map { .string($0) }))])
      case .any: return type("object")
      case .zone:
        return object([
          RequestKey("zoneName", .text).required, RequestKey("ownerRecordName", .text),
        ])
      case .query:
        return object([
          RequestKey("recordType", .text).required,
          RequestKey("filterBy", .list([RequestKey("comparator", .text).required])),
          RequestKey(
            "sortBy",
            .list([RequestKey("fieldName", .text).required, RequestKey("ascending", .flag)])),
        ])
      case .fields:
        return type(
          "object",
          [
            JSONMember(
              "additionalProperties",
              object([RequestKey("value", .text).required, RequestKey("type", .text)]))
          ])
      case .object(let keys): return object(keys)
      case .list(let keys): return type("array", [JSONMember("items", object(keys))])
      }
    }
  }
#endif
