// What went wrong is put into words here, for the command line and for apps alike: one line of what happened to what,
// lower case, without a full stop. What to do about it is said where it is shown.

/// A number and the thing counted, in its singular or plural.
package func counted(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}
