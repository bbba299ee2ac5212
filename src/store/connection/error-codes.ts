/** The codes of MongoDB's errors that the service tells apart, by their names in MongoDB. */
const MONGODB_ERRORS = {
  BadValue: 2,
  HostUnreachable: 6,
  HostNotFound: 7,
  Unauthorized: 13,
  AuthenticationFailed: 18,
  LockTimeout: 24,
  IndexNotFound: 27,
  CursorNotFound: 43,
  LockBusy: 46,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  WriteConcernFailed: 64,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  WriteConflict: 112,
  FailedToSatisfyReadPreference: 133,
  ReadConcernMajorityNotAvailableYet: 134,
  PrimarySteppedDown: 189,
  NetworkInterfaceExceededTimeLimit: 202,
  SnapshotTooOld: 239,
  SnapshotUnavailable: 246,
  ExceededTimeLimit: 262,
  ChangeStreamFatalError: 280,
  ChangeStreamHistoryLost: 286,
  TransactionExceededLifetimeLimitSeconds: 290,
  TemporarilyUnavailable: 365,
  TransactionTooLargeForCache: 388,
  /** A document that $lookup makes too large. */
  LookupTooLarge: 4568,
  SocketException: 9001,
  NotWritablePrimary: 10107,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11_000,
  InterruptedAtShutdown: 11600,
  InterruptedDueToReplStateChange: 11602,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
  OutOfDiskSpace: 14031,
  /** A document that an update makes too large. */
  UpdateTooLarge: 17419,
  /** A document that an upsert makes too large. */
  UpsertTooLarge: 17420,
} as const;

type NameOfError = keyof typeof MONGODB_ERRORS;

/** Whether a value is an error of MongoDB with one of these names. */
export function hasCode(error: unknown, ...names: readonly NameOfError[]): boolean {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return names.some((name) => MONGODB_ERRORS[name] === code);
}
