internal import CloudModel
internal import Testing

@testable internal import Commands

/// The one table of errors (R12, M6).
@Suite struct ErrorTableTests {
  @Test("R12: each code has the name that CKError.h gives it, and no two are the same")
  func names() {
    #expect(CloudError.Code.allCases.map(\.rawValue) == Array(1...37))
    for code in CloudError.Code.allCases { #expect(code.name == "\(code)") }
  }

  @Test("M6: each CKError number has its exit code")
  func exitCodes() {
    let rows: [Int32: [Int]] = [
      1: [5, 11, 26, 28], 3: [2], 66: [16], 69: [3, 4, 6, 36], 70: [1], 74: [25],
      75: [7, 17, 23, 34, 35], 76: [14, 21], 77: [9, 10, 32, 33], 130: [20],
    ]
    for code in CloudError.Code.allCases {
      let expected = rows.first { $0.value.contains(code.rawValue) }?.key ?? 65
      #expect(CloudError(code, "").exitCode.rawValue == expected, "\(code)")
    }
  }

  @Test("R12.39, R12.41: the server's sub-codes in logs, and the names of Web Services")
  func serverCodes() {
    let codes: [CloudError.Code: Int] = [
      .partialFailure: 1011, .serverRecordChanged: 2004, .permissionFailure: 2007,
      .serviceUnavailable: 2022, .limitExceeded: 2023, .changeTokenExpired: 2026,
    ]
    for (code, number) in codes { #expect(CloudError(code, "").serverCode == number) }
    let names: [CloudError.Code: String] = [
      .permissionFailure: "ACCESS_DENIED", .batchRequestFailed: "ATOMIC_ERROR",
      .invalidArguments: "BAD_REQUEST", .serverRecordChanged: "CONFLICT",
      .internalError: "INTERNAL_ERROR", .unknownItem: "NOT_FOUND",
      .quotaExceeded: "QUOTA_EXCEEDED", .requestRateLimited: "THROTTLED",
      .serviceUnavailable: "TRY_AGAIN_LATER", .zoneNotFound: "ZONE_NOT_FOUND",
      .referenceViolation: "VALIDATING_REFERENCE_ERROR",
    ]
    for (code, name) in names { #expect(code.facts.wire.rawValue == name) }
  }
}
