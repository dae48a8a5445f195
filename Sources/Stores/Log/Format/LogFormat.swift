/// The offsets and constants of a log file; `docs/format-log.md` describes the format.
///
/// All integers are little-endian. The checksums are XXH3 with 64 bits.
enum LogFormat {
  /// As in PNG: reveals a file that passed through a 7-bit channel or had its line ends converted.
  static let magic: [UInt8] = [0x89, 0x53, 0x44, 0x4C, 0x0D, 0x0A, 0x1A, 0x0A]
  static let majorVersion: UInt16 = 1
  static let minorVersion: UInt16 = 0
  static let headerBytes = 64
  /// The incompatible feature of logs that may contain records in columns.
  static let columnsFeature: UInt32 = 1

  /// The bytes F5 4C 4F 47 at the beginning of every frame.
  static let frameMarker: UInt32 = 0x474F_4CF5
  static let frameHeaderBytes = 40
  /// Every frame begins at a multiple of this.
  static let alignment = 8
  /// The maximum payload size; a single record that needs more is rejected.
  static let payloadLimit = 1 << 30
  /// A payload that has reached this size ends before the next record.
  static let partBytes = 1 << 20
  /// A transaction writes the inserts of an entity in columns with at least this many.
  static let leastColumnRecords = NewRows.leastRecords

  /// Offsets in the file header.
  enum Header {
    static let magic = 0
    static let majorVersion = 8
    static let minorVersion = 10
    static let incompatibleFeatures = 12
    static let readOnlyFeatures = 16
    static let length = 20
    static let identifier = 24
    static let generation = 40
    static let salt = 48
    static let checksum = 56
  }

  /// Offsets in the header of a frame.
  enum Frame {
    static let marker = 0
    static let headerChecksum = 4
    static let payloadLength = 8
    static let kind = 12
    static let flags = 13
    static let zero = 14
    static let sequence = 16
    static let previousChecksum = 24
    static let payloadChecksum = 32
    /// The header checksum covers everything from here on.
    static let checkedFrom = 8
  }

  /// The kind of a frame's content.
  enum FrameKind: UInt8, Sendable {
    case schema = 1
    case transaction = 2
    case baseChunk = 3
    case baseEnd = 4
    case transactionPart = 5
    case schemaChange = 6
    case migration = 7
    /// Records of a base in columns.
    case baseColumns = 8
    /// The last inserts of a transaction, in columns.
    case transactionColumns = 9
    /// A note with conversions of fields, which earlier versions cannot read.
    case conversionNote = 10

    /// The file header and the schema in force again, for recovery when the first copies are
    /// damaged.
    case schemaCopy = 128
    /// The base already contains the result of these frames; a reader that skips them loses no
    /// record.
    case pastSchema = 129
    case pastTransaction = 130
    case pastTransactionPart = 133
    case pastSchemaChange = 134
    case pastMigration = 135
    case pastTransactionColumns = 137
    /// The message of a transaction, and its single changes of the schema; only for the history.
    case note = 138

    /// Set in kinds that a reader may skip if it does not recognize them.
    static let skippableBit: UInt8 = 0x80
  }

  /// Set in `flags` if the transaction continues in the next frame.
  static let continuesFlag: UInt8 = 1

  /// The size of a frame with a payload of this size.
  static func frameBytes(payload: Int) -> Int {
    (frameHeaderBytes + payload + alignment - 1) / alignment * alignment
  }
}

extension UnsafeRawBufferPointer {
  func littleEndian<Integer: FixedWidthInteger>(_ offset: Int, as type: Integer.Type) -> Integer {
    Integer(littleEndian: loadUnaligned(fromByteOffset: offset, as: type))
  }
}

extension UnsafeMutableRawBufferPointer {
  func store(_ value: some FixedWidthInteger, at offset: Int) {
    storeBytes(of: value.littleEndian, toByteOffset: offset, as: type(of: value))
  }
}
