/// What makes an argument a flag.
enum FlagSyntax {
  /// Whether the argument is written as a flag. `-` stands for standard input, `-5` and `-.5` are numbers.
  static func looksLikeFlag(_ argument: String) -> Bool {
    let bytes = Array(argument.utf8)
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "-") else { return false }
    let digit = bytes[1] == UInt8(ascii: ".") && bytes.count > 2 ? bytes[2] : bytes[1]
    return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit)
  }

  /// `--flag=value` in two parts; no value where there is no `=`.
  static func split(_ argument: String) -> (name: String, value: String?) {
    let bytes = argument.utf8
    guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return (argument, nil) }
    return (String(argument[..<equals]), String(argument[bytes.index(after: equals)...]))
  }
}
