import {
  type Alert,
  type AlertState,
  addAlertCheck,
  addDeliveries,
  type Environment,
  endAlertCheck,
  findEnvironment,
  findInsight,
  type Insight,
  type NewDelivery,
  readDataVersion,
  takeDueAlert,
  teamsWithDueAlerts,
} from "../../metadata/mod.ts";
import type { Db, Tx } from "../../store/mod.ts";
import { describeError, ProjectTurns, RetryableError } from "../../types/mod.ts";
import { type AlertNews, alertBody, alertLetter } from "../message/alertMessage.ts";
import { type Judgement, judge } from "../rule/judge.ts";
import { nextCheckMs } from "../schedule/checks.ts";
import type { Answering } from "./answering.ts";
import { CLAIM_MS, whileClaimed } from "./claims.ts";

export interface CheckParts {
  db: Db;
  answering: Answering;
  now(): number;
  log(line: string): void;
}

/** After a failure that may pass. */
const RETRY_MS = 60_000;
/** An alert is checked again after so many times what its check took. */
const PAUSE_TIMES = 20;

/** What was found, before it is compared with what is known. */
interface Finding extends Judgement {
  state: AlertState;
  error: string | null;
}

/** Checks alerts that are due, one at a time, projects in turns. */
export class Checker {
  private readonly turns = new ProjectTurns();

  constructor(private readonly parts: CheckParts) {}

  /** Checks one alert; false where none is due. `signal` ends its query; it is done again after its claim. */
  async step(signal: AbortSignal): Promise<boolean> {
    const { db, now } = this.parts;
    const nowMs = now();
    const teamId = this.turns.next(await db.read((tx) => teamsWithDueAlerts(tx, nowMs)));
    if (teamId === null) return false;
    const alert = await db.write((tx) => takeDueAlert(tx, teamId, { nowMs, ttlMs: CLAIM_MS }));
    if (alert !== null) await whileClaimed(this.parts, "alerts", alert, () => this.check(alert, nowMs, signal));
    return true;
  }

  private async check(alert: Alert, nowMs: number, signal: AbortSignal): Promise<void> {
    const { db, now } = this.parts;
    const { environment, insight, version } = await db.read(async (tx) => ({
      environment: await findEnvironment(tx, alert.teamId),
      insight: await findInsight(tx, alert.teamId, alert.insightId),
      version: await readDataVersion(tx, alert.teamId),
    }));
    if (environment === null || insight === null) return;
    const finding = await this.find(alert, insight, environment, nowMs, signal);
    if (signal.aborted) return;
    const tookMs = now() - nowMs;
    const putOff = () => db.write((tx) => endAlertCheck(tx, alert, { nextCheckAtMs: now() + RETRY_MS, outcome: null }));
    if (finding === null) {
      await putOff();
      return;
    }
    const nextMs = nextCheckMs(alert, now(), environment.timezone);
    const nextCheckAtMs = Math.max(nextMs, now() + PAUSE_TIMES * tookMs);
    const found = { alert, insight, environment, finding, nowMs, nextCheckAtMs, version };
    await db
      .write((tx) => this.save(tx, found))
      .catch(async (error: unknown) => {
        // The outbox is full: the state stays until there is room.
        if (error instanceof RetryableError) await putOff();
        throw error;
      });
  }

  /** Null where it may be answered later. */
  private async find(
    alert: Alert,
    insight: Insight,
    environment: Environment,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<Finding | null> {
    try {
      const { lines, interval } = await this.parts.answering.trend({ environment, nowMs, signal }, insight, alert);
      const judgement = judge(alert, lines, interval);
      return { ...judgement, state: judgement.breaches.length > 0 ? "Firing" : "Not firing", error: null };
    } catch (error) {
      if (error instanceof RetryableError || signal.aborted) {
        this.parts.log(`alert ${alert.id} was not checked: ${describeError(error)}`);
        return null;
      }
      return { value: null, breaches: [], state: "Errored", error: describeError(error) };
    }
  }

  /** State, check and messages at once; nothing where the alert was changed meanwhile. */
  private async save(
    tx: Tx,
    o: {
      alert: Alert;
      insight: Insight;
      environment: Environment;
      finding: Finding;
      nowMs: number;
      nextCheckAtMs: number;
      version: number;
    },
  ): Promise<void> {
    const { alert, finding, nowMs, nextCheckAtMs, version } = o;
    const { state, value, breaches, error } = finding;
    const isTold = isNews(alert, state);
    const news = isTold ? await this.newsOf(tx, o) : [];
    const outcome = {
      state,
      toldState: isTold ? state : alert.toldState,
      value: finite(value),
      atMs: nowMs,
      notifiedAtMs: news.length > 0 ? nowMs : null,
      version,
    };
    if (!(await endAlertCheck(tx, alert, { nextCheckAtMs, outcome }))) return;
    const check = { alertId: alert.id, state, value: finite(value), breaches, error, createdAtMs: nowMs };
    await addAlertCheck(tx, alert.teamId, { ...check, notified: news.length > 0 });
    await addDeliveries(tx, alert.teamId, news, nowMs);
  }

  private async newsOf(
    tx: Tx,
    o: { alert: Alert; insight: Insight; environment: Environment; finding: Finding; nowMs: number },
  ): Promise<NewDelivery[]> {
    const { alert, insight, environment, finding, nowMs } = o;
    const { answering } = this.parts;
    const url = answering.link(`/project/${environment.id}/insights/${insight.shortId}`);
    const news: AlertNews = { ...finding, alert, insight, environment, before: alert.toldState, atMs: nowMs, url };
    const source = { kind: "alert", sourceId: alert.id, title: alert.name } as const;
    const readers = await answering.readers(tx, environment, insight, alert.subscribedUsers);
    const letter = alertLetter(news);
    const letters = readers.map(
      ({ email }): NewDelivery => ({ ...source, channel: "email", target: email, message: letter, secret: "" }),
    );
    if (alert.webhookUrl === null) return letters;
    const webhook = { channel: "webhook", target: alert.webhookUrl, message: alertBody(news) } as const;
    return [...letters, { ...source, ...webhook, secret: alert.webhookSecret }];
  }
}

/** A change since the last that was told. What fires still after it was snoozed is told again. */
const isNews = ({ state: before, toldState }: Alert, state: AlertState): boolean =>
  state !== toldState || (before === "Snoozed" && state === "Firing");

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);
