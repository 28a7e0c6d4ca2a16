import type { Alert, Environment, Insight, Subscription, User } from "../../metadata/mod.ts";
import type { Tx } from "../../store/mod.ts";
import type { Sheet } from "../message/subscriptionMessage.ts";
import type { TrendInterval } from "../rule/range.ts";
import type { Line } from "../rule/series.ts";

/** Whose request it is: its end ends the query. */
export interface Asked {
  environment: Environment;
  nowMs: number;
  signal: AbortSignal;
}

/** What checks and subscriptions ask of the query path, and of the rights of members. */
export interface Answering {
  /**
   * The lines of the watched series over the dates that the rule needs. Errors: TerminalError where it will never be answered,
   * RetryableError where it may be later.
   */
  trend(asked: Asked, insight: Insight, alert: Alert): Promise<{ lines: Line[]; interval: TrendInterval }>;
  /** What an insight shows; on a dashboard, what it shows there. Errors: as of `trend`. */
  sheet(asked: Asked, insight: Insight, dashboardId: number | null): Promise<Sheet>;
  /** Those of these users that are members and may see the insight. */
  readers(tx: Tx, environment: Environment, insight: Insight, userIds: readonly number[]): Promise<User[]>;
  /** What a subscription sends: its insights that its maker may see, and their title; null where that is nothing. */
  contents(tx: Tx, environment: Environment, item: Subscription): Promise<Contents | null>;
  /** The address of a page, from its path. */
  link(path: string): string;
}

export interface Contents {
  kind: "insight" | "dashboard";
  name: string;
  /** Of the page. */
  path: string;
  insights: Insight[];
}
