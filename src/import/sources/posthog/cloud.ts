import { writeFile } from "node:fs/promises";
import { DAY_MS } from "../../../types/mod.ts";
import { Api, bringPart, startDownload } from "../../api/mod.ts";
import { iso, type Range, rowCount, weeksAndDaysOf } from "../../takeout/mod.ts";
import type { Staging } from "../../types.ts";
import { type Cloud, STAGED_PERSONS } from "./options.ts";

/** Brings the events and persons of a project by its file downloads, a week each; gives the parts with persons. */
export async function stageCloud(
  cloud: Cloud,
  { fromMs, toMs }: { fromMs: number | null; toMs: number | null },
  to: Staging,
  pauseMs?: number,
): Promise<string[]> {
  const api = new Api(cloud, to.signal, pauseMs);
  const createdMs = Date.parse(String((await api.object("")).created_at));
  const nowMs = await api.nowMs();
  const begunMs = Math.floor(createdMs / DAY_MS) * DAY_MS;
  const ranges = weeksAndDaysOf({
    fromMs: Math.max(fromMs ?? begunMs, begunMs),
    toMs: Math.min(toMs ?? nowMs, nowMs),
  });
  const persons: string[] = [];
  for (const [i, range] of ranges.entries()) {
    to.tell(i, ranges.length);
    const name = `${STAGED_PERSONS}${nameOf(range)}`;
    await to.part(name, (path) => bring(api, "persons", range, { path, to }));
    persons.push(name);
    await to.part(`events-of-${nameOf(range)}`, (path) => bring(api, "events", range, { path, to }));
  }
  to.tell(ranges.length, ranges.length);
  return persons;
}

const nameOf = ({ fromMs, toMs }: Range): string => `${shown(fromMs)}-to-${shown(toMs)}.jsonl.gz`;
/** `2024-01-31`, or with a time `2024-01-31T050203` */
const shown = (ms: number): string => iso(ms).slice(0, 19).replaceAll(":", "").replace("T000000", "");

/** Lines, for they can be none: a range without rows has no file. */
async function bring(
  api: Api,
  model: "events" | "persons",
  { fromMs, toMs }: Range,
  { path, to }: { path: string; to: Staging },
): Promise<void> {
  const file = { format: "JSONLines", compression: "gzip", maxSizeMb: null } as const;
  const download = await startDownload(api, { model, from: iso(fromMs), to: iso(toMs), ...file }, to.signal);
  if (download.parts === 0) return writeFile(path, "");
  const check = (written: string) => rowCount(written, "JSONLines");
  await bringPart(api, download, 0, { path, check, signal: to.signal });
}
