import type { Environment, Insight, Subscription } from "../../metadata/mod.ts";
import type { Json, JsonObject } from "../../types/mod.ts";
import { escapeHtml, type Letter, linkTo, pageOf, paragraph, subjectOf } from "./mail.ts";

/** A result as rows, at most so many as a message has. */
export interface Sheet {
  columns: string[];
  rows: Json[][];
  /** Whether there are more rows. */
  hasMore: boolean;
}

/** An insight as it is sent: a sheet, or why there is none. */
export interface SentInsight {
  insight: Insight;
  url: string;
  sheet: Sheet | null;
  error: string | null;
}

export interface SubscriptionNews {
  item: Subscription;
  environment: Environment;
  kind: "insight" | "dashboard";
  name: string;
  url: string;
  insights: readonly SentInsight[];
  atMs: number;
}

const nameOf = ({ name, derivedName, shortId }: Insight): string => name || derivedName || shortId;

/** The body of a webhook. */
export function subscriptionBody(news: SubscriptionNews): JsonObject {
  const { item, environment } = news;
  return {
    type: "subscription.delivery",
    timestamp: new Date(news.atMs).toISOString(),
    data: {
      project: { id: environment.id, name: environment.name },
      subscription: { id: item.id, title: item.title },
      [news.kind]: { id: item.insightId ?? item.dashboardId, name: news.name, url: news.url },
      insights: news.insights.map(({ insight, url, sheet, error }) => ({
        id: insight.id,
        short_id: insight.shortId,
        name: nameOf(insight),
        url,
        columns: sheet?.columns ?? [],
        rows: sheet?.rows ?? [],
        has_more: sheet?.hasMore ?? false,
        error,
      })),
    },
  };
}

/** The same as a letter. */
export function subscriptionLetter(news: SubscriptionNews): Letter {
  const title = news.item.title || news.name;
  return {
    subject: subjectOf(`${title} (${news.environment.name})`),
    text: [title, news.url, "", ...news.insights.flatMap(asText)].join("\n"),
    html: pageOf([`<h2>${escapeHtml(title)}</h2>`, linkTo(news.url, news.name), ...news.insights.map(asHtml)]),
  };
}

const MORE = "There are more rows.";

function asText({ insight, url, sheet, error }: SentInsight): string[] {
  const rows = sheet === null ? [] : [sheet.columns, ...sheet.rows].map((row) => row.map(cellText).join("  "));
  return [nameOf(insight), url, ...(error === null ? rows : [error]), ...(sheet?.hasMore ? [MORE] : []), ""];
}

function asHtml({ insight, url, sheet, error }: SentInsight): string {
  const head = `<h3><a href="${escapeHtml(url)}">${escapeHtml(nameOf(insight))}</a></h3>`;
  if (sheet === null) return head + paragraph(error ?? "There is no result.");
  const row = (tag: "th" | "td", cells: readonly Json[]) =>
    `<tr>${cells.map((cell) => `<${tag} align="left">${escapeHtml(cellText(cell))}</${tag}>`).join("")}</tr>`;
  const body = [row("th", sheet.columns), ...sheet.rows.map((cells) => row("td", cells))];
  return `${head}<table cellpadding="4">${body.join("")}</table>${sheet.hasMore ? paragraph(MORE) : ""}`;
}

const CELL_MAX = 200;

function cellText(value: Json): string {
  const text = value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > CELL_MAX ? `${text.slice(0, CELL_MAX)}…` : text;
}
