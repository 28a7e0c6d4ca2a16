export * from "./access.ts";
export * from "./activity.ts";
export {
  ALERT_CONDITIONS,
  ALERT_INTERVALS,
  ALERT_STATES,
  type Alert,
  type AlertRule,
  type AlertState,
  type AlertThreshold,
  ANOMALY_DIRECTIONS,
  type AnomalyDetector,
  blankAlert,
  THRESHOLD_TYPES,
} from "./alert.ts";
export * from "./alertChecks.ts";
export * from "./alerts.ts";
export * from "./alertTurns.ts";
export * from "./annotations.ts";
export { changeTimeMs } from "./authorship.ts";
export * from "./batchExportBackfills.ts";
export * from "./batchExportLogs.ts";
export { type BatchExportRun, RUN_STATUSES, type RunStatus } from "./batchExportRun.ts";
export * from "./batchExportRuns.ts";
export * from "./batchExports.ts";
export { type Bootstrap, bootstrap } from "./bootstrap.ts";
export * from "./claims.ts";
export * from "./cohortCounts.ts";
export * from "./cohortPersons.ts";
export * from "./dashboards.ts";
export { definitionsCountedAt, queriesInUse, storeDefinitionCounts } from "./definitionCounts.ts";
export { type DefinitionText, newDefinitionText } from "./definitionText.ts";
export * from "./deliveries.ts";
export * from "./downloads.ts";
export * from "./environments.ts";
export * from "./eventDefinitions.ts";
export * from "./groupTypes.ts";
export { type HeldTable, holdRow, holdRows } from "./holdRow.ts";
export * from "./imports.ts";
export * from "./insights.ts";
export * from "./invites.ts";
export * from "./loginLinks.ts";
export * from "./members.ts";
export { RECORD_MIGRATIONS } from "./migrations.ts";
export * from "./organizations.ts";
export * from "./passwords.ts";
export * from "./personalApiKeys.ts";
export * from "./productIntents.ts";
export * from "./projectObjects.ts";
export * from "./projects.ts";
export * from "./propertyDefinitions.ts";
export * from "./queryCache.ts";
export * from "./queryCancels.ts";
export * from "./queryClaims.ts";
export * from "./queryJobs.ts";
export { readRecordVersion } from "./recordVersions.ts";
export { maskSecretsIn } from "./redact.ts";
export * from "./resultPieces.ts";
export * from "./roles.ts";
export { equalSecrets, newProjectToken } from "./secrets.ts";
export { noteDefinitions } from "./seenDefinitions.ts";
export * from "./sessions.ts";
export * from "./sharedLinks.ts";
export * from "./subscriptions.ts";
export * from "./tiles.ts";
export * from "./users.ts";
