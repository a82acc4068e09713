export { borrowStack, type LentServers } from './borrow-stack';
export {
  cityCredit,
  cityMappings,
  countCities,
  listCities,
  listCityIds,
  makeCity,
  makeVisit,
} from './cities';
export { compareByKey } from './compare/compare-by-key';
export { type AskedKey, readByKey } from './compare/read-by-key';
export { type ComparisonReport, compareIndices } from './compare/compare-indices';
export type { ExpectedTransform } from './compare/expected-transform';
export { describeMismatches, type Mismatches, mismatchKinds } from './compare/mismatches';
export { type VerificationReport, verifyAgainstModel } from './compare/verify-model';
export { findTestFile } from './find-test-file';
export { exampleMigration, moveRead } from './example-migration';
export { examplePrimary, exampleRouting } from './example-routing';
export { answeredLate, createHold, type Fault, type Hold, sometimes } from './faults/fault';
export {
  type HttpCall,
  type HttpFault,
  type HttpFaultProxy,
  type HttpReply,
  overloaded,
  startHttpFaultProxy,
} from './faults/http-fault-proxy';
export {
  type RedisCall,
  type RedisFaultProxy,
  type RedisReply,
  startRedisFaultProxy,
} from './faults/redis-fault-proxy';
export { createAnswerCheck, type Exchange } from './http/check-answer';
export { callJson, callRaw, UnexpectedAnswer } from './http/call-json';
export {
  ConnectionError,
  createHttpClient,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  trustAuthority,
  joinHeaders,
} from './http/http-client';
export { parsePointsInTime } from './http/shapes';
export { checkAnswer, type CheckedAnswer, sendChecked } from './http/send-checked';
export { findLeftovers, type LeftoverOptions } from './leftovers';
export { type LoadedDocument, loadDocuments } from './load-documents';
export {
  cancelMigration,
  readStatus,
  startMigration,
  type StartOptions,
  waitForPhase,
  waitForStatus,
} from './migration/migration-client';
export {
  type ShardStatus,
  type StatusCounters,
  type StatusDocument,
  terminalPhases,
} from './migration/status-document';
export { WriterModel } from './model';
export {
  evaluatePermits,
  type LimitChange,
  mostShards,
  type PermitSample,
  type ShardHold,
  type WorkerLoss,
} from './permits/evaluate-permits';
export { createRandom, type Random } from './random';
export { makeDocument } from './random-document';
export { readCommit } from './read-commit';
export {
  describeFigure,
  inMegabytes,
  evaluateSoak,
  leastSamples,
  type ProcessSample,
  type SoakSample,
  type SoakVerdict,
  type Trend,
} from './soak/evaluate-soak';
export {
  createSourceIndex,
  createTargetIndex,
  deleteIndices,
  type IndexOptions,
  readIndexSettings,
  type SettingValue,
} from './test-indices';
export type { MakeDocument } from './writer/key-range';
export type { WriterStats } from './writer/tally';
export { type ItemAnswer, readBulkAnswer, readItemAnswer } from './writer/wire';
export { startWriters, type Writers, type WritersOptions } from './writer/writers';
