import type { Alert, AlertState, Environment, Insight } from "../../metadata/mod.ts";
import type { JsonObject } from "../../types/mod.ts";
import { escapeHtml, type Letter, linkTo, pageOf, paragraph, subjectOf } from "./mail.ts";

/** What receivers are told of a change of state. */
export interface AlertNews {
  alert: Alert;
  insight: Insight;
  environment: Environment;
  before: AlertState;
  state: AlertState;
  value: number | null;
  breaches: readonly string[];
  /** Why it could not be checked. */
  error: string | null;
  atMs: number;
  /** Of the insight's page. */
  url: string;
}

const TYPES: Record<AlertState, string> = {
  Firing: "alert.firing",
  "Not firing": "alert.not_firing",
  Errored: "alert.errored",
  Snoozed: "alert.snoozed",
};

const nameOf = ({ name, derivedName, shortId }: Insight): string => name || derivedName || shortId;

/** The body of a webhook. */
export function alertBody(news: AlertNews): JsonObject {
  const { alert, insight, environment } = news;
  return {
    type: TYPES[news.state],
    timestamp: new Date(news.atMs).toISOString(),
    data: {
      project: { id: environment.id, name: environment.name },
      alert: { id: alert.id, name: alert.name, state: news.state, previous_state: news.before },
      value: news.value !== null && Number.isFinite(news.value) ? news.value : null,
      breaches: [...news.breaches],
      error: news.error,
      insight: { id: insight.id, short_id: insight.shortId, name: nameOf(insight), url: news.url },
    },
  };
}

const HEADLINES: Record<AlertState, string> = {
  Firing: "is firing",
  "Not firing": "is not firing any more",
  Errored: "cannot be checked",
  Snoozed: "is snoozed",
};

/** The same as a letter. */
export function alertLetter(news: AlertNews): Letter {
  const { alert, insight, environment, breaches, error, url } = news;
  const headline = `${alert.name || "Alert"} ${HEADLINES[news.state]}`;
  const lines = [...breaches, ...(error === null ? [] : [error])];
  const about = `Insight "${nameOf(insight)}" of ${environment.name}`;
  return {
    subject: subjectOf(headline),
    text: [headline, "", ...lines, "", about, url, ""].join("\n"),
    html: pageOf([`<h2>${escapeHtml(headline)}</h2>`, ...lines.map(paragraph), linkTo(url, about)]),
  };
}
