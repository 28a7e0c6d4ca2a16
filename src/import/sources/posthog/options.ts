import { basename, resolve } from "node:path";
import { DAY_MS, UsageError } from "../../../types/mod.ts";
import { readDays, refuseOf } from "../../staging/mod.ts";

/** What an import from PostHog is told. */
export interface PosthogOptions {
  /** Files and folders with events. */
  events: readonly string[];
  /** With persons. */
  persons: readonly string[];
  cloud: Cloud | null;
  clickhouse: ClickHouse | null;
  /** Epoch milliseconds of midnights (UTC); null: from the beginning, up to now. Of APIs only. */
  fromMs: number | null;
  toMs: number | null;
  /** Whether insights and the like come along, where an API tells them. */
  withObjects: boolean;
  /** Whether those that are here with other content are made those of there. */
  overwrites: boolean;
}

/** A project of a running PostHog (or Weir), by its API. */
export interface Cloud {
  url: string;
  key: string;
  project: string;
}

/** The database of a self-hosted PostHog, by its HTTP interface. */
export interface ClickHouse {
  url: string;
  user: string;
  password: string;
  /** The number of the project there. */
  team: number;
}

export const OPTIONS = {
  persons: "text",
  "from-cloud": "flag",
  "posthog-host": "text",
  "posthog-project": "text",
  clickhouse: "text",
  from: "text",
  to: "text",
  "no-objects": "flag",
  "overwrite-objects": "flag",
} as const;

type Given = Record<string, string | boolean | undefined>;

const KEY = "POSTHOG_API_KEY";
const USER = "CLICKHOUSE_USER";
const PASSWORD = "CLICKHOUSE_PASSWORD";
const HOST = "https://us.posthog.com";
const FIRST_DAY = "1970-01-01";
const LAST_DAY = "9999-12-31";

/** Throws UsageError. Secrets come from the environment: options are kept in the folder of the import. */
export function readOptions(given: Given, words: readonly string[], env = process.env): PosthogOptions {
  const text = (name: keyof typeof OPTIONS) => (typeof given[name] === "string" ? given[name] : null);
  const persons = text("persons")?.split(",") ?? [];
  const database = text("clickhouse");
  const isCloud = given["from-cloud"] === true;
  const ways = [words.length + persons.length > 0, isCloud, database !== null].filter((isGiven) => isGiven);
  if (ways.length !== 1)
    throw new UsageError("Name files or folders, or --from-cloud, or --clickhouse URL: one of them.");
  const project = text("posthog-project") ?? "";
  if ((isCloud || database !== null) && !/^\d+$/.test(project)) {
    throw new UsageError("--posthog-project is missing: the number of the project there.");
  }
  const isFiles = !isCloud && database === null;
  if (!isCloud) refuseOf("--from-cloud", given, ["posthog-host", "no-objects", "overwrite-objects"]);
  if (isFiles) refuseOf("--from-cloud and --clickhouse", given, ["posthog-project"]);
  return {
    events: words,
    persons,
    cloud: isCloud ? { url: urlOf("--posthog-host", text("posthog-host") ?? HOST), key: keyIn(env), project } : null,
    clickhouse: database === null ? null : clickHouseOf(urlOf("--clickhouse", database), Number(project), env),
    ...(isFiles ? { fromMs: null, toMs: null } : rangeOf(given)),
    withObjects: given["no-objects"] !== true,
    overwrites: given["overwrite-objects"] === true,
  };
}

/** Each of the two days may be absent. */
function rangeOf({ from, to }: Given): { fromMs: number | null; toMs: number | null } {
  const days = readDays({ from: from ?? FIRST_DAY, to: to ?? LAST_DAY });
  return {
    fromMs: from === undefined ? null : Date.parse(`${days.from}T00:00:00Z`),
    toMs: to === undefined ? null : Date.parse(`${days.to}T00:00:00Z`) + DAY_MS,
  };
}

type Environment = Record<string, string | undefined>;

function keyIn(env: Environment): string {
  const key = env[KEY];
  if (key) return key;
  throw new UsageError(`${KEY} must hold a personal API key of the PostHog.`);
}

function clickHouseOf(url: string, team: number, env: Environment): ClickHouse {
  return { url, user: env[USER] || "default", password: env[PASSWORD] ?? "", team };
}

function urlOf(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new UsageError(`${option} must be a URL (https://…), not "${text}".`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError(`${option}: user and password belong into ${USER} and ${PASSWORD}.`);
  }
  return text.replace(/\/+$/, "");
}

/** Without secrets. */
export function originOf({ events, persons, cloud, clickhouse }: PosthogOptions): string {
  if (cloud !== null) return `${cloud.url}/project/${cloud.project}`;
  if (clickhouse !== null) return `${clickhouse.url}#${clickhouse.team}`;
  return [...persons, ...events].map((path) => (path.startsWith("s3://") ? path : resolve(path))).join(" ");
}

/** Rows of the persons model as an API told them: they are grouped first. */
export const STAGED_PERSONS = "persons-of-";
export const isStagedPersons = (file: string): boolean => basename(file).startsWith(STAGED_PERSONS);
