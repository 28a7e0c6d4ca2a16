import { basename, resolve } from "node:path";
import { UsageError } from "../../../types/mod.ts";
import type { Format } from "../../types.ts";

/** What `weir import posthog` reads. */
export interface PosthogOptions {
  /** Files and folders with events. */
  events: readonly string[];
  /** With persons. */
  persons: readonly string[];
  cloud: Cloud | null;
  clickhouse: ClickHouse | null;
}

/** A project of a running PostHog (or Weir), by its API. */
export interface Cloud {
  url: string;
  key: string;
  project: string;
}

/** The database of a self-hosted PostHog, by its HTTP interface. */
export interface ClickHouse {
  /** Without user and password. */
  url: string;
  user: string;
  password: string;
  /** The number of the project there. */
  team: number;
}

export const OPTIONS = {
  persons: "text",
  "from-cloud": "flag",
  host: "text",
  "posthog-key": "text",
  "posthog-project": "text",
  clickhouse: "text",
  from: "text",
  to: "text",
} as const;

type Given = { [Name in keyof typeof OPTIONS]?: string | boolean };

const KEY_VARIABLE = "POSTHOG_API_KEY";

/** Throws UsageError. */
export function readOptions(given: Given, words: readonly string[], env = process.env): PosthogOptions {
  const text = (name: keyof typeof OPTIONS): string | null => {
    const value = given[name];
    return typeof value === "string" && value !== "" ? value : null;
  };
  const project = text("posthog-project");
  const persons = text("persons")?.split(",") ?? [];
  const isCloud = given["from-cloud"] === true;
  const database = text("clickhouse");
  const ways = [words.length + persons.length > 0, isCloud, database !== null].filter((isGiven) => isGiven);
  if (ways.length !== 1) throw new UsageError("Name files or folders, or --from-cloud, or --clickhouse: one of them.");
  const base = { events: words, persons, cloud: null, clickhouse: null };
  if (isCloud) {
    const key = text("posthog-key") ?? env[KEY_VARIABLE] ?? null;
    if (key === null)
      throw new UsageError(`--from-cloud needs a personal API key in ${KEY_VARIABLE} or --posthog-key.`);
    if (project === null)
      throw new UsageError("--from-cloud needs --posthog-project, the number of the project there.");
    return { ...base, cloud: { url: urlOf("--host", text("host") ?? "https://us.posthog.com").origin, key, project } };
  }
  if (database === null) return base;
  if (project === null || !/^\d+$/.test(project)) {
    throw new UsageError("--clickhouse needs --posthog-project, the number of the project there.");
  }
  const { username, password, origin, pathname } = urlOf("--clickhouse", database);
  const url = `${origin}${pathname}`;
  const who = { user: decodeURIComponent(username) || "default", password: decodeURIComponent(password) };
  return { ...base, clickhouse: { url, ...who, team: Number(project) } };
}

function urlOf(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`${option} must be a URL (https://…), not "${text}".`);
  }
  return url;
}

/** Without keys and passwords. */
export function originOf({ events, persons, cloud, clickhouse }: PosthogOptions): string {
  if (cloud !== null) return `${cloud.url}/project/${cloud.project}`;
  if (clickhouse !== null) return `${clickhouse.url}#${clickhouse.team}`;
  return [...persons, ...events].map((path) => (path.startsWith("s3://") ? path : resolve(path))).join(" ");
}

/** Of a batch export in Parquet the packing is named behind the format: it is inside of the file. */
const TABLE = /\.(parquet(\.[a-z0-9]+)?|csv|tsv)(\.(gz|zst))?$/i;
const LINES = /\.(jsonl|ndjson|json)(\.(gz|zst|br))?$/i;

export function formatOf(file: string): Format | null {
  if (TABLE.test(file)) return "table";
  return LINES.test(file) ? "lines" : null;
}

/** Persons that were grouped, as staging names their file. */
export const GROUPED_PERSONS = "persons-grouped.jsonl";
export const isGroupedPersons = (file: string): boolean => basename(file) === GROUPED_PERSONS;
/** Rows of the persons model as an API told them: they are grouped first. */
export const isStagedPersons = (file: string): boolean => basename(file).startsWith("persons-");
