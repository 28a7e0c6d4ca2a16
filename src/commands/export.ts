import type { Config } from "../config.ts";
import { Api, iso, type TakeoutFormat, type TakeoutProgress, type TakeoutWish, writeTakeout } from "../import/mod.ts";
import { DAY_MS, UsageError } from "../types/mod.ts";
import type { Arguments } from "./kit/command.ts";
import { keyForRun, urlOfWeir } from "./kit/key.ts";
import { assertFolderBeside } from "./kit/place.ts";

export const EXPORT_OPTIONS = {
  project: "text",
  url: "text",
  key: "text",
  from: "text",
  to: "text",
  format: "text",
  json: "flag",
} as const;

const FORMATS: Record<string, TakeoutFormat> = { parquet: "Parquet", jsonl: "JSONLines" };

/** `weir export`. Throws UsageError, TerminalError, RetryableError. Ctrl-C ends it; the same command goes on. */
export async function exportProject(
  { options, words }: Arguments<typeof EXPORT_OPTIONS>,
  config: Config,
): Promise<number> {
  const [folder] = words;
  if (folder === undefined) throw new UsageError("FOLDER is missing.");
  assertFolderBeside(folder, config);
  const project = options.project ?? "";
  if (!/^\d+$/.test(project)) throw new UsageError("--project is missing: the id of an environment, such as 1.");
  const format = FORMATS[options.format ?? "parquet"];
  if (format === undefined) throw new UsageError(`--format must be parquet or jsonl, not "${options.format}".`);
  const wish = { folder, format, fromMs: timeOf("--from", options.from), toMs: timeOf("--to", options.to) };
  if (wish.fromMs !== null && wish.toMs !== null && wish.fromMs >= wish.toMs) {
    throw new UsageError("--from must be before --to.");
  }
  const url = urlOfWeir(options.url, config);
  const key = await keyForRun(options.key, Number(project), config);
  try {
    return await take(wish, { url, key: key.value, project }, options.json === true);
  } finally {
    await key.revoke();
  }
}

/** Midnight (UTC) of a day, or a time with a zone, as epoch milliseconds; null where it is absent. */
function timeOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms))
    throw new UsageError(`${option} must be a day (2024-01-31) or a time with a zone, not "${text}".`);
  return ms;
}

async function take(
  wish: TakeoutWish,
  address: { url: string; key: string; project: string },
  asJson: boolean,
): Promise<number> {
  const ending = new AbortController();
  const stop = () => ending.abort(new Error("stopped"));
  process.once("SIGINT", stop);
  process.once("SIGTERM", stop);
  const { signal } = ending;
  const tell = (progress: TakeoutProgress) => console.error(asJson ? JSON.stringify(progress) : lineOf(progress));
  try {
    const { counts, from, to, ranges, others } = await writeTakeout(new Api(address, signal), wish, { signal, tell });
    const files = ranges.reduce((sum, range) => sum + range.files.length, others.length);
    const range = `from ${iso(Date.parse(from))} to ${iso(Date.parse(to))}`;
    const text = `${counts.events} events, ${counts.persons} rows of persons, ${files} files in ${wish.folder}, accepted ${range}`;
    console.log(asJson ? JSON.stringify({ folder: wish.folder, files, ...counts, from, to }) : text);
    return 0;
  } catch (error) {
    if (!signal.aborted) throw error;
    console.error("weir export: stopped; the same command goes on.");
    return 130;
  } finally {
    process.off("SIGINT", stop);
    process.off("SIGTERM", stop);
  }
}

function lineOf({ model, to, done, all, files, bytes }: TakeoutProgress): string {
  const size = bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  if (to === null) return `${model}: ${size}`;
  const day = new Date(Date.parse(to) - (Date.parse(to) % DAY_MS === 0 ? DAY_MS : 0)).toISOString().slice(0, 10);
  return `${model} up to ${day} (${done}/${all}): ${files} files, ${size}`;
}
