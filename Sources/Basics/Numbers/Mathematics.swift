#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Functions of real numbers from the C library.
public enum Mathematics {
  /// A number to the power of another.
  public static func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

  /// The remainder of a division, with the sign of the dividend.
  public static func remainder(_ dividend: Double, _ divisor: Double) -> Double {
    fmod(dividend, divisor)
  }

  /// The logarithm with base 10.
  public static func decimalLogarithm(_ number: Double) -> Double { log10(number) }

  /// The natural logarithm.
  public static func naturalLogarithm(_ number: Double) -> Double { log(number) }

  /// Euler's number to the power of a number.
  public static func exponential(_ number: Double) -> Double { exp(number) }

  /// The cosine of an angle in degrees.
  public static func cosine(degrees: Double) -> Double { cos(degrees * .pi / 180) }
}
