import CCrypto

/// A provider of libcrypto that hands out the few algorithms which runic uses, as libcrypto's own default provider
/// implements them.
///
/// To find one cipher libcrypto constructs every cipher that the providers of a context have: 124 of them, a third of
/// a millisecond, and the same again for digests and keys. From a context with this provider it constructs one or two.
/// provider(7), provider-base(7).
enum LeanProvider {
  /// A context of its own with nothing but this provider; nil where libcrypto does not let it be.
  static func makeContext() -> OpaquePointer? {
    guard original != nil, let context = OSSL_LIB_CTX_new() else { return nil }
    let isAdded = OSSL_PROVIDER_add_builtin(context, "runic") { _, _, table, parts in
      table?.pointee = LeanProvider.functions
      // The algorithms get the context that the default provider made for itself, as they expect.
      parts?.pointee = OSSL_PROVIDER_get0_provider_ctx(LeanProvider.original)
      return 1
    }
    guard isAdded == 1, OSSL_PROVIDER_load(context, "runic") != nil else {
      OSSL_LIB_CTX_free(context)
      return nil
    }
    return context
  }

  /// The default provider, in a context of its own. What an algorithm needs of others (Ed25519 of SHA-512, scrypt of
  /// PBKDF2) it finds there.
  nonisolated(unsafe) private static let original: OpaquePointer? = OSSL_LIB_CTX_new().flatMap {
    OSSL_PROVIDER_load($0, "default")
  }

  nonisolated(unsafe) private static let digests = table(OSSL_OP_DIGEST, "SHA2-256", "SHA2-512")
  nonisolated(unsafe) private static let ciphers = table(OSSL_OP_CIPHER, "AES-256-ECB", "AES-256-GCM")
  nonisolated(unsafe) private static let keys = table(OSSL_OP_KEYMGMT, "ED25519")
  nonisolated(unsafe) private static let signatures = table(OSSL_OP_SIGNATURE, "ED25519")

  /// The algorithms of an operation that have these as the first of their names, ended as C ends them; all of them where
  /// one is missing. Made once and kept, as a provider's tables are.
  private static func table(_ operation: Int32, _ names: String...) -> UnsafePointer<OSSL_ALGORITHM>? {
    guard let all = all(operation) else { return nil }
    let table = UnsafeMutablePointer<OSSL_ALGORITHM>.allocate(capacity: names.count + 1)
    var (next, count) = (all, 0)
    while next.pointee.algorithm_names != nil, count < names.count {
      if names.contains(where: { isFirst($0, of: next.pointee) }) {
        (table + count).initialize(to: next.pointee)
        count += 1
      }
      next += 1
    }
    guard count == names.count else {
      table.deallocate()
      return all
    }
    (table + count).initialize(to: OSSL_ALGORITHM())
    return UnsafePointer(table)
  }

  /// Of operations that are not named here, and have few algorithms, all are handed out.
  private static func algorithms(_ operation: Int32) -> UnsafePointer<OSSL_ALGORITHM>? {
    switch operation {
    case OSSL_OP_DIGEST: digests
    case OSSL_OP_CIPHER: ciphers
    case OSSL_OP_KEYMGMT: keys
    case OSSL_OP_SIGNATURE: signatures
    default: all(operation)
    }
  }

  private static func all(_ operation: Int32) -> UnsafePointer<OSSL_ALGORITHM>? {
    var isTemporary: Int32 = 0
    return OSSL_PROVIDER_query_operation(original, operation, &isTemporary)
  }

  /// Several names stand between colons, and end as C ends them.
  private static func isFirst(_ name: String, of algorithm: OSSL_ALGORITHM) -> Bool {
    guard var next = algorithm.algorithm_names else { return false }
    for byte in name.utf8 {
      guard UInt8(bitPattern: next.pointee) == byte else { return false }
      next += 1
    }
    return next.pointee == 0 || UInt8(bitPattern: next.pointee) == UInt8(ascii: ":")
  }

  // MARK: - What libcrypto calls

  private typealias Query =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeMutablePointer<Int32>?
    ) -> UnsafePointer<OSSL_ALGORITHM>?

  /// What this provider can do, ended as C ends it. An entry is a function of any type, by its number.
  nonisolated(unsafe) private static let functions: UnsafePointer<OSSL_DISPATCH> = {
    let query: Query = { _, operation, mayNotBeKept in
      mayNotBeKept?.pointee = 0
      return LeanProvider.algorithms(operation)
    }
    let functions = UnsafeMutablePointer<OSSL_DISPATCH>.allocate(capacity: 2)
    functions.initialize(
      to: OSSL_DISPATCH(
        function_id: OSSL_FUNC_PROVIDER_QUERY_OPERATION,
        function: unsafeBitCast(query, to: (@convention(c) () -> Void).self)))
    (functions + 1).initialize(to: OSSL_DISPATCH())
    return UnsafePointer(functions)
  }()
}
