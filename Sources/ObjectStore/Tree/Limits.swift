/// The bounds that are checked before anything is allocated (`docs/format.md`, "Bounds").
public enum Limits {
  /// One change of a commit, in bytes of JSON.
  public static let change = 1 << 20
  /// One commit, in bytes of JSON.
  public static let commit = 2 << 20
  /// What an object holds, inflated.
  public static let objectBody = 16 << 20
  /// An object's file: a body that cannot be compressed, its header and its tag.
  public static let objectFile = objectBody + (1 << 20)
  /// What a head holds, inflated.
  public static let headBody = 4 << 20
  /// A head's file.
  public static let headFile = 2 << 20
  /// The marker, a key slot.
  public static let smallFile = 64 << 10
  /// How many replaced objects stay for readers that lag.
  public static let replacedObjects = 16
  /// How many heads of a branch stay.
  public static let heads = 4
  /// How many bytes of older objects one `record` may write again.
  public static let rollUp = 1 << 20
  /// The greatest sequence number: a commit's line has room for 18 digits of it.
  public static let sequence: Int64 = 999_999_999_999_999_999
  /// The greatest wall time, in milliseconds: the end of the year 9999.
  public static let time: Int64 = 253_402_300_799_999
}
