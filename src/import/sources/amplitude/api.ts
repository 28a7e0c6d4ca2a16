import { writeFile } from "node:fs/promises";
import {
  type Downloads,
  downloadTo,
  EMPTY_ZIP,
  Refused,
  RequestLimit,
  rangesOf,
  ZipEnding,
} from "../../staging/mod.ts";
import type { Staging } from "../../types.ts";
import type { AmplitudeApi } from "./options.ts";

/** Amplitude names no limit; downloads go one after the other, not faster than this. */
const RULES = [{ requests: 10, withinMs: 1_000 }];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

/** Where the API of a region is. */
export const REGIONS = new Map([
  ["us", "https://amplitude.com"],
  ["eu", "https://analytics.eu.amplitude.com"],
]);

/** Brings the zip of each day of uploads; of a day that is too large for one answer the zips of its hours. */
export async function stageApi(api: AmplitudeApi, to: Staging): Promise<void> {
  const days = rangesOf(api.from, api.to, 1);
  const waiting = (reason: string | null) => to.waiting(reason);
  const downloads = { name: "Amplitude", limit: new RequestLimit(RULES), signal: to.signal, waiting };
  for (const [done, { from: day }] of days.entries()) {
    to.tell(done, days.length);
    try {
      await to.part(`${day}.zip`, (path) => download(api, path, [`${day}T00`, `${day}T23`], downloads));
    } catch (error) {
      if (!(error instanceof Refused) || error.status !== 400) throw error;
      await stageHours(api, day, to, downloads);
    }
  }
  to.tell(days.length, days.length);
}

async function stageHours(api: AmplitudeApi, day: string, to: Staging, downloads: Downloads): Promise<void> {
  for (const hour of HOURS) {
    const at = `${day}T${hour}`;
    await to.part(`${at}.zip`, (path) => download(api, path, [at, at], downloads));
  }
}

async function download(
  api: AmplitudeApi,
  path: string,
  [start, end]: [start: string, end: string],
  downloads: Downloads,
): Promise<void> {
  const query = new URLSearchParams({ start: start.replaceAll("-", ""), end: end.replaceAll("-", "") });
  const key = Buffer.from(`${api.apiKey}:${api.secretKey}`).toString("base64");
  const request = { url: `${api.url}/api/2/export?${query}`, headers: { authorization: `Basic ${key}` } };
  // 404: nothing was uploaded then.
  const target = { path, ending: () => new ZipEnding() };
  if (!(await downloadTo(target, request, downloads))) await writeFile(path, EMPTY_ZIP);
}
