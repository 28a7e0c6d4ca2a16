import type { Config } from "../../config.ts";
import type { DestinationEnv } from "../../export/mod.ts";
import type {
  ArrivalMark,
  Arrivals,
  DayUsage,
  HealthHistory,
  HealthStep,
  StoredDeadLetter,
  StoredWarning,
} from "../../lake/mod.ts";
import type { Environment } from "../../metadata/mod.ts";
import type { SecretBox } from "../../outgoing/mod.ts";
import type { GroupImport, PersonImport } from "../../persons/mod.ts";
import type { Db, Listed, Page } from "../../store/mod.ts";
import type { GroupIndex } from "../../types/mod.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Queries } from "../query/queries.ts";

/** What the management API needs from the rest of the program. */
export interface ManageDeps {
  config: Config;
  db: Db;
  /** Epoch milliseconds. */
  now(): number;
  queries: Queries;
  ingestion: Ingestion;
  people: People;
  health: Health;
  passwords: Passwords;
  exports: Exports;
  /**
   * What sends the events of a demo project to the front, and marks it as complete. Throws TerminalError `not_running` where no
   * front is known.
   */
  demo(): (environment: Environment) => Promise<unknown>;
  /** The address of the client that the front names; that of the connection when absent. */
  addressOf?(request: Request): string | null;
  /** For what a client is not told; `requestId` names its request. */
  log(line: string, requestId?: string): void;
}

export interface Ingestion {
  /** What became of the events of one environment; the answer of `ingestion_status/` as it is. */
  status(teamId: number): Promise<object>;
  /** What senders of one environment should know, newest first, and how much of it there is. */
  warnings(teamId: number, page: Page): Promise<Listed<StoredWarning>>;
  /** The whole installation; the answer of `installation/status/` as it is. */
  installation(): Promise<object>;
  /** What was stored in one environment behind a mark; without one, where the end is now. */
  arrivals(teamId: number, after: ArrivalMark | null): Promise<Arrivals>;
  /** What the figures of one environment were, or (null) of all. */
  history(teamId: number | null, o: { step: HealthStep; steps: number }): Promise<HealthHistory>;
}

export interface People {
  /** Makes or merges persons, or makes groups, through the identity lane; resolves when queries see them. */
  import(teamId: number, told: readonly (PersonImport | GroupImport)[], nowMs: number): Promise<void>;
  /** Gives types of groups that have no number yet the next ones, in their order; beyond five a type gets none. */
  ensureGroupTypes(teamId: number, types: readonly string[]): Promise<unknown>;
  /** Deletes a person; false when there is none of this id. */
  erasePerson(o: { teamId: number; personId: string; withEvents: boolean }): Promise<boolean>;
  /** Deletes a group, whose events stay; false when there is no such group. */
  eraseGroup(o: { teamId: number; index: GroupIndex; key: string }): Promise<boolean>;
  /** Deletes the events of an import; queries see none of them when it resolves. */
  eraseImport(o: { teamId: number; importId: string }): Promise<void>;
  deadLetters(teamId: number, page: Page): Promise<Listed<StoredDeadLetter>>;
  /** False when there is no such letter in the project, or it was sent in again before. */
  redrive(teamId: number, id: number): Promise<boolean>;
  /** Events accepted by UTC day, oldest first. */
  usage(teamId: number, range: { fromDay: number; toDay: number }): Promise<DayUsage[]>;
}

/** What batch exports need of this machine. */
export interface Exports {
  secrets: SecretBox;
  env: Omit<DestinationEnv, "log">;
}

export interface Health {
  /** Why the service cannot take requests now, or null. */
  ready(): Promise<string | null>;
  /** Why the process should be restarted, or null. */
  alive(): string | null;
  /** Prometheus text format. */
  metrics(): Promise<string>;
}
